"""`quintet resume`: goes on with a run after a crash, an interruption or a pause."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from quintet.cli.manner import Manner, manner_options
from quintet.cli.run_ids import run_argument
from quintet.cli.stores import place_of

if TYPE_CHECKING:
    from quintet.runs.live import LiveRun
    from quintet.runs.workshop import Workshop


@click.command("resume")
@run_argument
@manner_options
def command(run_id: str, manner: Manner) -> int:
    """Go on with a run after a crash, an interruption or a pause; what is finished is not done again.

    It keeps to the texts it was started with, and takes --script or --agents from now on where they are
    given.  Exit codes are those of run.
    """
    from quintet.cli.conducting import conduct
    from quintet.cli.repeats import say_repeats
    from quintet.cli.texts import read_overrides, say_differences

    overrides = read_overrides(manner)

    async def begin(workshop: Workshop, run_id: str) -> LiveRun:
        await say_repeats(workshop, run_id)
        live = await workshop.resume(run_id, overrides=overrides)
        say_differences(await workshop.pinned(run_id), overrides, replaceable=False)
        return live

    return conduct(begin, manner, place_of(manner.store, config=manner.config), run_id)
