"""Report: where problems are gathered while a file is read and checked.

Checks go on after a problem, so that all are told at once; but past some hundreds nobody reads them, and a
file made to break things should not cost more than a file.  So a report has an end, for errors and for
warnings each, and says so.
"""

from __future__ import annotations

from quintet.formats.codes import TOO_MANY_PROBLEMS
from quintet.formats.positions import Text
from quintet.formats.tree import Spanned
from quintet.problems.codes import Code, Severity
from quintet.problems.problem import Problem, in_file_order

LIMIT = 200


class Report:
    """The problems of one text."""

    def __init__(self, text: Text) -> None:
        self.text = text
        self._found: dict[Severity, list[Problem]] = {"error": [], "warning": []}

    def add(self, code: Code, message: str, at: Spanned, hint: str = "") -> None:
        """One more problem, unless there are too many of its severity already."""
        found = self._found[code.severity]
        if len(found) < LIMIT:
            found.append(self._problem(code, code.severity, message, at, hint))
        elif len(found) == LIMIT:
            message = f"more than {LIMIT} {code.severity}s; those after this one are not shown"
            found.append(self._problem(TOO_MANY_PROBLEMS, code.severity, message, at, ""))

    def full(self, code: Code) -> bool:
        """Whether another problem of this severity would not be kept: then its words need not be found."""
        return len(self._found[code.severity]) > LIMIT

    @property
    def has_errors(self) -> bool:
        """Whether what was read can be used at all."""
        return bool(self._found["error"])

    @property
    def problems(self) -> tuple[Problem, ...]:
        """In the order of the file."""
        return in_file_order([*self._found["error"], *self._found["warning"]])

    def _problem(self, code: Code, severity: Severity, message: str, at: Spanned, hint: str) -> Problem:
        place = self.text.place(at)
        return Problem(code, message, place, hint, self.text.excerpt(place), severity)
