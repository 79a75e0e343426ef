"""Finding: which tests a file or a folder has."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from quintet.cases.case import Case
from quintet.cases.file import cases_in
from quintet.cases.naming import base, beside, companion, workflow_of
from quintet.formats.invalid import InvalidFile
from quintet.problems.problem import Problem

COMPLETES: Final = "completes"
AS_RECORDED: Final = "comes out as recorded"
"""What tests are called of which nobody says more."""


class NoTests(ValueError):
    """There is nothing to test with."""


def found(paths: Iterable[Path]) -> list[Case]:
    """All cases of files and folders.  Raises InvalidFile with all that is wrong, NoTests."""
    cases: list[Case] = []
    problems: list[Problem] = []
    for path in paths:
        try:
            cases += _in_folder(path) if path.is_dir() else _of_file(path)
        except InvalidFile as invalid:
            problems += invalid.problems
    if problems:
        raise InvalidFile(problems)
    return cases


def _in_folder(folder: Path) -> list[Case]:
    """A script may answer in several workflows: one that is beside none is not asked for."""
    found = sorted(path for path in folder.rglob("*") if companion(path) and path.is_file())
    names = dict.fromkeys(base(path) for path in found if companion(path) == "test" or workflow_of(path))
    if not names:
        raise NoTests(f"there is no test in {folder}: put NAME.test.yaml beside a workflow")
    return [case for name in names for case in _of_file(name.with_name(f"{name.name}.test.yaml"))]


def _of_file(path: Path) -> list[Case]:
    kind = companion(path)
    tests = path if kind == "test" and path.is_file() else beside(path, "test")
    if tests is not None and kind in (None, "test"):
        return cases_in(tests)
    workflow = workflow_of(path) if kind is not None else path
    if workflow is None:
        raise NoTests(f"no workflow is beside {path}")
    cases = list(_of_companions(path, workflow))
    if not cases and kind is None and path.is_file():
        name = base(path).name
        raise NoTests(
            f"{path} has no tests: put {name}.test.yaml, {name}.cassette.yaml or {name}.script.yaml beside it"
        )
    return cases or [Case(path.name, path, path)]


def _of_companions(path: Path, workflow: Path) -> Iterator[Case]:
    """What can answer for the agents of a workflow, without a word of what is to come of it."""
    kind = companion(path)
    if kind != "cassette" and (script := beside(path, "script")):
        yield Case(COMPLETES, script, workflow, script=script)
    if kind != "script" and (cassette := beside(path, "cassette")):
        yield Case(AS_RECORDED, cassette, workflow, cassette=cassette)
