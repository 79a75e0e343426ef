"""Ties: edges that fit into no shape, drawn as a number at both ends.

All that leads to one node carries the number of that node: `◀ (1)` stands where the ways arrive, `▶ (1)`
where each of them leaves, with what is said on it.
"""

from __future__ import annotations

from collections.abc import Sequence

from quintet.drawing import words
from quintet.workflow import Edge


class Ties:
    """What is to be written at the nodes that are tied."""

    def __init__(self, edges: Sequence[Edge]) -> None:
        targets = dict.fromkeys(edge.target for edge in edges)
        self._numbers = {target: number for number, target in enumerate(targets, 1)}
        self._leaving: dict[str, list[Edge]] = {}
        for edge in edges:
            self._leaving.setdefault(edge.source, []).append(edge)

    def at(self, node: str) -> list[str]:
        """What stands beside a node."""
        texts = [f"◀ ({self._numbers[node]})"] if node in self._numbers else []
        return texts + [self._leaves(edge) for edge in self._leaving.get(node, ())]

    def _leaves(self, edge: Edge) -> str:
        label = words.label(edge)
        return f"▶ ({self._numbers[edge.target]})" + (f" {label}" if label else "")
