"""The picture of an OpenFang workflow: a line of steps that forks at conditions and fan-out groups."""

from __future__ import annotations

from collections.abc import Sequence

from quintet.formats.openfang.document import (
    Agent,
    AgentById,
    Collect,
    Conditional,
    Document,
    FanOut,
    Loop,
    Step,
    blocks,
)
from quintet.workflow import Edge, EdgeKind, Graph, Group, Node

_End = tuple[str, EdgeKind, str]
"""A node that the next one follows: its id, what the edge will be, and its label."""


def graph(document: Document) -> Graph:
    drawing = _Drawing()
    for block in blocks([step.mode for step in document.steps]):
        drawing.block(block, document.steps)
    return drawing.finished()


def agent_label(agent: Agent) -> str:
    return agent.id if isinstance(agent, AgentById) else agent.name


class _Drawing:
    """Goes through the steps; `ends` are the loose ends that the next step is tied to."""

    def __init__(self) -> None:
        self.nodes = [Node("input", "input", "input")]
        self.edges: list[Edge] = []
        self.groups: list[Group] = []
        self.ends: list[_End] = [("input", "next", "")]
        self.members: list[str] = []
        """The nodes of the latest fan-out group."""

    def block(self, numbers: range, steps: Sequence[Step]) -> None:
        first = steps[numbers[0]]
        match first.mode:
            case FanOut():
                self.fan_out(numbers, steps)
            case Conditional(condition):
                self.conditional(numbers[0], first, condition)
            case Loop(max_iterations, until):
                node = self.step(numbers[0], first)
                self.edges.append(Edge(node, node, "back", f'until "{until}"', max_iterations))
            case Collect():
                self.collect(numbers[0], first)
            case _:
                self.step(numbers[0], first)

    def step(self, number: int, step: Step) -> str:
        """A node that follows all loose ends, and is the next one itself."""
        node = self.node(number, step)
        self.tie(node)
        self.ends = [(node, "next", "")]
        return node

    def collect(self, number: int, step: Step) -> None:
        """Takes the outputs of the group; steps that stand between only come first."""
        between = [end for end in self.ends if end[0] not in self.members]
        if between:
            after: list[_End] = [(source, "after", label) for source, _, label in self.ends]
            self.ends = [*after, *((node, "next", "") for node in self.members)]
        self.step(number, step)

    def conditional(self, number: int, step: Step, condition: str) -> None:
        """A fork: the step, or past it."""
        fork = f"{number + 1}?"
        self.nodes.append(Node(fork, f'contains "{condition}"', "condition", line=step.line))
        self.tie(fork)
        self.ends = [(fork, "next", "yes")]
        self.step(number, step)
        self.ends.append((fork, "next", "no"))

    def fan_out(self, numbers: range, steps: Sequence[Step]) -> None:
        """All at once; what follows waits for all of them, and takes the output of the last."""
        group = f"group {numbers[0] + 1}"
        self.groups.append(Group(group, "parallel"))
        before, members = self.ends, list[str]()
        self.members = members
        for number in numbers:
            members.append(self.node(number, steps[number], group))
            self.ends = before
            self.tie(members[-1])
        collected = numbers.stop < len(steps) and isinstance(steps[numbers.stop].mode, Collect)
        self.ends = [(node, "next" if collected else "after", "") for node in members[:-1]]
        self.ends.append((members[-1], "next", ""))

    def node(self, number: int, step: Step, group: str | None = None) -> str:
        name = str(number + 1)
        collects = isinstance(step.mode, Collect)
        agent = None if collects or step.agent is None else agent_label(step.agent)
        self.nodes.append(Node(name, step.name, "collect" if collects else "agent", agent, group, step.line))
        return name

    def tie(self, target: str) -> None:
        self.edges += [Edge(source, target, kind, label) for source, kind, label in self.ends]

    def finished(self) -> Graph:
        self.nodes.append(Node("output", "output", "output"))
        self.tie("output")
        return Graph(tuple(self.nodes), tuple(self.edges), tuple(self.groups))
