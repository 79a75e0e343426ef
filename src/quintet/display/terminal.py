"""Terminal: a picture that is drawn over itself, at the end of what is on the screen.

Only lines that have changed are written again, in one piece that terminals show at once, so nothing flickers.
When the window gets narrower, the terminal breaks the old lines; how far up they begin then is reckoned here.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TextIO

from quintet.display.rows import Paint, Row, in_ascii, painted, text
from quintet.drawing.cells import width as cells

Size = Callable[[], tuple[int, int]]
"""Columns and rows of a terminal."""

_BEGIN, _END = "\x1b[?2026h\x1b[?7l", "\x1b[?7h\x1b[?2026l"
"""What is between them is shown at once; and a line that is too long after all is not broken."""
_HIDE, _SHOW = "\x1b[?25l", "\x1b[?25h"
_CLEAR_LINE, _CLEAR_BELOW = "\x1b[K", "\x1b[J"


class Terminal:
    """Where the picture is."""

    def __init__(self, stream: TextIO, size: Size, paint: Paint, *, ascii_only: bool = False) -> None:
        self._stream, self.size, self._paint, self._ascii = stream, size, paint, ascii_only
        self._drawn: list[str] = []
        self._widths: list[int] = []
        self._columns = 0
        self._is_hidden, self._gone = False, False

    def draw(self, rows: Sequence[Row]) -> None:
        """Show these rows in place of those before."""
        columns, height = self.size()
        new = [painted(in_ascii(row) if self._ascii else row, self._paint) for row in rows]
        if new == self._drawn and columns == self._columns:
            return
        widths = [cells(text(row)) for row in rows]
        old = self._drawn if columns == self._columns else []
        lines = (
            "\n" if old[number : number + 1] == [line] else _line(line, full=widths[number] >= columns)
            for number, line in enumerate(new)
        )
        start = ("" if self._is_hidden else _HIDE) + _BEGIN + self._up(columns, height)
        self._write(start + "".join(lines) + _CLEAR_BELOW + _END)
        self._drawn, self._widths, self._columns, self._is_hidden = new, widths, columns, True

    def leave(self, rows: Sequence[Row] = ()) -> None:
        """Leave these rows standing for good, however many they are; what is written next is below them.

        They are written over the picture: some terminals keep a screen that is cleared from its first cell on
        in what can be scrolled back to, and it would be there twice.
        """
        columns, height = self.size()
        new = [painted(in_ascii(row) if self._ascii else row, self._paint) for row in rows]
        if self._is_hidden:
            lines = (
                _line(line, full=cells(text(row)) >= columns) for line, row in zip(new, rows, strict=True)
            )
            up = self._up(columns, height)
            blank = "" if new else f"{_CLEAR_LINE}\n" * self._height(columns, height) + up
            self._write(f"{up}{''.join(lines)}{blank or _CLEAR_BELOW}{_SHOW}")
        elif new:
            self._write("".join(f"{line}\n" for line in new))
        self._drawn, self._widths, self._is_hidden = [], [], False

    def _up(self, columns: int, height: int) -> str:
        """To the first cell of the picture."""
        lines = self._height(columns, height)
        return f"\r\x1b[{lines}A" if lines else "\r" if self._widths else ""

    def _height(self, columns: int, height: int) -> int:
        """How many lines of the screen the picture takes."""
        lines = sum(max(1, -(-width // columns)) if columns < self._columns else 1 for width in self._widths)
        return min(lines, max(height - 1, 0))

    def _write(self, text: str) -> None:
        if self._gone:
            return
        try:
            self._stream.write(text)
            self._stream.flush()
        except (OSError, ValueError):  # the terminal was closed; that is no reason to stop the run
            self._gone = True


def _line(line: str, *, full: bool) -> str:
    """A line in place of another.  Where it fills the row, to clear the rest would take its last cell."""
    return f"{line}\n" if full else f"{line}{_CLEAR_LINE}\n"
