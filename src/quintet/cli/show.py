"""`quintet show`: one run, as its log tells it."""

from __future__ import annotations

import json
import sys
import time
from typing import TYPE_CHECKING

import click

from quintet.cli.run_ids import run_argument
from quintet.cli.screen import columns, result, result_json
from quintet.cli.stores import Place, place_of, store_option

if TYPE_CHECKING:
    from quintet.record import Run
    from quintet.runs.workshop import Workshop


@click.command("show")
@run_argument
@click.option("--events", is_flag=True, help="Its log, a line an event; with --json an object an event.")
@click.option("--follow", is_flag=True, help="Watch it until it ends, whichever process works on it.")
@click.option("--json", "as_json", is_flag=True, help="What run --json prints, as it stands now.")
@store_option
def command(run_id: str, events: bool, follow: bool, as_json: bool, store: str | None) -> int:
    """Show a run: its steps as a tree, what took how long, what it used, and what came of it.

    Exit code 0, whatever became of the run; with --follow the exit code of the run, as run has it.
    """
    from quintet.cli.reading import reading
    from quintet.cli.run_ids import full_id

    place = place_of(store)

    async def look(workshop: Workshop) -> int:
        found = await full_id(workshop, run_id)
        if follow:
            return await _follow(workshop, found, place, events=events, as_json=as_json)
        if events:
            await _print_log(workshop, found, as_json=as_json)
        elif as_json:
            result_json((await workshop.run(found)).to_json())
        else:
            await _print_tree(workshop, found, place)
        return 0

    return reading(place, look, run_id)


async def _print_tree(workshop: Workshop, run_id: str, place: Place) -> None:
    from quintet.cli.view import drawn, graph_of
    from quintet.display.frozen import frozen

    run, graph = await workshop.run(run_id), graph_of(await workshop.pinned(run_id))
    rows = frozen(run, graph, columns(sys.stdout), now=time.time(), store=place.told)
    result(drawn(rows, sys.stdout))


async def _print_log(workshop: Workshop, run_id: str, *, as_json: bool) -> None:
    from quintet.cli.view import drawn
    from quintet.display.events import log
    from quintet.runs.live import Event

    events = await workshop.store.log(run_id)
    if not as_json:
        result(drawn(log(events, columns(sys.stdout)), sys.stdout))
    for event in events if as_json else ():
        result(json.dumps(Event.of(run_id, event).to_json(), ensure_ascii=False))


async def _follow(workshop: Workshop, run_id: str, place: Place, *, events: bool, as_json: bool) -> int:
    from quintet.cli.conducting import finish
    from quintet.cli.following import watch
    from quintet.cli.manner import Manner
    from quintet.cli.view import View, kind_here

    view = View("none" if events else kind_here(), place.told, hint="Ctrl-C stops watching; the run goes on")
    if events:
        run = await _follow_log(workshop, run_id, in_json=as_json)
    else:
        run = await watch(workshop, run_id, view)
    return finish(run, view, Manner(as_json=as_json and not events, as_events=events), place)


async def _follow_log(workshop: Workshop, run_id: str, *, in_json: bool) -> Run:
    from quintet.cli.following import as_json, as_rows, follow
    from quintet.cli.outlet import Outlet

    outlet = Outlet(sys.stdout)
    try:
        return await follow(workshop, run_id, (as_json if in_json else as_rows)(outlet))
    finally:
        outlet.close()
