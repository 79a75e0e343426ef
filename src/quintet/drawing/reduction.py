"""Reduction: finds the chains and forks of a graph by joining what plainly belongs together.

Two things that only lead to each other become a chain; things between the same neighbours become a fork; an
edge past a thing is the way of a fork that goes straight on; a thing that leads nowhere is a way that ends.
Each rule leaves less than it found, and what every rule has been tried on is looked at again only when its
neighbours change, so a graph of thousands is done in a moment.

Where no rule fits, one edge is untied, and drawn as a number at both ends: the graph without it is simpler.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from quintet.drawing import words
from quintet.drawing.outline import Branch, Fork, Link, Shape, chained
from quintet.workflow import Edge

START, END = -1, -2
_MANY = 64
"""A thing with more neighbours is compared to others only when nothing else is left to do."""
_UNTIED = 100
DEEPEST = 60


class Tangled(Exception):
    """The graph has no shape that people would recognise."""


@dataclass(frozen=True, slots=True)
class Strand:
    """An edge between two things; `edge` is None where it only leads in from outside or out."""

    source: int
    target: int
    edge: Edge | None = None


class Reduction:
    """A graph of things, becoming one."""

    def __init__(self, things: Sequence[Shape], depths: Sequence[int], strands: Iterable[Strand]) -> None:
        self.things = dict(enumerate(things))
        self.untied: list[Edge] = []
        self._depth = dict(enumerate(depths))
        self._rank = {thing: thing for thing in self.things}
        self._next = len(things)
        self._after: dict[int, dict[int, list[Edge]]] = {key: {} for key in (START, END, *self.things)}
        self._before: dict[int, dict[int, list[Edge]]] = {key: {} for key in (START, END, *self.things)}
        for strand in strands:
            edges = [] if strand.edge is None else [strand.edge]
            self._tie(strand.source, strand.target, edges)

    @property
    def depth(self) -> int:
        """How deep forks and frames lie within each other."""
        return max(self._depth.values())

    def shape(self) -> Shape:
        """All of it as one shape.  Raises Tangled where too many edges would have to be untied."""
        todo = list(reversed(self.things))
        while todo or (todo := self._stuck()):
            while todo:
                thing = todo.pop()
                if thing in self.things:
                    todo += self._simplified(thing)
        return next(iter(self.things.values()))

    def _simplified(self, thing: int, many: int = _MANY) -> list[int]:
        """Tries every rule on a thing; gives what is to be looked at again."""
        return (
            self._in_a_row(thing)
            or self._beside_each_other(thing, many)
            or self._past(thing)
            or self._dead_end(thing)
        )

    # --- the rules ------------------------------------------------------------------------------------

    def _in_a_row(self, thing: int) -> list[int]:
        source = _only(self._before[thing])
        if source is None or source == START or _only(self._after[source]) != thing:
            return []
        link = _link(self._after[source][thing])
        shape = chained(self.things[source], link, self.things[thing])
        depth = max(self._depth[source], self._depth[thing])
        before, after = self._before[source], self._after[thing]
        return self._replaced((source, thing), shape, depth, before, after)

    def _beside_each_other(self, thing: int, many: int) -> list[int]:
        before, after = self._before[thing], self._after[thing]
        if not before or len(before) + len(after) > many:
            return []
        neighbour = min(before, key=lambda one: len(self._after[one]))
        alike = [
            one
            for one in self._after[neighbour]
            if one in self.things and self._same(one, thing) and self._plain(one)
        ]
        if len(alike) < 2 or thing not in alike:
            return []
        alike.sort(key=self._rank.__getitem__)
        branches = [branch for one in alike for branch in self._branches(one)]
        return self._forked(alike, branches, dict.fromkeys(before), dict.fromkeys(after))

    def _past(self, thing: int) -> list[int]:
        source, target = _only(self._before[thing]), _only(self._after[thing])
        if source is None or target is None or target not in self._after[source]:
            return []
        straight = Branch(None, _link(self._after[source][target]), Link())
        self._cut(source, target)
        return self._forked([thing], [*self._branches(thing), straight], {source: None}, {target: None})

    def _dead_end(self, thing: int) -> list[int]:
        source = _only(self._before[thing])
        if source is None or self._after[thing]:
            return []
        if source == START:  # nothing else leads there: it stands beside the rest
            self._tie(thing, END, [])
            return [thing]
        if len(self._after[source]) != 2:
            return []
        target = next(one for one in self._after[source] if one != thing)
        if not self._after[target] and target != END:
            return []  # both end: they are ways of one fork
        straight = Branch(None, _link(self._after[source][target]), Link())
        self._cut(source, target)
        return self._forked([thing], [*self._branches(thing), straight], {source: None}, {target: None})

    def _stuck(self) -> list[int]:
        """What to go on with when no rule fits: things of many neighbours, then an edge less."""
        if len(self.things) < 2:
            return []
        for thing in self.things:
            if len(self._before[thing]) + len(self._after[thing]) > _MANY:
                again = self._beside_each_other(thing, many=2 * len(self.things) + 4)
                if again:
                    return again
        return self._less()

    def _less(self) -> list[int]:
        source, target = self._most_tangled()
        if len(self.untied) > _UNTIED:
            raise Tangled
        self.untied += self._after[source][target]
        self._cut(source, target)
        near = (source, target, *self._after[source], *self._before[target])
        return [thing for thing in near if thing in self.things]

    def _most_tangled(self) -> tuple[int, int]:
        """An edge whose ends both have others; of those the first in the file."""
        pairs = [(one, two) for one, after in self._after.items() for two in after if one != START]
        joined = [(one, two) for one, two in pairs if len(self._before[two]) > 1]
        tangled = [(one, two) for one, two in joined if len(self._after[one]) > 1]
        tangled = tangled or [(one, two) for one, two in joined if two != END]
        if not tangled:
            raise Tangled
        last = len(self._before)
        return min(tangled, key=lambda pair: (self._rank.get(pair[1], last), self._rank[pair[0]]))

    # --- what the rules do ----------------------------------------------------------------------------

    def _branches(self, thing: int) -> tuple[Branch, ...]:
        """The ways that a thing is in a fork; a fork within a fork is only more ways."""
        enter, leave = _one_link(self._before[thing]), _one_link(self._after[thing])
        shape = self.things[thing]
        if isinstance(shape, Fork) and not enter.label and not leave.label:
            return tuple(replace(one, leave=self._left(thing, one.leave)) for one in shape.branches)
        return (Branch(shape, enter, leave if self._after[thing] else None),)

    def _left(self, thing: int, leave: Link | None) -> Link | None:
        """How a way leaves a fork that is itself a way of one."""
        if leave is None or not self._after[thing]:
            return None
        return Link(leave.label, leave.passes and _one_link(self._after[thing]).passes)

    def _forked(
        self,
        things: Sequence[int],
        branches: Sequence[Branch],
        before: dict[int, None],
        after: dict[int, None],
    ) -> list[int]:
        ordered = sorted(branches, key=lambda branch: branch.body is None)
        depth = 1 + max(self._depth[one] for one in things)
        nothing: dict[int, list[Edge]] = {one: [] for one in before}
        return self._replaced(things, Fork(tuple(ordered)), depth, nothing, {one: [] for one in after})

    def _replaced(
        self,
        things: Sequence[int],
        shape: Shape,
        depth: int,
        before: dict[int, list[Edge]],
        after: dict[int, list[Edge]],
    ) -> list[int]:
        """Puts a shape in the place of things; gives it and its neighbours."""
        if depth > DEEPEST:
            raise Tangled
        new = self._next = self._next + 1
        before, after = dict(before), dict(after)
        self._rank[new] = min(self._rank[thing] for thing in things)
        for thing in things:
            self._drop(thing)
        self.things[new], self._depth[new] = shape, depth
        self._before[new], self._after[new] = {}, {}
        for source, edges in before.items():
            self._tie(source, new, edges)
        for target, edges in after.items():
            self._tie(new, target, edges)
        return [one for one in (*before, *after, new) if one in self.things]

    def _tie(self, source: int, target: int, edges: Sequence[Edge]) -> None:
        self._after[source].setdefault(target, []).extend(edges)
        self._before[target][source] = self._after[source][target]

    def _cut(self, source: int, target: int) -> None:
        del self._after[source][target]
        del self._before[target][source]

    def _drop(self, thing: int) -> None:
        for source in list(self._before[thing]):
            self._cut(source, thing)
        for target in list(self._after[thing]):
            self._cut(thing, target)
        del self.things[thing], self._depth[thing], self._rank[thing]
        del self._before[thing], self._after[thing]

    def _same(self, one: int, other: int) -> bool:
        """Whether two things have the same neighbours."""
        return (
            self._before[one].keys() == self._before[other].keys()
            and self._after[one].keys() == self._after[other].keys()
        )

    def _plain(self, thing: int) -> bool:
        """Whether all edges on each side of a thing say the same, so that one branch can say it."""
        return all(
            len({_link(edges).label for edges in side.values()}) <= 1
            for side in (self._before[thing], self._after[thing])
        )


def _only(side: dict[int, list[Edge]]) -> int | None:
    return next(iter(side)) if len(side) == 1 else None


def _one_link(side: dict[int, list[Edge]]) -> Link:
    return _link([edge for edges in side.values() for edge in edges])


def _link(edges: Sequence[Edge]) -> Link:
    """What several edges between the same two things say together."""
    labels = dict.fromkeys(label for edge in edges if (label := words.label(edge)))
    passes = not edges or any(edge.kind != "after" for edge in edges)
    return Link(", ".join(labels), passes)
