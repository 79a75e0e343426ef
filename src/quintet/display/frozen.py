"""Frozen: what happened in a run, with times as bars, so that the slow step is seen and not read.

✓ research          researcher  ▇▇▇▇▇▇                 3.1 s
✓ creative-ideas    writer            ▇▇▇▇▇▇▇▇         4.0 s
✓ technical-ideas   architect         ▇▇▇▇▇▇▇▇▇▇▇▇     9.8 s
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from quintet.display.bars import Scale, scale_of
from quintet.display.columns import agent_of, name_of, time_of
from quintet.display.details import Teller, teller_of
from quintet.display.header import reason, title
from quintet.display.items import Item
from quintet.display.lines import Line
from quintet.display.outline import outline
from quintet.display.rows import NARROWEST, Role, Row, fitted, padded, paragraph, shown
from quintet.display.signs import sign
from quintet.drawing.cells import width as cells
from quintet.engine.values import Json
from quintet.record import Run
from quintet.workflow import Graph

MOST_ITEMS = 20
"""Of more items of a `for_each`, only those are listed that went wrong or are under way."""
_NARROW = 64
_SHORTEST = 6


def frozen(run: Run, graph: Graph | None, columns: int, *, now: float, store: str = "") -> list[Row]:
    """What `quintet show` prints of a run: its title, its output, its steps, and why it failed.

    Args:
        run: What its log says.
        graph: What was still to come, where it is known.
        columns: How wide the screen is.
        now: Seconds since 1970.
        store: What `--store` must be told in commands.
    """
    columns = max(columns, NARROWEST)
    told = list(_lines(outline(run, graph)))
    picture = _Picture(run, columns, now, _layout(told, columns, now), _scale(told, now))
    teller = teller_of(run, now, store)
    rows = [*title(run, columns, now=now), *_came_of(run, columns), ()]
    for line in told:
        rows += picture.line(line, teller)
    return [*rows, *picture.reason(told)]


def _came_of(run: Run, columns: int) -> list[Row]:
    """Why it ended so, or else what it gave."""
    if said := reason(run):
        return paragraph(f'"{said}"', columns, 3, "quiet", "  ")
    return _output(run.output, columns)


def _output(output: Json, columns: int) -> list[Row]:
    """The beginning of what came of it."""
    if output is None or output == "":
        return []
    text = output if isinstance(output, str) else json.dumps(output, ensure_ascii=False)
    return paragraph(text, columns, 3, "quiet", "  ")


def _lines(items: Sequence[Item], depth: int = 0) -> Iterator[Line]:
    """Every item: loops are unfolded here, and many items that are all well are not."""
    for item in items:
        yield Line(item, depth)
        children = item.children
        if item.shape == "each" and len(children) > MOST_ITEMS:
            children = [child for child in children if child.state not in {"completed", "skipped"}]
        yield from _lines(children, depth + 1)


def _scale(told: Sequence[Line], now: float) -> Scale:
    return scale_of(span for line in told if (span := _span(line.item, now)) is not None)


def _span(item: Item, now: float) -> tuple[float, float] | None:
    elapsed = item.elapsed(now)
    return None if item.began is None or elapsed is None else (item.began, item.began + elapsed)


@dataclass(frozen=True, slots=True)
class _Layout:
    name: int
    agent: int
    verdict: int
    bar: int
    time: int


def _layout(told: Sequence[Line], columns: int, now: float) -> _Layout:
    """Names and agents take what they need within a part of the width; bars take what is left."""
    name = max((2 * line.depth + cells(name_of(line.item)) for line in told), default=0)
    agent = max((cells(agent_of(line)) for line in told), default=0) if columns >= _NARROW else 0
    verdict = max((cells(shown(line.item.verdict)) for line in told), default=0) if agent else 0
    time = max((len(time_of(line.item, now)) for line in told), default=0)
    name, agent = min(name, int(columns * 0.36)), min(agent, int(columns * 0.18))
    verdict = min(verdict, int(columns * 0.14))
    taken = 2 + name + 2 + sum(one + 2 for one in (agent, verdict) if one) + 2 + time
    return _Layout(name, agent, verdict, max(columns - taken, _SHORTEST), time)


@dataclass(frozen=True, slots=True)
class _Picture:
    run: Run
    columns: int
    now: float
    layout: _Layout
    scale: Scale

    def line(self, line: Line, teller: Teller) -> list[Row]:
        item, layout, deep = line.item, self.layout, 2 * line.depth
        agent: Row = (("agent", padded(agent_of(line), layout.agent)), ("", "  ")) if layout.agent else ()
        room = max(layout.name - deep, 1)
        start: Row = (
            ("", " " * deep),
            sign(item.state),
            ("", " "),
            (_role_of_name(item), padded(name_of(item, room), room)),
            ("", "  "),
            *agent,
            *self._verdict(item),
        )
        rows = [self._timed(start, item), *self._said(item, teller, deep)]
        reason = self._words(item)
        below = teller.below(item, item, self.columns - deep, reason)
        return [*rows, *((("", " " * deep), *row) for row in below)]

    def _verdict(self, item: Item) -> Row:
        """What it came to, in a column of its own where any has come to something."""
        width = self.layout.verdict
        return (("name", padded(shown(item.verdict), width)), ("", "  ")) if width else ()

    def _timed(self, start: Row, item: Item) -> Row:
        """A line with its bar; groups show where their parts are, quietly."""
        span = _span(item, self.now)
        if span is None:
            return fitted((*start, ("quiet", shown(_why(item)))), self.columns)
        role: Role = "quiet" if item.children and item.shape != "turn" else sign(item.state)[0]
        bar = padded(self.scale.bar(span, self.layout.bar), self.layout.bar)
        return (*start, (role, bar), ("", "  "), ("", time_of(item, self.now).rjust(self.layout.time)))

    def _said(self, item: Item, teller: Teller, deep: int) -> list[Row]:
        """What is worth a line of its own: all but numbers of tokens."""
        told = teller.beside(replace(item, verdict="") if self.layout.verdict else item)
        told = tuple(part for part in told if "→" not in part[1] and part != ("error", "failed"))
        if _span(item, self.now) is None or not "".join(text for _, text in told).strip():
            return []
        return [fitted((("", " " * (deep + 2)), *told), self.columns)]

    def _words(self, item: Item) -> str:
        error = self.run.error
        return error.message if error is not None and error.step and error.step == item.path else ""

    def reason(self, told: Sequence[Line]) -> list[Row]:
        """Why the run failed, where no line has said it."""
        error = self.run.error
        if error is None or any(self._words(line.item) and line.item.state == "failed" for line in told):
            return []
        return [(), *paragraph(error.message, self.columns, 6, "error")]


def _role_of_name(item: Item) -> Role:
    return "quiet" if item.state in {"coming", "skipped"} else ""


def _why(item: Item) -> str:
    if item.state == "skipped":
        return f"skipped: {item.note}" if item.note else "skipped"
    return {"coming": item.note, "asking": "waits for a person", "stopped": "interrupted"}.get(item.state, "")
