"""`quintet inbox`: every question that a run waits on."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from quintet.cli.screen import columns, result, result_json
from quintet.cli.stores import place_of, store_option

if TYPE_CHECKING:
    from collections.abc import Sequence

    from quintet.engine.values import Json
    from quintet.record import Run
    from quintet.runs.workshop import Workshop


@click.command("inbox")
@click.option("--json", "as_json", is_flag=True, help="One JSON object on standard output.")
@store_option
def command(as_json: bool, store: str | None) -> int:
    """List every question that a run waits on, and how to answer it."""
    from quintet.cli.reading import reading

    place = place_of(store)

    async def look(workshop: Workshop) -> int:
        waiting = dict.fromkeys(row.id for row, _ in await workshop.inbox())
        _print([await workshop.run(run_id) for run_id in waiting], place.told, as_json=as_json)
        return 0

    if place.found_empty():
        _print([], place.told, as_json=as_json)
        return 0
    return reading(place, look)


def _print(waiting: Sequence[Run], store: str, *, as_json: bool) -> None:
    if as_json:
        result_json({"questions": [one for run in waiting for one in _questions_json(run)]})
        return
    from quintet.cli.view import drawn
    from quintet.display.table import inbox

    result(drawn(inbox(waiting, columns(sys.stdout), store=store), sys.stdout))


def _questions_json(run: Run) -> list[Json]:
    about: dict[str, Json] = {"run_id": run.id, "workflow": run.workflow, "format": run.format}
    return [{**about, **question.to_json()} for question in run.questions]
