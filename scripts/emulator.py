"""A small terminal: it knows what ours is written with, and nothing else."""

import io
import re

from quintet.drawing.cells import char_width

_PART = re.compile(r"\x1b\[(\??[\d;]*)([A-Za-z])|(.)", re.DOTALL)


class Emulator(io.StringIO):
    """What a person would see."""

    def __init__(self, columns: int = 80, height: int = 24) -> None:
        super().__init__()
        self.columns, self.height = columns, height
        self.history: list[str] = []
        self.screen = [[" "] * columns for _ in range(height)]
        self.styles = [[""] * columns for _ in range(height)]
        """The codes of each cell's colours: `1;31`, or nothing."""
        self._style = ""
        self.row = self.column = 0
        self.wraps, self.cursor_is_shown = True, True
        self.writes = 0

    def size(self) -> tuple[int, int]:
        return self.columns, self.height

    def write(self, text: str) -> int:
        self.writes += 1
        for number, letter, char in _PART.findall(text):
            if letter:
                self._obey(number, letter)
            else:
                self._put(char)
        return len(text)

    @property
    def lines(self) -> list[str]:
        """All that was ever written, from the top, without what is blank below."""
        seen = self.history + ["".join(row).rstrip() for row in self.screen]
        while seen and not seen[-1]:
            seen.pop()
        return seen

    def _obey(self, number: str, letter: str) -> None:
        match number, letter:
            case "?7", _:
                self.wraps = letter == "h"
            case "?25", _:
                self.cursor_is_shown = letter == "h"
            case "?2026", _:
                pass
            case codes, "m":
                self._style = "" if codes in {"", "0"} else codes
            case count, "A":
                self.row = max(0, self.row - int(count))
            case "", "K":
                self.screen[self.row][self.column :] = [" "] * (self.columns - self.column)
            case "", "J":
                if self.row == self.column == 0:  # tmux and others keep what is cleared as a whole
                    self.history += (line for row in self.screen if (line := "".join(row).rstrip()))
                self._obey("", "K")
                for row in range(self.row + 1, self.height):
                    self.screen[row] = [" "] * self.columns
            case _:
                raise AssertionError(f"unknown: {number}{letter}")

    def _put(self, char: str) -> None:
        match char:
            case "\r":
                self.column = 0
            case "\n":
                self.column = 0
                self._down()
            case _:
                wide = char_width(char)
                assert self.column + wide <= self.columns or self.wraps, "a line is too long"
                self.screen[self.row][self.column] = char
                self.styles[self.row][self.column] = self._style
                for covered in range(self.column + 1, min(self.column + wide, self.columns)):
                    self.screen[self.row][covered] = ""
                self.column = min(self.column + wide, self.columns - 1)  # it stays in the last cell

    def _down(self) -> None:
        self.row += 1
        if self.row == self.height:
            self.history.append("".join(self.screen.pop(0)).rstrip())
            self.screen.append([" "] * self.columns)
            self.styles = [*self.styles[1:], [""] * self.columns]
            self.row -= 1
