"""Shaping: a graph becomes an outline, group by group, from the innermost out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from quintet.drawing.loops import looped
from quintet.drawing.order import closing, topological
from quintet.drawing.outline import Chain, Fork, Frame, Leaf, Link, Outline, Shape
from quintet.drawing.reduction import DEEPEST, END, START, Reduction, Strand, Tangled
from quintet.workflow import Edge, Graph, Group


def outlined(graph: Graph) -> Outline:
    """The outline of any graph: with its shape where it has one, else a list tied by numbers."""
    try:
        return _Shaping(graph).outline()
    except Tangled:
        return listed(graph)


def listed(graph: Graph) -> Outline:
    """The nodes one after another, and every edge that is not between neighbours as a tie."""
    if not graph.nodes:
        return Outline(None)
    forward, _ = _directed(graph)
    order = topological([node.id for node in graph.nodes], [(e.source, e.target) for e in forward])
    by_id = {node.id: node for node in graph.nodes}
    neighbours = {
        (edge.source, edge.target): edge for edge in forward if not edge.label and edge.kind == "next"
    }
    links = [Link() if pair in neighbours else None for pair in pairwise(order)]
    drawn = {id(neighbours[pair]) for pair in pairwise(order) if pair in neighbours}
    ties = tuple(edge for edge in graph.edges if id(edge) not in drawn)
    return Outline(Chain(tuple(Leaf(by_id[one]) for one in order), tuple(links)), ties)


def _directed(graph: Graph) -> tuple[list[Edge], list[Edge]]:
    """The edges that lead on, and those that lead back."""
    following: dict[str, list[str]] = {}
    for edge in graph.edges:
        if edge.kind != "back":
            following.setdefault(edge.source, []).append(edge.target)
    circles = closing([node.id for node in graph.nodes], following)
    back = [edge for edge in graph.edges if edge.kind == "back" or (edge.source, edge.target) in circles]
    apart = {id(edge) for edge in back}
    return [edge for edge in graph.edges if id(edge) not in apart], back


@dataclass(frozen=True, slots=True)
class _Level:
    """What belongs together, as one shape."""

    shape: Shape
    depth: int
    nodes: set[str]


class _Shaping:
    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._forward, self._back = _directed(graph)
        self._groups = {group.id: group for group in graph.groups}
        self._ties: list[Edge] = []

    def outline(self) -> Outline:
        if not self._graph.nodes:
            return Outline(None)
        shape, left = looped(self._level(None).shape, self._back)
        return Outline(_ending(shape), (*left, *self._ties))

    def _level(self, group: str | None) -> _Level:
        """What belongs to a group, or to none, as one shape."""
        things: list[_Level] = []
        place: dict[str, int] = {}
        for node in self._graph.nodes:
            inner = None if node.id in place else self._child(node.group, group)
            if inner is None:
                continue
            thing = self._framed(inner) if inner else _Level(Leaf(node), 0, {node.id})
            place |= dict.fromkeys(thing.nodes, len(things))
            things.append(thing)
        strands = self._strands(place, len(things))
        reduction = Reduction([one.shape for one in things], [one.depth for one in things], strands)
        shape = reduction.shape()
        self._ties += reduction.untied
        return _Level(shape, reduction.depth, set(place))

    def _framed(self, group: str) -> _Level:
        inner = self._level(group)
        return _Level(Frame(self._groups[group], _ending(inner.shape)), inner.depth + 1, inner.nodes)

    def _child(self, inner: str | None, outer: str | None) -> str | None:
        """The frame directly within `outer` around what is in the group `inner`.

        `""` where there is none between them, None where `inner` is elsewhere.
        """
        frames = self._frames(inner)
        if outer is None:
            return frames[-1] if frames else ""
        if outer not in frames:
            return None
        at = frames.index(outer)
        return frames[at - 1] if at else ""

    def _frames(self, group: str | None) -> list[str]:
        """The frames around a node of a group, from the inside out."""
        found: list[str] = []
        while group in self._groups and len(found) <= len(self._groups):
            if _has_frame(self._groups[group]):
                found.append(group)
            group = self._groups[group].group
        if len(found) > DEEPEST:
            raise Tangled
        return found

    def _strands(self, place: dict[str, int], count: int) -> list[Strand]:
        """The edges between the things of a level, and those that lead in and out."""
        tied = {id(edge) for edge in self._ties}
        edges = [edge for edge in self._forward if id(edge) not in tied]
        inner = self._without_circles(
            [
                Strand(place[edge.source], place[edge.target], edge)
                for edge in edges
                if edge.source in place and edge.target in place and place[edge.source] != place[edge.target]
            ],
            count,
        )
        entered = {place[e.target] for e in edges if e.target in place and e.source not in place}
        leaving = [e for e in edges if e.source in place and e.target not in place]
        left = {place[edge.source] for edge in leaving}
        has_before, has_after = {one.target for one in inner}, {one.source for one in inner}
        entered |= {one for one in range(count) if one not in has_before}
        if len(left) > 1:  # which of them leaves how is told here, since from outside they are one
            out = [Strand(place[edge.source], END, edge) for edge in leaving]
        else:
            ends = left or _ends(inner, [one for one in range(count) if one not in has_after])
            out = [Strand(one, END) for one in sorted(ends)]
        return [*(Strand(START, one) for one in sorted(entered)), *inner, *out]

    def _without_circles(self, strands: Sequence[Strand], count: int) -> list[Strand]:
        """Groups can close a circle that their nodes do not: such an edge is drawn as a tie."""
        following: dict[int, list[int]] = {}
        for strand in strands:
            following.setdefault(strand.source, []).append(strand.target)
        circles = closing(range(count), following)
        self._ties += [s.edge for s in strands if (s.source, s.target) in circles and s.edge is not None]
        return [strand for strand in strands if (strand.source, strand.target) not in circles]


def _ending(shape: Shape) -> Shape:
    """Ways that come together where nothing follows only end."""
    match shape:
        case Chain(parts):
            return replace(shape, parts=(*parts[:-1], _ending(parts[-1])))
        case Fork(branches) if all(
            one.body and one.leave in {Link(), Link(passes=False)} for one in branches
        ):
            return Fork(tuple(replace(branch, leave=None) for branch in branches))
        case _:
            return shape


def _has_frame(group: Group) -> bool:
    """A fork shows by itself what runs at the same time."""
    return group.kind != "parallel" or bool(group.label)


def _ends(strands: Sequence[Strand], ends: Sequence[int]) -> set[int]:
    """What the whole ends with: the last thing that leads nowhere, and those beside it."""
    last = max(ends)
    before: dict[int, set[int]] = {}
    for strand in strands:
        before.setdefault(strand.target, set()).add(strand.source)
    return {one for one in ends if before.get(one) == before.get(last)}
