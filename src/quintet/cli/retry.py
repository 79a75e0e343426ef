"""`quintet retry`: a failed run again, as a new one; only what failed or changed is done anew."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from quintet.cli.manner import Manner, file_option, manner_options, run_id_option
from quintet.cli.refusal import Refusal
from quintet.cli.run_ids import run_argument
from quintet.cli.stores import place_of

if TYPE_CHECKING:
    from quintet.display.commands import Commands
    from quintet.runs.live import LiveRun
    from quintet.runs.workshop import Workshop


@click.command("retry")
@run_argument
@file_option
@manner_options
@run_id_option
def command(run_id: str, file: str | None, manner: Manner, new_run: str | None) -> int:
    """Run a failed run again, as a new run: does anew what failed, and what --file changed, and nothing else.

    It keeps to the texts the run was started with, but for what --file, --script and --agents give.  Exit
    codes are those of run.
    """
    from quintet.cli.conducting import conduct
    from quintet.cli.texts import read_overrides, say_differences
    from quintet.display.commands import Commands

    overrides = read_overrides(manner, file)

    place = place_of(manner.store, config=manner.config)

    async def begin(workshop: Workshop, run_id: str) -> LiveRun:
        _check((await workshop.store.run(run_id)).shown, Commands(run_id, place.told))
        live = await workshop.retry(run_id, new_run=new_run, overrides=overrides)
        say_differences(await workshop.pinned(run_id), overrides)
        return live

    return conduct(begin, manner, place, run_id)


def _check(status: str, commands: Commands) -> None:
    """Only a failed run can be retried; what else can be done depends on what has become of it."""
    if status == "failed":
        return
    match status:
        case "interrupted" | "paused":
            hint = commands.to("resume")
        case "running" | "created":
            hint = commands.to("show", "--follow")
        case _:
            hint = commands.to("fork", "--at", "STEP")
    raise Refusal(f"run {commands.run_id} has not failed, it is {status}: there is nothing to retry", hint)
