"""`quintet cancel`: stops a run for good, wherever it is worked on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import click

from quintet.cli.refusal import Refusal
from quintet.cli.run_ids import run_argument
from quintet.cli.screen import result_json, say
from quintet.cli.stores import place_of, store_option

if TYPE_CHECKING:
    from quintet.runs.workshop import Workshop
    from quintet.store.port import RunRow

PATIENCE: Final = 10.0
"""Seconds until we no longer wait for the process that works on the run."""
_LOOK_SECONDS: Final = 0.05


@click.command("cancel")
@run_argument
@store_option
@click.option("--json", "as_json", is_flag=True, help="The run as one JSON object on standard output.")
def command(run_id: str, store: str | None, as_json: bool) -> int:
    """Stop a run for good, in whichever process it works.

    Exit code 0: the run is cancelled, or will be as soon as its process hears of it; 1: it ended by itself
    before; 2: there is no such run, or it had ended already.
    """
    from quintet.cli.answering import author
    from quintet.cli.reading import reading
    from quintet.cli.run_ids import full_id
    from quintet.engine.states import ENDED

    place = place_of(store)

    async def look(workshop: Workshop) -> int:
        found = await full_id(workshop, run_id)
        if (row := await workshop.store.run(found)).status in ENDED:
            raise Refusal(f"run {found} has ended already: it is {row.status}")
        await workshop.cancel(found, by=author())
        row = await _ended(workshop, found)
        if as_json:
            result_json((await workshop.run(found)).to_json())
        say(_told(row))
        return 1 if row.status in {"completed", "failed"} else 0

    return reading(place, look, run_id)


async def _ended(workshop: Workshop, run_id: str) -> RunRow:
    """The run when it has ended, or when our patience has."""
    import asyncio

    from quintet.engine.states import ENDED

    end = asyncio.get_running_loop().time() + PATIENCE
    while True:
        row = await workshop.store.run(run_id)
        if row.status in ENDED or asyncio.get_running_loop().time() > end:
            return row
        await asyncio.sleep(_LOOK_SECONDS)


def _told(row: RunRow) -> str:
    match row.status:
        case "cancelled":
            return f"run {row.id} is cancelled"
        case "completed" | "failed":
            return f"run {row.id} {row.status} before it could be cancelled"
        case _:
            who = row.holder.describe() if row.holder is not None else "who works on it"
            return f"run {row.id} will be cancelled as soon as {who} hears of it"
