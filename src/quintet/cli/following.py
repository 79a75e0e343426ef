"""Following: looking on while another process works on a run."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Final, TypeAlias

from quintet.cli.screen import columns
from quintet.engine.states import ENDED

if TYPE_CHECKING:
    from quintet.cli.outlet import Outlet
    from quintet.cli.view import View
    from quintet.engine.events import Event
    from quintet.record import Run
    from quintet.runs.workshop import Workshop

LOOK_SECONDS: Final = 0.1
"""How often we look at what has happened."""
_PIECE: Final = 1000

Tell: TypeAlias = "Callable[[str, Sequence[Event]], None]"
"""Is told what happens to a run."""


async def follow(workshop: Workshop, run_id: str, tell: Tell, *, after: int = 0) -> Run:
    """Tell what happens behind an event, until nobody works on the run any more."""
    while True:
        row = await workshop.store.run(run_id)  # looked at first, so that no event after it is missed
        while events := await workshop.store.log(run_id, after=after, limit=_PIECE):
            after = events[-1].seq
            tell(run_id, events)
        if row.status in ENDED or not row.alive:
            return await workshop.run(run_id)
        await asyncio.sleep(LOOK_SECONDS)


async def watch(workshop: Workshop, run_id: str, view: View) -> Run:
    """Show a run that another process works on, until nobody does."""
    after = await view.open(workshop, run_id)
    try:
        return await follow(workshop, run_id, view.kept, after=after)
    finally:
        view.close()


def as_json(outlet: Outlet) -> Tell:
    """Each event as one JSON object a line."""
    from quintet.runs.live import Event as Told

    def tell(run_id: str, events: Sequence[Event]) -> None:
        for event in events:
            outlet.line(json.dumps(Told.of(run_id, event).to_json(), ensure_ascii=False))

    return tell


def as_rows(outlet: Outlet) -> Tell:
    """Each event as people read it, a line an event."""
    from quintet.cli.view import drawn
    from quintet.display.events import log

    began: float | None = None

    def tell(run_id: str, events: Sequence[Event]) -> None:
        nonlocal began
        began = events[0].time if began is None else began
        outlet.line(drawn(log(events, columns(sys.stdout), began=began), sys.stdout))

    return tell
