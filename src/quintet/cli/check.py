"""`quintet check`: every problem of every file; nothing is run."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

import click

from quintet.cli.known_agents import Where, where_options
from quintet.cli.screen import painter, result, result_json, say, say_problems
from quintet.cli.sources import STDIN, Source, name_of, source_options
from quintet.formats.registry import Surroundings
from quintet.problems.problem import Problem
from quintet.problems.wording import counted, visible
from quintet.workflow import Checked, Workflow

if TYPE_CHECKING:
    from quintet.engine.values import Json

Output: TypeAlias = Literal["text", "github", "sarif", "json"]


@dataclass(frozen=True, slots=True)
class File:
    """One file, checked."""

    path: str
    checked: Checked

    @property
    def failed(self) -> bool:
        return not self.checked.ok


@click.command("check")
@click.argument("files", metavar="FILE...", nargs=-1, required=True, type=click.Path(allow_dash=True))
@source_options("--format")
@click.option(
    "-i",
    "--input",
    "inputs",
    metavar="KEY[=VALUE]",
    multiple=True,
    help="An input that runs will be given; may be repeated.",
)
@where_options
@click.option(
    "--output",
    type=click.Choice(["text", "github", "sarif"]),
    default=None,
    help="How problems are written: for people (default), for GitHub's annotations, or as SARIF.",
)
@click.option("--json", "as_json", is_flag=True, help="One JSON object on standard output.")
def command(
    files: Sequence[str],
    source: Source,
    inputs: Sequence[str],
    where: Where,
    output: Output | None,
    as_json: bool,
) -> int:
    """Find every problem of workflow files, without running anything.

    FILE is a path, or - for standard input.  Exit code 2 where a file has an error, else 0.

    Agents that do not exist are told where it is known which do: from --script, else from --agents and the
    project's quintet.toml, which is found upward from the file.
    """
    if as_json and output is not None:
        raise click.UsageError("--json and --output exclude each other")
    if files.count(STDIN) > 1:
        raise click.UsageError("standard input can be read only once")
    names = {one.partition("=")[0] for one in inputs}
    chosen: Output = "json" if as_json else output or "text"
    checked: list[File] = []
    for path in files:
        around = Surroundings(names, where.known(path))
        checked.append(File(name_of(path), source.read(path, around)))
        if chosen == "text":  # at once, since other files may take their time
            _show(checked[-1])
    _finish(chosen, checked)
    return 2 if any(file.failed for file in checked) else 0


def _show(file: File) -> None:
    workflow = file.checked.workflow
    if workflow is None or file.checked.problems:
        say_problems(file.checked.problems, file.path)
    else:
        paint = painter(sys.stdout)
        result(f"{visible(file.path)}: {paint('fine', 'fine')} ({', '.join(_about(workflow))})")


def _about(workflow: Workflow) -> list[str]:
    agents = len(workflow.graph.agents)
    return [workflow.format, counted(workflow.steps, "step"), counted(agents, "agent")]


def _finish(output: Output, files: Sequence[File]) -> None:
    """What can only be said when all files have been read."""
    match output:
        case "text":
            _count(files)
        case "json":
            result_json(_json(files))
        case "sarif":
            from quintet.problems.sarif import sarif

            result_json(sarif(_problems(files)))
        case "github":
            from quintet.problems.github import annotation

            for problem in _problems(files):
                result(annotation(problem))


def _count(files: Sequence[File]) -> None:
    failed = sum(file.failed for file in files)
    if len(files) > 1 and failed:
        verb = "has" if failed == 1 else "have"
        say(f"{failed:,} of {len(files):,} files {verb} errors.")


def _problems(files: Sequence[File]) -> list[Problem]:
    return [problem for file in files for problem in file.checked.problems]


def _json(files: Sequence[File]) -> dict[str, Json]:
    problems = _problems(files)
    errors = sum(problem.severity == "error" for problem in problems)
    return {
        "ok": not any(file.failed for file in files),
        "errors": errors,
        "warnings": len(problems) - errors,
        "files": [_file_json(file) for file in files],
    }


def _file_json(file: File) -> dict[str, Json]:
    """What is known of a file that has errors is only its problems."""
    workflow = file.checked.workflow
    known: dict[str, Json] = {"workflow": None, "format": None, "steps": None, "agents": None}
    if workflow is not None:
        known = {
            "workflow": workflow.name,
            "format": workflow.format,
            "steps": workflow.steps,
            "agents": list(workflow.graph.agents),
        }
    problems: list[Json] = [dict(problem.to_json()) for problem in file.checked.problems]
    return {"path": file.path, "ok": file.checked.ok, **known, "problems": problems}
