"""`quintet runs`: what has run."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING

import click

from quintet.cli.screen import columns, result, result_json
from quintet.cli.sources import complete_formats
from quintet.cli.stores import place_of, store_option

if TYPE_CHECKING:
    from collections.abc import Sequence

    from quintet.engine.values import Json
    from quintet.runs.workshop import Workshop
    from quintet.store.port import RunRow

STATUSES = ("created", "running", "paused", "interrupted", "completed", "failed", "cancelled")


@click.command("runs")
@click.option("--status", type=click.Choice(STATUSES), help="Only runs of this status.")
@click.option(
    "--format",
    "format_name",
    metavar="NAME",
    shell_complete=complete_formats,
    help="Only runs of workflows of this format.",
)
@click.option("--workflow", metavar="NAME", help="Only runs of this workflow.")
@click.option(
    "--limit", type=click.IntRange(min=1), default=50, show_default=True, help="The newest so many."
)
@click.option("--before", metavar="RUN", help="Only runs that began before this one: the next page.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object on standard output.")
@store_option
def command(
    status: str | None,
    format_name: str | None,
    workflow: str | None,
    limit: int,
    before: str | None,
    as_json: bool,
    store: str | None,
) -> int:
    """List what has run, newest first."""
    from quintet.cli.reading import reading
    from quintet.cli.run_ids import full_id
    from quintet.store.port import RunFilter

    async def look(workshop: Workshop) -> int:
        last = None if before is None else await full_id(workshop, before)
        _print(await workshop.runs(RunFilter(status, format_name, workflow, limit, last)), as_json=as_json)
        return 0

    place = place_of(store)
    if place.found_empty():
        _print([], as_json=as_json)
        return 0
    return reading(place, look)


def _print(rows: Sequence[RunRow], *, as_json: bool) -> None:
    if as_json:
        result_json({"runs": [_row_json(row) for row in rows]})
        return
    from quintet.cli.view import drawn
    from quintet.display.table import runs

    result(drawn(runs(rows, columns(sys.stdout), now=time.time()), sys.stdout))


def _row_json(row: RunRow) -> Json:
    return {
        "run_id": row.id,
        "workflow": row.workflow,
        "format": row.format,
        "status": row.shown,
        "parent": row.parent,
        "began": row.created,
        "updated": row.updated,
    }
