"""Outline: a run as people tell it, what has been done, what is under way and what is still to come.

The steps of a run come as a flat list in the order in which they ended.  Here they become a tree by their
paths; iterations of a loop, rounds, and items of a `for_each` come together under one name; and what the
graph knows beyond that is put where it will happen.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any, cast

from quintet.display.expected import UNMET, expected
from quintet.display.items import Item, Shape, state_of
from quintet.display.knots import Knot, knotted
from quintet.display.signs import State
from quintet.record import Run
from quintet.workflow import Graph

_ITERATION = re.compile(r"(?P<base>.+) \(iter \d+\)( #\d+)?", re.DOTALL)
_ROUND = re.compile(r"(?P<base>round) \d+( #\d+)?")
_ITEM = re.compile(r"(?P<base>.+)\[\d+\]( #\d+)?", re.DOTALL)


def outline(run: Run, graph: Graph | None = None) -> tuple[Item, ...]:
    """All that is to be told of a run, from top to bottom."""
    told = _Teller(run).children(knotted(run))
    return expected(run, told, graph) if graph is not None else told


def folded_name(name: str) -> tuple[Shape, str] | None:
    """What a name is one of several of: `refine (iter 2)` is of the loop `refine`."""
    if found := _ITERATION.fullmatch(name) or _ROUND.fullmatch(name):
        return "loop", found["base"]
    if found := _ITEM.fullmatch(name):
        return "each", found["base"]
    return None


@dataclass(frozen=True, slots=True)
class _Teller:
    run: Run

    def children(self, knot: Knot) -> tuple[Item, ...]:
        ordered = sorted(knot.children.values(), key=lambda child: child.began)
        return tuple(self._folded(ordered))

    def _folded(self, knots: Sequence[Knot]) -> Iterable[Item]:
        """Items in order, with those that belong together as one at the place of the first."""
        named = {group[1] for knot in knots if (group := folded_name(knot.name))}
        several: dict[tuple[Shape, str], list[Knot]] = {}
        for knot in knots:
            if group := folded_name(knot.name):
                several.setdefault(group, []).append(knot)
        known = {knot.name: knot for knot in knots if knot.items is not None or knot.failed is not None}
        for group, members in groupby(knots, key=lambda knot: folded_name(knot.name)):
            if group is None:
                yield from (self.item(knot) for knot in members if not (knot.name in named and knot.bare))
            elif group in several:
                yield self._several(*group, several.pop(group), known.get(group[1]))

    def _several(self, shape: Shape, base: str, knots: Sequence[Knot], known: Knot | None) -> Item:
        items = [_called(self.item(knot), base) for knot in knots]
        group = _around(base, shape, items)
        if shape != "each" or known is None:
            return group
        return replace(group, limit=known.items, state="failed" if known.failed else group.state)

    def item(self, knot: Knot) -> Item:
        children = self.children(knot)
        if knot.step is not None:
            item = self._turn(knot, children)
        elif children:
            item = _around(knot.name, "scope", children)
        else:
            item = Item(knot.name, "node", "failed" if knot.failed else "completed", path=knot.name)
        if knot.questions:
            item = replace(item, state="asking", questions=tuple(knot.questions))
        return _skipped(item, knot) if knot.skipped is not None else item

    def _turn(self, knot: Knot, children: Sequence[Item]) -> Item:
        step = knot.step
        assert step is not None
        item = Item(
            knot.name,
            "turn" if step.kind == "agent" else "tool",
            self._state(step.status),
            agent=step.agent or "",
            began=step.began,
            ended=step.ended,
            input_tokens=step.input_tokens,
            output_tokens=step.output_tokens,
            attempts=step.attempts,
            verdict=knot.verdict,
            error=step.error.message if step.error else "",
            where=step.where,
            path=step.path,
            children=children,
        )
        return _tried(item, knot, self.run.status) if knot.retrying is not None else item

    def _state(self, status: State) -> State:
        """A step that had begun when its run stopped is not at work any more."""
        if status != "running" or self.run.status in {"running", "created"}:
            return status
        return "asking" if self.run.status == "paused" else "stopped"


def _called(item: Item, base: str) -> Item:
    """One of several, without the name that is said of all of them: `[12]`, `iter 2`."""
    rest = item.name.removeprefix(base).strip()
    if base == "round":
        return item
    return replace(item, name=rest[1:].replace(")", "", 1) if rest.startswith("(") else rest)


def _around(name: str, shape: Shape, children: Sequence[Item]) -> Item:
    """What holds others: as long as they, and as they are."""
    state = state_of(children, shape)
    began = [child.began for child in children if child.began is not None]
    ended = [child.ended for child in children if child.ended is not None]
    item = Item(name, shape, state, began=min(began, default=None), children=tuple(children))
    return replace(
        item,
        ended=max(ended, default=None) if item.over else None,
        agent=_only({child.agent for child in children if child.shape == "turn"}),
        input_tokens=sum(child.input_tokens for child in children),
        output_tokens=sum(child.output_tokens for child in children),
    )


def _only(agents: set[str]) -> str:
    return agents.pop() if len(agents) == 1 else ""


def _skipped(item: Item, knot: Knot) -> Item:
    assert knot.skipped is not None
    why = str(_data(knot.skipped.data).get("why", ""))
    why = UNMET if why == "condition" else why
    return replace(item, state="skipped", note=why, error="")


def _tried(item: Item, knot: Knot, status: str) -> Item:
    """A step that is tried again, or waits to be."""
    assert knot.retrying is not None
    fact, data = knot.retrying, _data(knot.retrying.data)
    most, wait, before = data.get("of"), data.get("wait"), data.get("attempt")
    item = replace(item, most_attempts=most if isinstance(most, int) else None)
    waits = status == "running" and item.state == "failed" and before == item.attempts
    if not waits:
        return item
    again = fact.time + float(wait) if isinstance(wait, int | float) else None
    return replace(item, state="retrying", again_at=again, ended=None)


def _data(data: object) -> Mapping[str, Any]:
    return cast("Mapping[str, Any]", data) if isinstance(data, Mapping) else {}
