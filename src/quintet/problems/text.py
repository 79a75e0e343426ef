"""How problems look in a terminal: the place, the message, the line, and a caret under the very characters.

    review.json:14:7: error[unknown-key]: a step has no key 'agentname'
       14 |       "agentname": "code-reviewer",
          |       ^^^^^^^^^^^ did you mean 'agent_name'?

Columns of a terminal are not characters: a tab takes several, a Chinese character two, an accent none.  So
the line is laid out cell by cell, and cut around the place where it is wider than the terminal.
"""

from __future__ import annotations

import sys
import unicodedata
from collections.abc import Callable, Sequence
from typing import Literal, TypeAlias

from quintet.problems.problem import Excerpt, Place, Problem
from quintet.problems.wording import counted, visible

Role: TypeAlias = Literal["place", "error", "warning", "line", "caret", "hint"]
Paint: TypeAlias = Callable[[Role, str], str]
"""Gives a part of the text its colour; colour is never all that tells parts apart."""

TAB = 4
_MARGIN = 5


def plain(role: Role, text: str) -> str:
    """No colours."""
    return text


def rendered(problem: Problem, width: int = 100, paint: Paint = plain, *, breaks: bool = False) -> str:
    """One problem, over a few lines; where it `breaks`, none is wider than there is room if words allow it.

    In a pipe lines are left whole, for who searches them.
    """
    room = width if breaks else sys.maxsize
    label = f"{problem.severity}[{problem.code.name}]"
    place, message = visible(str(problem.place)), visible(problem.message)
    first, *rest = _flowing(message, room - len(label) - _wide(place) - 4, room - 2)
    lines = [f"{paint('place', place)}: {paint(problem.severity, label)}: {first}".rstrip()]
    lines += [f"  {line}" for line in rest]
    hint = visible(problem.hint)
    if problem.excerpt is not None and problem.excerpt.text.strip():
        line, before, carets = laid_out(problem.excerpt, problem.place, max(width - _MARGIN - 3, 24))
        beside = hint if hint and _MARGIN + 4 + before + carets + _wide(hint) <= room else ""
        lines.append(f"{problem.place.line:>{_MARGIN}} | {paint('line', line)}".rstrip())
        carets_ = paint("caret", "^" * carets)
        lines.append(
            f"{' ' * _MARGIN} | {' ' * before}{carets_}" + (f" {paint('hint', hint)}" if beside else "")
        )
        hint = "" if beside else hint
    if hint:
        told = _flowing(hint, room - _MARGIN - 3, room - _MARGIN - 3)
        starts = [f"{' ' * _MARGIN} = ", *[" " * (_MARGIN + 3)] * (len(told) - 1)]
        lines += [start + paint("hint", one) for start, one in zip(starts, told, strict=True)]
    return "\n".join(lines)


def _flowing(text: str, first: int, others: int) -> list[str]:
    """A text broken at its spaces, into a first line that has less room than the others."""
    if _wide(text) <= first:
        return [text]
    lines, room = [""], first
    for word in text.split(" "):
        if _wide(lines[-1]) + 1 + _wide(word) > room and (lines[-1] or len(lines) == 1):
            lines.append(word)
            room = others
        else:
            lines[-1] = f"{lines[-1]} {word}" if lines[-1] else word
    return lines


def _wide(text: str) -> int:
    return sum(map(_width, text)) if text else 0


def summary(problems: Sequence[Problem], path: str) -> str:
    """The last line: `2 errors, 1 warning in review.json.`, and where to read more."""
    errors = sum(problem.severity == "error" for problem in problems)
    warnings = len(problems) - errors
    counts = [
        text
        for n, text in ((errors, counted(errors, "error")), (warnings, counted(warnings, "warning")))
        if n
    ]
    worst = next((p for p in problems if p.severity == "error"), problems[0])
    return f"{', '.join(counts)} in {visible(path)}. `quintet help {worst.code.name}` explains."


def laid_out(excerpt: Excerpt, place: Place, width: int) -> tuple[str, int, int]:
    """The line as it is shown, how many cells stand before the place, and how many the place takes."""
    first = place.column - excerpt.column
    end = len(excerpt.text) if place.end_line > place.line else place.end_column - excerpt.column
    cells = _cells(excerpt.text)
    end = min(max(end, first + 1), len(cells))
    start, stop = _window(cells, first, end, width)
    left = "…" if start > 0 or excerpt.column > 1 else ""
    right = "…" if stop < len(cells) or excerpt.cut else ""
    before = len(left) + sum(map(_width, cells[start:first]))
    carets = sum(map(_width, cells[first : min(end, stop)]))
    return left + "".join(cells[start:stop]) + right, before, max(carets, 1)


def _cells(text: str) -> list[str]:
    """What stands for each character, in its place."""
    cells: list[str] = []
    column = 0
    for char in text:
        cell = " " * (TAB - column % TAB) if char == "\t" else visible(char)
        column += _width(cell)
        cells.append(cell)
    return cells


def _window(cells: Sequence[str], first: int, end: int, width: int) -> tuple[int, int]:
    """The part of a line that is shown: all of it, or what fits around the place with room before it."""
    if sum(map(_width, cells)) <= width:
        return 0, len(cells)
    room = width - 2
    start, taken = first, 0
    while start > 0 and taken + _width(cells[start - 1]) <= max(room // 3, room - (end - first) - 8):
        start -= 1
        taken += _width(cells[start])
    stop = start
    taken = 0
    while stop < len(cells) and taken + _width(cells[stop]) <= room:
        taken += _width(cells[stop])
        stop += 1
    return start, max(stop, first + 1)


def _width(cell: str) -> int:
    """How many cells of a terminal a character takes."""
    if cell.isascii():
        return len(cell)
    char = cell[0]
    if unicodedata.combining(char) or unicodedata.category(char) in {"Mn", "Me", "Cf"}:
        return 0
    return 2 if unicodedata.east_asian_width(char) in {"W", "F"} else 1
