"""`quintet fork`: a new run that keeps what another one had done before one of its steps began."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from quintet.cli.given import text_of
from quintet.cli.manner import Manner, file_option, manner_options, run_id_option
from quintet.cli.run_ids import run_argument
from quintet.cli.stores import place_of

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    from quintet.runs.live import LiveRun
    from quintet.runs.workshop import Workshop


def _complete(context: click.Context, option: click.Parameter, incomplete: str) -> list[CompletionItem[str]]:
    from quintet.cli.known_runs import complete_steps

    return complete_steps(context, option, incomplete)


@click.command("fork")
@run_argument
@click.option(
    "--at",
    metavar="PATH",
    required=True,
    shell_complete=_complete,
    help="The step, as `quintet show --json` names its path.",
)
@file_option
@manner_options
@run_id_option
def command(run_id: str, at: str, file: str | None, manner: Manner, new_run: str | None) -> int:
    """Begin a new run with what another one had completed before the step at PATH began.

    That step and all that follows is done anew.  --file, --script and --agents may change what follows;
    what --file changed before it is kept as it was, and listed.  Exit codes are those of run.
    """
    from quintet.cli.conducting import conduct
    from quintet.cli.texts import read_overrides, say_differences

    text_of(at, "PATH")
    overrides = read_overrides(manner, file)

    async def begin(workshop: Workshop, run_id: str) -> LiveRun:
        live = await workshop.fork(run_id, at, new_run=new_run, overrides=overrides)
        say_differences(await workshop.pinned(run_id), overrides)
        return live

    return conduct(begin, manner, place_of(manner.store, config=manner.config), run_id)
