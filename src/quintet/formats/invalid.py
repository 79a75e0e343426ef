"""Invalid files: what is raised where a file that is wrong cannot be gone on without."""

from __future__ import annotations

from collections.abc import Iterable

from quintet.problems.problem import Problem


class InvalidFile(ValueError):
    """A file that says something wrong, with all that is wrong with it, warnings included."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = tuple(problems)
        super().__init__("\n".join(map(str, self.problems)))
