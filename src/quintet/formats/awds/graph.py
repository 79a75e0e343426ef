"""The picture of an AWDS workflow: its steps, each after those that it depends on."""

from __future__ import annotations

from quintet.formats.awds.document import Document, Step
from quintet.formats.awds.expressions.syntax import Step as Reference
from quintet.formats.awds.expressions.syntax import walk
from quintet.formats.awds.expressions.template import CLOSE, OPEN, Expression, templates
from quintet.workflow import Edge, Graph, Group, Node


def graph(document: Document) -> Graph:
    """A step with `if` stands behind a fork, one with `for_each` in a group of its own."""
    nodes = [Node("input", "input", "input")]
    edges: list[Edge] = []
    groups: list[Group] = []
    for step in document.steps:
        group = None
        if step.for_each is not None:
            group = f"each {step.id}"
            groups.append(Group(group, "each", _words(step.for_each)))
        entry = _id(step.id)
        if step.condition is not None:
            entry = f"if {step.id}"
            nodes.append(Node(entry, _words(step.condition), "condition", line=step.line))
            edges.append(Edge(entry, _id(step.id), "next", "yes"))
        nodes.append(Node(_id(step.id), step.id, "agent", step.id, group, step.line))
        edges += _ties(step, entry)
    nodes.append(Node("output", "output", "output"))
    edges += [Edge(_id(step.id), "output") for step in document.last] or [Edge("input", "output")]
    return Graph(tuple(nodes), tuple(edges), tuple(groups))


def _id(name: str) -> str:
    return f"step {name}"


def _ties(step: Step, entry: str) -> list[Edge]:
    """What comes before a step: it takes the outputs of those that it refers to."""
    if not step.depends_on:
        return [Edge("input", entry)]
    used = _used(step)
    return [Edge(_id(name), entry, "next" if name in used else "after") for name in step.depends_on]


def _used(step: Step) -> set[str]:
    blueprints = (step.agent.system_prompt, step.agent.input, step.agent.context)
    expressions = [one for part in blueprints for text in templates(part) for one in text.expressions]
    expressions += [one for one in (step.condition, step.for_each) if one is not None]
    return {node.id for one in expressions for node in walk(one.node) if isinstance(node, Reference)}


def _words(expression: Expression) -> str:
    """An expression as it is written, without the braces, in one line."""
    text = expression.text[expression.start : expression.end].strip()
    if text.startswith(OPEN):
        text = text.removeprefix(OPEN).removesuffix(CLOSE)
    return " ".join(text.split())
