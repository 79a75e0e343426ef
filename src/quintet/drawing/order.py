"""Order: which edges lead on and which lead back, and what comes after what.

A format says which of its edges are ways back.  An edge that closes a circle without being called so is one,
too: whatever is drawn from top to bottom must have a top.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from heapq import heapify, heappop, heappush
from typing import TypeVar

N = TypeVar("N", bound=Hashable)


def closing(nodes: Sequence[N], following: Mapping[N, Sequence[N]]) -> set[tuple[N, N]]:
    """The edges that close a circle, for somebody who walks from the first node on."""
    found: set[tuple[N, N]] = set()
    done: set[N] = set()
    for start in nodes:
        if start not in done:
            found.update(_closing_from(start, following, done))
    return found


def _closing_from(start: N, following: Mapping[N, Sequence[N]], done: set[N]) -> Iterator[tuple[N, N]]:
    under_way = {start}
    path = [(start, iter(following.get(start, ())))]
    while path:
        node, rest = path[-1]
        target = next(rest, None)
        if target is None:
            path.pop()
            under_way.discard(node)
            done.add(node)
        elif target in under_way:
            yield node, target
        elif target not in done:
            under_way.add(target)
            path.append((target, iter(following.get(target, ()))))


def topological(nodes: Sequence[N], edges: Iterable[tuple[N, N]]) -> list[N]:
    """The nodes, each after all that lead to it, and otherwise in the order given.  There is no circle."""
    place = {node: number for number, node in enumerate(nodes)}
    following: dict[N, list[N]] = {node: [] for node in nodes}
    waits_for = dict.fromkeys(nodes, 0)
    for source, target in edges:
        following[source].append(target)
        waits_for[target] += 1
    ready = [place[node] for node in nodes if not waits_for[node]]
    heapify(ready)
    ordered: list[N] = []
    while ready:
        node = nodes[heappop(ready)]
        ordered.append(node)
        for target in following[node]:
            waits_for[target] -= 1
            if not waits_for[target]:
                heappush(ready, place[target])
    return ordered
