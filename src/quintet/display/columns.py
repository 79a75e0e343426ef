"""Columns: where names, agents and times stand, so that the eye can go down them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from quintet.display import amounts
from quintet.display.items import Item
from quintet.display.lines import Line
from quintet.display.rows import Role, Row, cut, padded, shown
from quintet.display.signs import sign
from quintet.drawing.cells import width as cells

_NARROW = 60
"""Where there is less, nothing is said of agents."""


@dataclass(frozen=True, slots=True)
class Columns:
    """How wide each is."""

    name: int
    agent: int
    time: int
    first: Line | None = None
    """The first that says how many tokens: the unit is given there."""

    def start(self, line: Line, now: float) -> Row:
        """A line up to its details: sign, name, agent, time."""
        item, room = line.item, max(self.name - 2 * line.depth, 1)
        role: Role = "quiet" if item.state in {"coming", "skipped"} else "name" if item.at_work else ""
        agent: Row = (("agent", padded(agent_of(line), self.agent)), ("", "  ")) if self.agent else ()
        return (
            ("", "  " * line.depth),
            sign(item.state),
            ("", " "),
            (role, padded(name_of(item, room), room)),
            ("", "  "),
            *agent,
            ("quiet", time_of(item, now).rjust(self.time)),
            ("", "  " if self.time else ""),
        )


def columns_of(told: Sequence[Line], width: int, now: float) -> Columns:
    """What is needed, within what there is."""
    name = _widest(name_of(line.item) + "  " * line.depth for line in told)
    agent = _widest(agent_of(line) for line in told) if width >= _NARROW else 0
    time = _widest(time_of(line.item, now) for line in told)
    first = next((line for line in told if line.item.over and line.item.output_tokens), None)
    if width < _NARROW:
        return Columns(min(name, width - time - 8), 0, time, first)
    return Columns(min(name, int(width * 0.36)), min(agent, int(width * 0.18)), time, first)


def name_of(item: Item, room: int | None = None) -> str:
    """What it is called, and how often it came: `refine ×3`."""
    name = shown(item.name)
    count = f" ×{len(item.children):,}" if item.shape == "loop" else ""
    return (name if room is None else cut(name, max(room - cells(count), 1))) + count


def agent_of(line: Line) -> str:
    """Who does it, unless it is called so anyway."""
    agent = shown(line.voice.agent)
    return "" if agent == line.item.name or line.item.shape == "tool" else agent


def time_of(item: Item, now: float) -> str:
    elapsed = item.elapsed(now)
    return "" if elapsed is None else amounts.duration(elapsed)


def _widest(texts: Iterable[str]) -> int:
    return max(map(cells, texts), default=0)
