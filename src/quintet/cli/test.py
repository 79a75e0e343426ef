"""`quintet test`: runs workflows against their scripts or cassettes, and compares what comes of them."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from quintet.cli.refusal import Refusal
from quintet.cli.screen import result, result_json, say
from quintet.problems.wording import visible

if TYPE_CHECKING:
    from quintet.cases.case import Case, Result
    from quintet.cases.trying import Ready
    from quintet.engine.values import Json
    from quintet.problems.problem import Problem

FAILED = 1


@click.command("test")
@click.argument("files", metavar="FILE...", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option(
    "--script",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="A script that answers, in the place of what is beside the workflow.",
)
@click.option(
    "--fake",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="A cassette that answers, in the place of what is beside the workflow.",
)
@click.option(
    "-k", "wanted", metavar="NAME", help="Only tests with this in their name, or in that of their file."
)
@click.option("--json", "as_json", is_flag=True, help="One JSON object on standard output.")
def command(
    files: Sequence[Path], script: Path | None, fake: Path | None, wanted: str | None, as_json: bool
) -> int:
    """Run workflows offline and compare what comes of them with what is expected.

    FILE is a workflow with NAME.test.yaml beside it, or with NAME.script.yaml or NAME.cassette.yaml; or such
    a test file; or a folder with any of these.  No model is ever asked.

    Exit code 0: all passed; 1: a test failed; 2: a file is wrong, or there is no test.
    """
    if script is not None and fake is not None:
        raise click.UsageError("--script and --fake exclude each other")
    prepared = _prepared(_wanted(_cases(files, script, fake), wanted))
    results = _told(prepared) if not as_json else _counted(prepared)
    return FAILED if any(not one.passed for one in results) else 0


def _cases(files: Sequence[Path], script: Path | None, fake: Path | None) -> Sequence[Case]:
    """Raises InvalidFile, Refusal."""
    from quintet.cases.case import Case
    from quintet.cases.finding import AS_RECORDED, COMPLETES, NoTests, found

    if script is not None or fake is not None:
        name = COMPLETES if fake is None else AS_RECORDED
        return [Case(name, path, path, script=script, cassette=fake) for path in files]
    try:
        return found(files)
    except NoTests as none:
        raise Refusal(visible(str(none))) from None


def _wanted(cases: Sequence[Case], name: str | None) -> Sequence[Case]:
    if name is None:
        return cases
    chosen = [case for case in cases if name.lower() in f"{case.file}\n{case.name}".lower()]
    if not chosen:
        raise Refusal(f"no test has {visible(name)!r} in its name")
    return chosen


def _prepared(cases: Sequence[Case]) -> Sequence[Ready]:
    """All files are read before anything is run.  Raises InvalidFile with all that is wrong."""
    from quintet.cases.trying import ready
    from quintet.formats.invalid import InvalidFile
    from quintet.formats.registry import UnknownFormat
    from quintet.workflow import CannotRun

    prepared: list[Ready] = []
    problems: dict[Problem, None] = {}
    for case in cases:
        try:
            prepared.append(ready(case))
        except InvalidFile as invalid:
            problems |= dict.fromkeys(invalid.problems)
        except (UnknownFormat, CannotRun) as wrong:
            raise Refusal(visible(f"{case.workflow}: {wrong}")) from None
    if problems:
        raise InvalidFile(problems)
    return prepared


def _told(cases: Sequence[Ready]) -> Sequence[Result]:
    """Run them, each told when it is done, and the differences below it."""
    from quintet.cases.trying import tried
    from quintet.cli.view import drawn
    from quintet.display.amounts import duration
    from quintet.display.rows import Row
    from quintet.display.signs import sign

    results: list[Result] = []
    widest = max(len(_name(one.case)) for one in cases)
    for one in cases:
        if not results or results[-1].case.file != one.case.file:
            result(drawn([(("heading", visible(str(one.case.file))),)], sys.stdout))
        results.append(done := tried(one))
        name, mark = _name(one.case), sign("completed" if done.passed else "failed")
        row: Row = (("", "  "), mark, ("", f" {name.ljust(widest)}  "), ("quiet", duration(done.seconds)))
        rows: list[Row] = [row, *((("", f"      {visible(line)}"),) for line in done.differences)]
        result(drawn(rows, sys.stdout))
    failed = sum(not one.passed for one in results)
    told = [f"{len(results) - failed:,} passed"] + ([f"{failed:,} failed"] if failed else [])
    say(f"{', '.join(told)} in {duration(sum(one.seconds for one in results))}")
    return results


def _name(case: Case) -> str:
    return visible(case.name)


def _counted(cases: Sequence[Ready]) -> Sequence[Result]:
    """Run them, and print one JSON object."""
    from quintet.cases.trying import tried

    results = [tried(one) for one in cases]
    failed = sum(not one.passed for one in results)
    tests: list[Json] = [
        {
            "name": one.case.name,
            "file": str(one.case.file),
            "workflow": str(one.case.workflow),
            "status": "passed" if one.passed else "failed",
            "duration_ms": round(one.seconds * 1000),
            "differences": one.differences,
        }
        for one in results
    ]
    result_json({"passed": len(results) - failed, "failed": failed, "tests": tests})
    return results
