"""Loops: puts the ways back of a graph around the shapes that they lead round."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from quintet.drawing.outline import (
    Chain,
    Fork,
    Frame,
    Leaf,
    Loop,
    Shape,
    first_node,
    last_node,
)
from quintet.workflow import Edge


def looped(shape: Shape, backs: Iterable[Edge]) -> tuple[Shape, tuple[Edge, ...]]:
    """The shape with its loops, and the ways back that no loop of it stands for."""
    loops = _Loops(backs)
    shape = loops.around(shape)
    return shape, tuple(loops.left)


class _Loops:
    def __init__(self, backs: Iterable[Edge]) -> None:
        self.left = list(backs)

    def around(self, shape: Shape) -> Shape:
        match shape:
            case Chain():
                return self._along(replace(shape, parts=tuple(map(self.around, shape.parts))))
            case Fork(branches):
                return Fork(
                    tuple(
                        replace(branch, body=None if branch.body is None else self.around(branch.body))
                        for branch in branches
                    )
                )
            case Frame(group, body):
                return Frame(group, self.around(body))
            case Leaf() | Loop():
                return self._self(shape)

    def _self(self, shape: Shape) -> Shape:
        """A shape that leads back to its own beginning."""
        first, last = first_node(shape), last_node(shape)
        for edge in list(self.left):
            if first and last and (edge.target, edge.source) == (first.id, last.id):
                self.left.remove(edge)
                shape = Loop(shape, edge)
        return shape

    def _along(self, chain: Chain) -> Shape:
        """A stretch of a chain that leads back to its beginning; the shortest first, since loops nest."""
        while (found := self._stretch(chain)) is not None:
            start, stop, edge = found
            self.left.remove(edge)
            if (start, stop) == (0, len(chain.parts)):
                inner: Shape = chain
            else:
                inner = Chain(chain.parts[start:stop], chain.links[start : stop - 1])
            if stop - start == 1:
                inner = chain.parts[start]
            chain = Chain(
                (*chain.parts[:start], Loop(inner, edge), *chain.parts[stop:]),
                (*chain.links[:start], *chain.links[stop - 1 :]),
            )
        return chain.parts[0] if len(chain.parts) == 1 else chain

    def _stretch(self, chain: Chain) -> tuple[int, int, Edge] | None:
        if not self.left:
            return None
        starts = {node.id: n for n, part in enumerate(chain.parts) if (node := first_node(part))}
        stops = {node.id: n + 1 for n, part in enumerate(chain.parts) if (node := last_node(part))}
        found = [
            (starts[edge.target], stops[edge.source], edge)
            for edge in self.left
            if edge.target in starts and edge.source in stops
        ]
        forward = [one for one in found if one[0] < one[1]]
        return min(forward, key=lambda one: one[1] - one[0], default=None)
