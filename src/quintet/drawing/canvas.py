"""Canvas: a sheet of cells to write and to draw lines on.

Lines know where they come from and go to, so where they meet they become the right crossing by themselves.
Text lies over lines.  When all is drawn, the sheet gives its rows as stretches of text with a role each.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from typing import Literal, TypeAlias

from quintet.drawing.cells import char_width

Role: TypeAlias = Literal["name", "quiet", "agent", "condition", "loop", "approval", "line"]
Stretch: TypeAlias = tuple[Role, str]
Row: TypeAlias = tuple[Stretch, ...]

UP, DOWN, LEFT, RIGHT = 1, 2, 4, 8
_UNICODE = " │││─┘┐┤─└┌├─┴┬┼"
_ASCII = " |||-+++-+++-+++"
_DASHED = {"│": "┆", "─": "┄"}
_ARROWS = {"▶": ">", "◀": "<", "⏸": "=", "…": "."}


@dataclass(slots=True)
class _Line:
    arms: int
    role: Role
    dashed: bool


class Canvas:
    def __init__(self, ascii_only: bool = False) -> None:
        self._ascii = ascii_only
        self._texts: dict[int, dict[int, Stretch]] = {}
        self._lines: dict[int, dict[int, _Line]] = {}

    def write(self, x: int, y: int, text: str, role: Role) -> int:
        """Writes on a row, and gives the column after it."""
        row = self._texts.setdefault(y, {})
        for char in text:
            wide = char_width(char)
            if wide == 0 or (char == "\ufe0f" and x - 1 in row):
                before = row.get(x - 1)
                row[x - 1] = (role, (before[1] if before else "") + char)
            else:
                row[x] = (role, char)
            for covered in range(x + 1, x + wide):
                row[covered] = (role, "")
            x += wide
        return x

    def down(self, x: int, top: int, bottom: int, role: Role = "line", dashed: bool = False) -> None:
        """A line from the middle of one cell to the middle of one below."""
        for y in range(top, bottom + 1):
            self._arm(x, y, (UP if y > top else 0) | (DOWN if y < bottom else 0), role, dashed)

    def across(self, left: int, right: int, y: int, role: Role = "line", dashed: bool = False) -> None:
        for x in range(left, right + 1):
            self._arm(x, y, (LEFT if x > left else 0) | (RIGHT if x < right else 0), role, dashed)

    def through(self, x: int, y: int, role: Role = "line", dashed: bool = False) -> None:
        """A line from the top of one cell to its bottom."""
        self._arm(x, y, UP | DOWN, role, dashed)

    def arm(self, x: int, y: int, arms: int, role: Role = "line") -> None:
        """Half a line, from the middle of a cell to its edge."""
        self._arm(x, y, arms, role, False)

    def rows(self) -> Iterator[Row]:
        height = max([*self._texts, *self._lines], default=-1) + 1
        for y in range(height):
            yield self._row(self._texts.get(y, {}), self._lines.get(y, {}))

    def _arm(self, x: int, y: int, arms: int, role: Role, dashed: bool) -> None:
        line = self._lines.setdefault(y, {}).setdefault(x, _Line(0, role, dashed))
        line.arms |= arms
        line.dashed = line.dashed and dashed

    def _row(self, texts: dict[int, Stretch], lines: dict[int, _Line]) -> Row:
        width = max([*texts, *lines], default=-1) + 1
        cells: list[Stretch] = [texts.get(x) or self._drawn(lines.get(x)) for x in range(width)]
        return tuple(
            (role, "".join(self._shown(text) for _, text in part)) for role, part in groupby(cells, key=_role)
        )

    def _drawn(self, line: _Line | None) -> Stretch:
        if line is None:
            return "line", " "
        char = (_ASCII if self._ascii else _UNICODE)[line.arms]
        return line.role, _DASHED.get(char, char) if line.dashed else char

    def _shown(self, text: str) -> str:
        return _ARROWS.get(text, text) if self._ascii else text


def _role(cell: Stretch) -> Role:
    return cell[0]
