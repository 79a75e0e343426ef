"""Lines: which items of an outline have a line of their own, and which stay where there is little room.

What is under way always stays, as long as there is any room at all; what is over is summed up from the oldest
on, and what is still to come from the last.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from quintet.display.items import Item
from quintet.display.rows import Row, Stretch
from quintet.display.signs import State, sign

_MOST_FAILED = 3


@dataclass(frozen=True, slots=True)
class Line:
    """An item at its depth."""

    item: Item
    depth: int = 0

    @property
    def voice(self) -> Item:
        """Who is talking here: of a loop over turns the latest of them."""
        latest = self.item.latest
        return latest if self.item.shape == "loop" and latest.shape == "turn" else self.item


Summed = tuple[State, int]
"""How many of one state are left out."""


def lines(items: Iterable[Item], *, brief: bool = False, depth: int = 0) -> Iterator[Line]:
    """A line for each item; where it is to be brief, none for what belongs to something that is over."""
    for item in items:
        yield Line(item, depth)
        yield from lines(_within(item, brief), brief=brief, depth=depth + 1)


def _within(item: Item, brief: bool) -> Sequence[Item]:
    failed = [child for child in item.children if child.state == "failed"][:_MOST_FAILED]
    match item.shape:
        case "loop" if item.over and item.latest.shape == "turn":
            return ()
        case "loop" if item.over and not brief and not failed:
            return item.children
        case "loop":
            return failed[-1:] if item.over else item.latest.children
        case "each":
            shown = [child for child in item.children if not child.over]
            return [*failed, *shown] if item.state == "failed" else shown
        case _ if item.over and brief:
            return failed if item.state == "failed" else ()
        case _:
            return item.children


def every(items: Iterable[Item], depth: int = 0) -> Iterator[Line]:
    """A line for each item, whatever has become of it."""
    for item in items:
        yield Line(item, depth)
        yield from every(item.children, depth + 1)


def chosen(all_lines: Sequence[Line], cost: Callable[[Line], int], room: int) -> Sequence[Line | Summed]:
    """The lines that fit, and in place of those that do not, how many they are."""
    if sum(map(cost, all_lines)) <= room:
        return all_lines
    order = sorted(range(len(all_lines)), key=lambda number: _matters(all_lines[number].item, number))
    told: Sequence[Line | Summed] = ()
    for sums in range(1, 5):  # lines that sum up need room, too
        told = list(_with_sums(all_lines, _kept(all_lines, order, cost, room - sums)))
        if sum(not isinstance(one, Line) for one in told) <= sums:
            break
    return told


def _kept(
    all_lines: Sequence[Line], order: Sequence[int], cost: Callable[[Line], int], room: int
) -> set[int]:
    """What fits of what matters most."""
    kept: set[int] = set()
    for number in order:
        room -= cost(all_lines[number])
        if room < 0:
            break
        kept.add(number)
    return kept


def _matters(item: Item, number: int) -> tuple[int, int]:
    """What is under way first, then what went wrong, what comes next, and what was over last."""
    if item.at_work:
        return 0, number
    if item.state in {"failed", "stopped"}:
        return 1, number
    return (2, number) if item.state == "coming" else (3, -number)


def _with_sums(all_lines: Sequence[Line], kept: set[int]) -> Iterator[Line | Summed]:
    left_out = Counter(_heading(line.item) for n, line in enumerate(all_lines) if n not in kept)
    for number, line in enumerate(all_lines):
        state = _heading(line.item)
        if number in kept:
            yield line
        elif count := left_out.pop(state, 0):
            yield state, count


def _heading(item: Item) -> State:
    """What it is counted among when it is left out."""
    if item.at_work:
        return "running"
    return item.state if item.state in {"coming", "failed"} else "completed"


def summed(summed: Summed) -> Row:
    """`… 41 more ✓`."""
    state, count = summed
    mark: Stretch = sign(state)
    return (("quiet", f"… {count:,} more "), mark, ("quiet", _WORDS[state]))


_WORDS: dict[State, str] = {
    "coming": " to come",
    "running": " under way",
    "failed": " failed",
    "completed": "",
}
