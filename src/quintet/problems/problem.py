"""Problem: what is wrong with a file, where exactly, and what to try.

A problem is complete in itself: it carries the line it is about (a window of it, where the line is long), so
that it can be shown in a terminal, on a page or by a code host without reading the file again.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from quintet.problems.codes import Code, Severity


@dataclass(frozen=True, slots=True, order=True)
class Place:
    """A stretch of a file.  Lines and columns (of characters) count from 1; the end is just past it."""

    path: str
    line: int
    column: int
    end_line: int
    end_column: int

    def __str__(self) -> str:
        return f"{self.path}:{self.line}:{self.column}"


@dataclass(frozen=True, slots=True)
class Excerpt:
    """The line that a place begins in, or the part of it around the place."""

    text: str
    column: int = 1
    """The column of the first character of `text`: more than 1 where the line's beginning is left out."""
    cut: bool = False
    """Whether the line goes on after `text`."""


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong with a file."""

    code: Code
    message: str
    place: Place
    hint: str = ""
    """What to do about it: shown under the very characters."""
    excerpt: Excerpt | None = None
    severity: Severity = "error"

    def __str__(self) -> str:
        return f"{self.place}: {self.severity}[{self.code.name}]: {self.message}"

    def to_json(self) -> dict[str, str | int]:
        """What `--json` shows of it."""
        return {
            "path": self.place.path,
            "line": self.place.line,
            "column": self.place.column,
            "end_line": self.place.end_line,
            "end_column": self.place.end_column,
            "severity": self.severity,
            "code": self.code.name,
            "message": self.message,
            "hint": self.hint,
        }


def in_file_order(problems: Iterable[Problem]) -> tuple[Problem, ...]:
    return tuple(sorted(problems, key=lambda problem: problem.place))


def strictly(problems: Iterable[Problem]) -> tuple[Problem, ...]:
    """Under `--strict` every warning is an error."""
    return tuple(replace(problem, severity="error") for problem in problems)


def leniently(problems: Iterable[Problem], forgiven: Code) -> tuple[Problem, ...]:
    """Under `--lenient` problems of one code are warnings."""
    return tuple(
        replace(problem, severity="warning") if problem.code is forgiven else problem for problem in problems
    )


def has_errors(problems: Iterable[Problem]) -> bool:
    return any(problem.severity == "error" for problem in problems)
