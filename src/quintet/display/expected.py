"""Expected: what the graph of a workflow adds to the outline of a run, the steps that are still to come.

Steps are found in the graph by their names.  What has not begun is shown where the file has it, unless the
run has gone past it; what takes no turn (collecting, say) is done when something after it has begun.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from quintet.display.items import Item
from quintet.drawing import words
from quintet.record import Run
from quintet.workflow import Edge, Graph, Node

UNMET = "its condition does not hold"
"""Why a step is skipped, until the graph says which condition that is."""
_SHOWN = {"agent", "collect", "approval", "tool", "workflow"}
_SILENT = {"collect", "approval"}
"""What leaves no step behind."""


def expected(run: Run, told: Sequence[Item], graph: Graph) -> tuple[Item, ...]:
    """The outline with what is to come."""
    return tuple(_Expecting(run, graph, _by_label(graph, told)).merged(told))


def steps_of(graph: Graph) -> Sequence[Node]:
    """The nodes that are steps, in the order of the file."""
    return [node for node in graph.nodes if node.kind in _SHOWN]


def base(name: str) -> str:
    """A name without the number of its repetition."""
    return name.partition(" #")[0]


def _by_label(graph: Graph, told: Sequence[Item]) -> Mapping[str, str]:
    """Which nodes have begun, by what they are called: those at the top, and those within."""
    begun = {base(item.name) for top in told for item in top.walk()}
    return {node.label: node.id for node in reversed(steps_of(graph)) if node.label in begun}


@dataclass(frozen=True, slots=True)
class _Expecting:
    run: Run
    graph: Graph
    begun: Mapping[str, str]

    def merged(self, told: Sequence[Item]) -> Iterable[Item]:
        """Items at the place of their nodes, others behind what began before them."""
        followers: dict[str, list[Item]] = {}
        at = ""
        for item in told:
            at = self.begun.get(base(item.name), at)
            followers.setdefault(at, []).append(item)
        yield from followers.get("", ())
        passed = self._passed()
        for node in steps_of(self.graph):
            if node.id in followers:
                yield from (self._informed(item) for item in followers[node.id])
            elif self.begun.get(node.label) is None:
                yield from self._unbegun(node, passed)

    def _unbegun(self, node: Node, passed: set[str]) -> Iterable[Item]:
        over = node.id in passed or self.run.status == "completed"
        if over and node.kind not in _SILENT:
            return  # another way was taken
        who = words.agent(node) if node.agent else "" if node.kind == "agent" else node.kind
        item = Item(node.label, "node", "completed" if over else "coming", agent=who)
        yield item if over else replace(item, note=self._when(node))

    def _informed(self, item: Item) -> Item:
        """An item with what its node says of it."""
        node = self.begun.get(base(item.name))
        if node is None:
            return item
        if item.state == "skipped" and item.note == UNMET and (condition := self._condition(node)):
            return replace(item, note=f"{condition} does not hold")
        if item.shape == "loop" and (back := self._back(node)) is not None:
            return replace(item, note=back.label, limit=back.limit)
        return item

    def _when(self, node: Node) -> str:
        """Under which condition a node comes, or how often."""
        condition, back = self._condition(node.id), self._back(node.id)
        said = [f"if {condition}"] if condition else []
        return ", ".join([*said, words.label(back)] if back else said)

    def _back(self, node: str) -> Edge | None:
        """The way round a loop that begins at a node."""
        return next((edge for edge in self.graph.edges if edge.kind == "back" and edge.target == node), None)

    def _condition(self, node: str) -> str:
        """What must hold for this way to be taken."""
        asked = {one.id: one.label for one in self.graph.nodes if one.kind == "condition"}
        for edge in self.graph.edges:
            if edge.target == node and edge.source in asked and edge.label == "yes":
                return asked[edge.source]
        return ""

    def _passed(self) -> set[str]:
        """All that comes before something that has begun."""
        before: dict[str, list[str]] = {}
        for edge in self.graph.edges:
            if edge.kind != "back":
                before.setdefault(edge.target, []).append(edge.source)
        passed: set[str] = set()
        waiting = list(self.begun.values())
        while waiting:
            for source in before.get(waiting.pop(), ()):
                if source not in passed:
                    passed.add(source)
                    waiting.append(source)
        return passed
