"""Tree: a run as people watch it, one line a step.

    brainstorm · openfang · run 01K9XQ7M                                   0:07  ≈ $0.0041

    ✓ creative-ideas   writer     2.1 s  412 → 233
    ● technical-ideas  architect  4.2 s  ▏ 4. Cache the embeddings at the edge, so that a cold
                                         ▏ region answers from its neighbour until
    ○ gather           collect

It is a function of the record, the graph, and what is being said now; it reads no clock and no terminal.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from quintet.display.columns import Columns, columns_of
from quintet.display.details import Teller, teller_of
from quintet.display.header import header_rows
from quintet.display.items import Item
from quintet.display.lines import Line, chosen, lines, summed
from quintet.display.outline import outline
from quintet.display.rows import NARROWEST, Row, fitted, paragraph
from quintet.display.rows import width as width_of
from quintet.display.speech import latest_lines
from quintet.record import Run
from quintet.workflow import Graph

_BESIDE = 30
"""The least room in which text streams beside its step instead of below."""

_LEAST = 3
"""So many rows of steps are shown in any case."""

NOBODY: Mapping[str, str] = {}


@dataclass(frozen=True, slots=True)
class Screen:
    """What there is room for."""

    width: int
    height: int | None = None
    """None: as many rows as it takes."""

    @property
    def columns(self) -> int:
        return max(self.width, NARROWEST)


def tree(
    run: Run,
    graph: Graph | None,
    screen: Screen,
    *,
    now: float,
    saying: Mapping[str, str] = NOBODY,
    model: str = "",
    store: str = "",
) -> list[Row]:
    """The rows of a run as it stands.

    Args:
        run: What its log says.
        graph: What is still to come, where it is known.
        screen: How wide, and how many rows at most.
        now: Seconds since 1970.
        saying: What the steps under way have said so far, by their `where`.
        model: Who answers, and why: for the header.
        store: What `--store` must be told in commands.
    """
    return drawn(run, outline(run, graph), screen, now=now, saying=saying, model=model, store=store)


def drawn(
    run: Run,
    items: Sequence[Item],
    screen: Screen,
    *,
    now: float,
    saying: Mapping[str, str] = NOBODY,
    model: str = "",
    store: str = "",
) -> list[Row]:
    """The same of an outline that is known already."""
    top = [*header_rows(run, screen.columns, now=now, model=model), ()]
    if screen.height is not None and len(top) + _LEAST > screen.height:
        top = [top[0], ()]  # what works goes before who answers
    teller = teller_of(run, now, store)
    room = None if screen.height is None else max(screen.height - len(top), _LEAST)
    return [*top, *_Tree(run, teller, screen.columns, saying).rows(items, room)]


@dataclass(frozen=True, slots=True)
class _Tree:
    run: Run
    teller: Teller
    width: int
    saying: Mapping[str, str]

    def rows(self, items: Sequence[Item], room: int | None) -> list[Row]:
        """As much as there is room for: first the past is told briefly, then less of what is being said."""
        end = self._reason(items)
        if room is None:
            return [*self._all(lines(items), 3), *end]
        room = max(room - len(end), 1)
        for brief, speech in ((False, 3), (True, 3), (True, 2), (True, 1)):
            rows = self._all(lines(items, brief=brief), speech)
            if len(rows) <= room:
                return [*rows, *end]
        return [*self._some(list(lines(items, brief=True)), room)[:room], *end]

    def _all(self, some: Iterator[Line], speech: int) -> list[Row]:
        told = list(some)
        columns = self._columns(told)
        return [row for line in told for row in self._line(line, columns, speech)]

    def _some(self, told: Sequence[Line], room: int) -> list[Row]:
        """What matters most of that for which there is no room."""
        columns = self._columns(told)
        drawn = {id(line): self._line(line, columns, 1) for line in told}
        at_work = [line for line in told if line.item.at_work]
        if sum(len(drawn[id(line)]) for line in at_work) > room - 2:  # better silent than unseen
            drawn |= {id(line): self._line(line, columns, 0) for line in at_work}
        rows: list[Row] = []
        for line in chosen(told, lambda line: len(drawn[id(line)]), room):
            rows += drawn[id(line)] if isinstance(line, Line) else [summed(line)]
        return rows

    def _columns(self, told: Sequence[Line]) -> Columns:
        return columns_of(told, self.width, self.teller.now)

    def _line(self, line: Line, columns: Columns, speech: int) -> list[Row]:
        """An item: its line, what it is saying, and what else is to be said below."""
        item = line.item
        start = columns.start(line, self.teller.now)
        room = self.width - width_of(start)
        said = self._saying(line, speech, room)
        beside = () if said and room >= _BESIDE else self.teller.beside(item, unit=line is columns.first)
        rows = _attached(start, beside, self.width)
        if said and room >= _BESIDE:
            rows = _hanging(start, said)
        elif said:
            rows += _indented(said, 4)
        deep = 2 * line.depth
        below = self.teller.below(item, line.voice, self.width - deep, self._reason_of(line.voice))
        return [*rows, *_indented(below, deep)]

    def _saying(self, line: Line, most: int, room: int) -> list[Row]:
        voice = line.voice
        text = self.saying.get(voice.where, "") if most and voice.state == "running" else ""
        room = room if room >= _BESIDE else self.width - 4
        return [(("quiet", "▏ "), ("", said)) for said in latest_lines(text, room - 2, most)]

    # Why it failed

    def _reason_of(self, item: Item) -> str:
        """The run's own words, at the step that it failed at."""
        error = self.run.error
        return error.message if error is not None and error.step and error.step == item.path else ""

    def _reason(self, items: Sequence[Item]) -> list[Row]:
        """The same at the end, where no line of the tree is that step."""
        error = self.run.error
        told = (line for line in lines(items, brief=True) if line.item.state == "failed")
        if error is None or any(self._reason_of(line.voice) for line in told):
            return []
        return [(), *paragraph(error.message, self.width, 4, "error")]


def _indented(rows: Sequence[Row], deep: int) -> list[Row]:
    return [(("", " " * deep), *row) for row in rows]


def _hanging(start: Row, said: Sequence[Row]) -> list[Row]:
    """Lines beside a line, and below each other."""
    return [(*start, *said[0]), *_indented(said[1:], width_of(start))]


def _attached(start: Row, beside: Row, room: int) -> list[Row]:
    """A line and its details: beside it, or below where they are long and there is little room."""
    if width_of(start) + width_of(beside) <= room or room - width_of(start) >= _BESIDE:
        return [fitted((*start, *beside), room)]
    if all(role == "quiet" and "→" in text for role, text in beside):
        return [start]  # numbers are not worth a line of their own
    return [start, fitted((("", "    "), *beside), room)]
