"""Rows: lines of text for a terminal, in stretches that each have a role.

Nothing that comes from a file or a model reaches a terminal as it is: `shown` takes the power from characters
that move the cursor.  Widths are in cells, so that a row never runs over the edge and breaks the picture.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Literal, TypeAlias

from quintet.drawing.cells import char_width, wrapped
from quintet.drawing.cells import width as cells
from quintet.problems.wording import visible

Role: TypeAlias = Literal[
    "", "agent", "approval", "error", "fine", "heading", "hint", "name", "quiet", "warning"
]
Stretch: TypeAlias = tuple[Role, str]
Row: TypeAlias = tuple[Stretch, ...]
Paint: TypeAlias = Callable[[str, str], str]
"""Gives a text the colour of its role."""

NARROWEST = 40
"""No picture is made for less."""

GLYPHS = "✓✗●○◌⏸↻⊘–·→…▏▇×≈"
"""What rows are drawn with; where a screen has not all of it, `in_ascii` draws with less."""
_ASCII = str.maketrans(GLYPHS, "+!*o%=@/-->~|#x~")


_ESCAPES = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?)")
"""What sets colours, moves the cursor, or names the window."""


def width(row: Row) -> int:
    """How many cells a row fills."""
    return sum(cells(text) for _, text in row)


def text(row: Row) -> str:
    """A row without its roles."""
    return "".join(text for _, text in row).rstrip()


def shown(text: str) -> str:
    """A text from elsewhere on one line, harmless."""
    return visible(" ".join(_ESCAPES.sub("", text).split() if "\x1b" in text else text.split()))


def cut(text: str, room: int) -> str:
    """The beginning of a text, with an ellipsis where the rest is missing; never wider than there is room."""
    if cells(text) <= room:
        return text
    kept, taken = "", 1
    for char in text:
        taken += char_width(char)
        if taken > room:
            break
        kept += char
    return kept + "…" if room > 0 else ""


def padded(text: str, room: int) -> str:
    """A text in a column: cut, or filled up."""
    text = cut(text, room)
    return text + " " * (room - cells(text))


def fitted(row: Row, room: int) -> Row:
    """A row that is not wider than there is room."""
    if width(row) <= room:
        return row
    parts: list[Stretch] = []
    for role, part in row:
        if cells(part) > room or (cells(part) == room and part is not row[-1][1]):
            return (*parts, (role, cut(part + " ", room)))
        parts.append((role, part))
        room -= cells(part)
    return tuple(parts)


def ends(left: Row, right: Row, room: int) -> Row:
    """One row with something at either end; the right end is kept where there is not room for both."""
    left = fitted(left, max(room - width(right) - 2, 0))
    return (*left, ("", " " * (room - width(left) - width(right))), *right)


def paragraph(text: str, room: int, most: int, role: Role, indent: str = "") -> list[Row]:
    """A text in lines, none of them wide, not many of them."""
    lines = wrapped(shown(text), max(room - cells(indent), 10), most)
    return [(("", indent), (role, line)) for line in lines]


def in_ascii(row: Row) -> Row:
    """The row for a screen that knows no more than ASCII, as wide as it was."""
    return tuple((role, text if text.isascii() else _in_ascii(text)) for role, text in row)


def _in_ascii(text: str) -> str:
    text = text.translate(_ASCII)
    return "".join(char if char.isascii() else "?" * char_width(char) for char in text)


def painted(row: Row, paint: Paint) -> str:
    """A row as it is written to a terminal."""
    return "".join(paint(role, text) if role else text for role, text in row).rstrip()


def lines(rows: Iterable[Row], paint: Paint, *, ascii_only: bool = False) -> str:
    """All rows as one text to print."""
    return "\n".join(painted(in_ascii(row) if ascii_only else row, paint) for row in rows)
