"""Table: lists of runs and of open questions, in columns that fit any width."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from quintet.display import amounts
from quintet.display.commands import Commands, apart
from quintet.display.rows import NARROWEST, Role, Row, fitted, padded, paragraph, shown
from quintet.display.signs import of_run
from quintet.drawing.cells import width as cells
from quintet.record import Run

if TYPE_CHECKING:
    from quintet.store.port import RunRow

_ENDED = {"completed", "failed", "cancelled"}


@dataclass(frozen=True, slots=True)
class Column:
    """A column: what stands in it, and how it gives way."""

    name: str
    texts: Sequence[str]
    role: Role = ""
    least: int = 0
    """Cut down to this where there is little room; 0: left out as a whole."""
    roles: Sequence[Role] = ()
    """Of each text, where they differ."""

    @property
    def wide(self) -> int:
        return max(map(cells, (self.name, *self.texts)))


def runs(rows: Sequence[RunRow], columns: int, *, now: float) -> list[Row]:
    """What `quintet runs` prints: newest first, as they come."""
    if not rows:
        return [(("quiet", "no runs"),)]
    ids = apart([row.id for row in rows])
    marks = [of_run(row.shown) for row in rows]
    took = [amounts.duration(row.updated - row.created) if row.status in _ENDED else "" for row in rows]
    states = [f"{mark[1]} {row.shown}" for mark, row in zip(marks, rows, strict=True)]
    return table(
        [
            Column(
                "STATUS",
                states,
                least=max(map(cells, states)),
                roles=[mark[0] for mark in marks],
            ),
            Column("RUN", [shown(ids[row.id]) for row in rows], "name", least=8),
            Column("WORKFLOW", [shown(row.workflow) for row in rows], least=8),
            Column("FORMAT", [shown(row.format) for row in rows], "quiet"),
            Column("BEGAN", [amounts.ago(now - row.created) for row in rows], "quiet", least=8),
            Column("TOOK", took, "quiet"),
        ],
        columns,
    )


def inbox(waiting: Sequence[Run], columns: int, *, store: str = "") -> list[Row]:
    """What `quintet inbox` prints: each question that is open, and how to answer it.

    A command is never cut: where it is too long, the terminal breaks it, and it can still be copied.
    """
    columns = max(columns, NARROWEST)
    rows: list[Row] = []
    for run in waiting:
        for question in run.questions:
            place = f"{shown(run.workflow)} · {shown(question.path)}"
            rows += [()] if rows else []
            rows.append(fitted((("approval", "⏸ "), ("name", place)), columns))
            rows += paragraph(question.prompt, columns, 6, "", "  ")
            command = Commands(run.id, store).answer(question, several=len(run.questions) > 1)
            rows.append((("", "  "), ("hint", shown(command))))
    return rows or [(("quiet", "no questions"),)]


def table(columns: Sequence[Column], room: int) -> list[Row]:
    """Columns with their names above; what there is no room for is cut, then left out from the right."""
    widths = _widths(columns, max(room, NARROWEST))
    kept = [(column, wide) for column, wide in zip(columns, widths, strict=True) if wide]
    names: list[Row] = [_row(kept, lambda column: ("quiet", column.name))]
    count = len(columns[0].texts)
    return names + [_row(kept, lambda column, n=n: (_role(column, n), column.texts[n])) for n in range(count)]


def _role(column: Column, number: int) -> Role:
    return column.roles[number] if column.roles else column.role


def _row(kept: Sequence[tuple[Column, int]], cell: Callable[[Column], tuple[Role, str]]) -> Row:
    row: Row = ()
    for column, wide in kept:
        role, text = cell(column)
        row = (*row, *((("", "  "),) if row else ()), (role, padded(text, wide)))
    return row


def _widths(columns: Sequence[Column], room: int) -> list[int]:
    widths = [column.wide for column in columns]
    for number in reversed(range(len(columns))):
        if not columns[number].least and _taken(widths) > room:
            widths[number] = 0
    while (over := _taken(widths) - room) > 0:
        widest = max(range(len(columns)), key=lambda n: widths[n] - columns[n].least if widths[n] else -1)
        spare = widths[widest] - columns[widest].least
        if spare <= 0:
            widths[max(n for n in range(len(columns)) if widths[n])] = 0
        else:
            widths[widest] -= min(over, max(spare // 2, 1))
    return widths


def _taken(widths: Sequence[int]) -> int:
    shown_ = [wide for wide in widths if wide]
    return sum(shown_) + 2 * (len(shown_) - 1)
