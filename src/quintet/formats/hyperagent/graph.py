"""The picture of a Hyperagent workflow: the bootstrap, and a round that leads back to its start."""

from __future__ import annotations

from quintet.formats.hyperagent.document import BOOTSTRAP, MAX_ROUNDS, Document, Step, Transition
from quintet.formats.hyperagent.wording import told
from quintet.workflow import Edge, EdgeKind, Graph, Group, Node

_GROUP = "round"


def graph(document: Document) -> Graph:
    return _Drawing(document).graph()


class _Drawing:
    def __init__(self, document: Document) -> None:
        self.document = document
        self.round = document.round
        self.ids = {step.key: f"step {number}" for number, step in enumerate(self.round.steps, 1)}
        self.edges: list[Edge] = []

    def graph(self) -> Graph:
        nodes = [Node("input", "input", "input")]
        before = "input"
        if (first := self.document.bootstrap) is not None:
            nodes.append(Node(BOOTSTRAP, first.key, "agent", first.role, line=first.line))
            self.edges.append(Edge("input", BOOTSTRAP))
            before = BOOTSTRAP
        self.edges.append(Edge(before, self.ids[self.round.first]))
        for step in self.round.steps:
            nodes.append(Node(self.ids[step.key], step.key, "agent", step.role, _GROUP, step.line))
            self.ways(step)
        nodes.append(Node("output", "output", "output"))
        return Graph(tuple(nodes), tuple(self.edges), (Group(_GROUP, "round"),))

    def ways(self, step: Step) -> None:
        """Where each transition leads, and where the step leads if none fires."""
        for transition in (*step.transitions, *step.exits):
            self.transition(step, transition)
        fires = any(told(one.condition) == "" for one in (*step.transitions, *step.exits))
        following = self.round.after(step)
        if following is not None and not fires:
            self.edge(step.key, following, "")
        elif following is None:
            self.end(step, fires=fires)

    def transition(self, step: Step, transition: Transition) -> None:
        condition = told(transition.condition)
        if transition.outcome is not None:
            label = f"{transition.outcome}: {condition}" if condition else transition.outcome
            self.edges.append(Edge(self.ids[step.key], "output", "next", label))
        elif transition.next_step is not None:
            self.edge(step.key, transition.next_step, condition)

    def edge(self, source: str, target: str, label: str) -> None:
        order = list(self.ids)
        kind: EdgeKind = "back" if order.index(target) <= order.index(source) else "next"
        self.edges.append(Edge(self.ids[source], self.ids[target], kind, label))

    def end(self, step: Step, *, fires: bool) -> None:
        """The last of a round: the next round, and after all of them the default outcome."""
        if fires:
            return
        most = self.round.max_rounds or MAX_ROUNDS
        first = self.ids[self.round.first]
        if most > 1:
            self.edges.append(Edge(self.ids[step.key], first, "back", "next round", most))
        self.edges.append(Edge(self.ids[step.key], "output", "next", self.round.default.outcome))
