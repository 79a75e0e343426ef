"""`quintet answer`: answers the question that a run waits on, and goes on with the run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from quintet.cli.manner import Manner, manner_options
from quintet.cli.run_ids import run_argument
from quintet.cli.stores import place_of

if TYPE_CHECKING:
    from quintet.runs.live import LiveRun
    from quintet.runs.workshop import Workshop


@click.command("answer")
@run_argument
@click.argument("values", metavar="[KEY=VALUE]...", nargs=-1)
@click.option(
    "--question", metavar="PATH", help="Which question, where there are several: where it is asked."
)
@manner_options
def command(run_id: str, values: Sequence[str], question: str | None, manner: Manner) -> int:
    """Answer the question that a run waits on, then go on with the run.

    Each KEY is a field of the question; a question without fields takes one bare VALUE.  `quintet inbox`
    lists what is asked.  Exit codes are those of run.
    """
    from quintet.cli.answering import answer_of, author, chosen
    from quintet.cli.conducting import conduct
    from quintet.cli.repeats import say_repeats
    from quintet.cli.texts import read_overrides, say_differences

    overrides = read_overrides(manner)

    async def begin(workshop: Workshop, run_id: str) -> LiveRun | None:
        asked = chosen(await workshop.questions(run_id), question)
        answer = None if asked is None else answer_of(asked, values)
        target = question if asked is None else asked.target
        await say_repeats(workshop, run_id)
        live = await workshop.answer(run_id, answer, question=target, by=author(), overrides=overrides)
        if live is not None:
            say_differences(await workshop.pinned(run_id), overrides, replaceable=False)
        return live

    return conduct(begin, manner, place_of(manner.store, config=manner.config), run_id)
