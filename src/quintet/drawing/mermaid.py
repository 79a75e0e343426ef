"""The picture of a workflow as Mermaid, for documents whose readers draw it themselves."""

from __future__ import annotations

from collections.abc import Iterator

from quintet.drawing import words
from quintet.workflow import Edge, Graph, Group, Node

_ENTITIES = {ord(char): f"#{ord(char)};" for char in '"#&;<>`\\'}
"""Mermaid reads these as markup even between quotes."""


def mermaid(graph: Graph) -> str:
    """A flowchart, from top to bottom."""
    return "\n".join(["flowchart TD", *_Chart(graph).lines()]) + "\n"


class _Chart:
    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._nodes = {node.id: f"n{number}" for number, node in enumerate(graph.nodes)}
        self._inside: dict[str | None, list[Node]] = {}
        self._children: dict[str | None, list[Group]] = {}
        known = {group.id for group in graph.groups}
        for node in graph.nodes:
            self._inside.setdefault(node.group if node.group in known else None, []).append(node)
        for group in graph.groups:
            self._children.setdefault(group.group if group.group in known else None, []).append(group)

    def lines(self) -> Iterator[str]:
        yield from self._level(None, "  ")
        for edge in self._graph.edges:
            yield "  " + self._edge(edge)

    def _level(self, group: str | None, indent: str) -> Iterator[str]:
        for node in self._inside.get(group, ()):
            yield indent + self._node(node)
        for child in self._children.get(group, ()):
            number = next(n for n, one in enumerate(self._graph.groups) if one is child)
            yield f'{indent}subgraph g{number}["{_text(words.heading(child))}"]'
            yield from self._level(child.id, indent + "  ")
            yield f"{indent}end"

    def _node(self, node: Node) -> str:
        text = _text(words.marked(node))
        if agent := words.agent(node):
            text += f"<br><i>{_text(agent)}</i>"
        before, after = _shape(node)
        return f'{self._nodes[node.id]}{before}"{text}"{after}'

    def _edge(self, edge: Edge) -> str:
        arrow = "-->" if edge.kind == "next" else "-.->"
        label = words.label(edge)
        shown = f'|"{_text(label)}"|' if label else ""
        return f"{self._nodes[edge.source]} {arrow}{shown} {self._nodes[edge.target]}"


def _shape(node: Node) -> tuple[str, str]:
    match node.kind:
        case "input" | "output":
            return "([", "])"
        case "condition":
            return "{", "}"
        case "approval":
            return "[/", "/]"
        case "collect" | "workflow":
            return "[[", "]]"
        case "agent" | "tool":
            return "[", "]"


def _text(text: str) -> str:
    return text.translate(_ENTITIES)
