"""Positions: from a character of a text to its line and column, and to the line itself.

Lines end at `\\n`, `\\r\\n` or `\\r`, as in every editor; columns count characters.  The characters that only
Unicode or YAML 1.1 call line breaks are characters of their line.
"""

from __future__ import annotations

import re
from array import array
from bisect import bisect_right
from functools import cached_property

from quintet.formats.tree import Spanned
from quintet.problems.problem import Excerpt, Place

_BREAK = re.compile(r"\r\n|\n|\r")
_AROUND = 300
"""How much of a long line is kept on each side of a place."""


class Text:
    """A text and the path it came from."""

    def __init__(self, text: str, path: str) -> None:
        self.text = text
        self.path = path

    @cached_property
    def _starts(self) -> array[int]:
        starts = array("Q", [0])  # a file of line breaks has millions
        starts.extend(match.end() for match in _BREAK.finditer(self.text))
        return starts

    def place(self, at: Spanned) -> Place:
        """Where a stretch stands; an empty one is taken for the character there."""
        line, column = self.position(at.start)
        end_line, end_column = self.position(max(at.end, at.start))
        if end_column == 1 and end_line > line:  # the stretch ends with a line break: so does its last line
            end_line -= 1
            end_column = len(self.line(end_line)) + 1
        if (end_line, end_column) <= (line, column):
            end_line, end_column = line, column + 1
        return Place(self.path, line, column, end_line, end_column)

    def position(self, offset: int) -> tuple[int, int]:
        """Line and column, both from 1."""
        line = bisect_right(self._starts, offset)
        return line, offset - self._starts[line - 1] + 1

    def offset(self, line: int, column: int) -> int:
        """The character at a line and a column, or the end of the text."""
        if line > len(self._starts):
            return len(self.text)
        return min(self._starts[line - 1] + column - 1, len(self.text))

    def line(self, number: int) -> str:
        start, end = self._bounds(number)
        return self.text[start:end]

    def excerpt(self, place: Place) -> Excerpt:
        """The line a place begins in, or a window of it."""
        start, end = self._bounds(place.line)
        at = start + place.column - 1
        left = max(start, at - _AROUND)
        right = min(end, at + _AROUND)
        return Excerpt(self.text[left:right], left - start + 1, right < end)

    def first(self, piece: str, within: Spanned) -> int | None:
        """Where a piece first occurs in the raw text of a value, if it is written there as it is."""
        at = self.text.find(piece, within.start, within.end)
        return None if at < 0 else at

    def _bounds(self, number: int) -> tuple[int, int]:
        start = self._starts[number - 1]
        end = self._starts[number] if number < len(self._starts) else len(self.text)
        while end > start and self.text[end - 1] in "\r\n":
            end -= 1
        return start, end
