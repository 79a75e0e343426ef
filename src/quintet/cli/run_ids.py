"""Run ids as people type them: as much of one as tells it from all others."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from quintet.cli.given import text_of
from quintet.cli.refusal import Refusal
from quintet.problems.wording import counted, quoted

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    from quintet.runs.workshop import Workshop

_MOST = 1_000_000
_SHOWN = 5


def _checked(context: click.Context, argument: click.Parameter, value: str) -> str:
    if not value:
        raise click.UsageError("an empty text names no run")
    return text_of(value, "RUN")


def _complete(
    context: click.Context, argument: click.Parameter, incomplete: str
) -> list[CompletionItem[str]]:
    from quintet.cli.known_runs import complete_runs

    return complete_runs(context, argument, incomplete)


run_argument = click.argument("run_id", metavar="RUN", callback=_checked, shell_complete=_complete)
"""RUN: an id, or the beginning of one."""


async def full_id(workshop: Workshop, text: str) -> str:
    """The id that a text is, or that only one run's id begins with.  Raises NoSuchRun."""
    from quintet.store.port import NoSuchRun, RunFilter

    try:
        return (await workshop.store.run(text)).id
    except NoSuchRun:
        rows = await workshop.runs(RunFilter(limit=_MOST))
        found = [row.id for row in rows if row.id.startswith(text)]
        if not found:
            raise NoSuchRun(f"there is no run {quoted(text)}") from None
    if len(found) > 1:
        shown = ", ".join(found[:_SHOWN]) + (", …" if len(found) > _SHOWN else "")
        raise Refusal(f"{counted(len(found), 'run')} begin with {quoted(text)}: {shown}")
    return found[0]
