"""Conducting: a verb works on a run in this process, until it ends, waits for a person, or is let go.

The run is shown on standard error while it works.  Its result goes to standard output, and the exit code says
what became of it.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Final, TypeAlias

from quintet.cli.expecting import is_expected
from quintet.cli.following import as_json, follow, watch
from quintet.cli.interruption import INTERRUPTED, Interruption
from quintet.cli.manner import Manner
from quintet.cli.outlet import Outlet
from quintet.cli.run_ids import full_id
from quintet.cli.screen import is_terminal, result, result_json, say_error
from quintet.cli.stores import Place
from quintet.cli.texts import short_path
from quintet.cli.trouble import hint, refusal, ways
from quintet.cli.view import View, kind_here, say_ending, say_quietly
from quintet.display.commands import Commands
from quintet.engine.failures import EngineError
from quintet.problems.wording import visible, visible_lines
from quintet.record import Run, Trouble

if TYPE_CHECKING:
    from quintet.engine.values import Json
    from quintet.runs.live import LiveRun
    from quintet.runs.workshop import Workshop

FAILED: Final = 1
CODES: Final = {
    "completed": 0,
    "failed": FAILED,
    "paused": 3,
    "cancelled": INTERRUPTED,
    "interrupted": INTERRUPTED,
}
"""The exit code of what became of a run."""

Begin: TypeAlias = "Callable[[Workshop, str], Awaitable[LiveRun | None]]"
"""Takes up the work on a run, given the run that the call is about; None where another process does it."""


def conduct(begin: Begin, manner: Manner, place: Place, run_id: str | None = None) -> int:
    """Work on a run, show it, print what came of it; gives the exit code.

    Args:
        begin: How the work begins.
        manner: What the options say.
        place: Where runs are kept.
        run_id: The run that the call is about; None for a new one, for which the store may be made.
    """
    return asyncio.run(_conduct(begin, manner, place, run_id))


async def _conduct(begin: Begin, manner: Manner, place: Place, run_id: str | None) -> int:
    kind = "none" if manner.as_events else kind_here()
    view = View(kind, place.told, models=manner.models)
    work: _Work | None = None
    opened = place.open if run_id is None else place.open_kept
    try:
        async with opened(manner.durability, view) as workshop:
            about = "" if run_id is None else await full_id(workshop, run_id)
            with Interruption(workshop) as interruption:
                live = await begin(workshop, about)
                if live is not None:
                    work = _Work(workshop, live, manner, place, view)
                    return await work.code(interruption)
            return await _elsewhere(workshop, about, manner, place, view)
    except EngineError as error:
        if work is None:
            raise refusal(error, place, run_id or "") from error
        return work.stuck(error)


async def _elsewhere(workshop: Workshop, run_id: str, manner: Manner, place: Place, view: View) -> int:
    """Another process goes on with the run; we look on."""
    if not manner.as_events:
        return finish(await watch(workshop, run_id, view), view, manner, place)
    outlet = Outlet(sys.stdout)
    try:
        after = (await workshop.store.last(run_id)).seq
        run = await follow(workshop, run_id, as_json(outlet), after=after)
    finally:
        outlet.close()
    return finish(run, view, manner, place)


class _Work:
    """The work on one run."""

    def __init__(self, workshop: Workshop, live: LiveRun, manner: Manner, place: Place, view: View) -> None:
        self._workshop, self._live = workshop, live
        self._manner, self._place, self._view = manner, place, view
        self._finished = False

    async def code(self, interruption: Interruption) -> int:
        """The exit code, when all is done and said."""
        await interruption.settle()
        if self._live.changed:
            kept = visible(", ".join(self._live.changed))
            say_quietly(f"kept as it was, although it would be asked something else now: {kept}")
        await self._view.open(self._workshop, self._live.id)
        try:
            if self._manner.as_events:
                await self._print_events(interruption)
            run = await self._live
        except BaseException:
            self._view.close("interrupted")
            raise
        self._view.close(run.status)
        self._finished = True
        if self._live.recorded is not None:
            say_quietly(f"recorded in {visible(short_path(self._live.recorded))}")
        return finish(run, self._view, self._manner, self._place)

    async def _print_events(self, interruption: Interruption) -> None:
        """Until nothing more happens, or nobody reads on: then there is nobody to work for."""
        outlet = Outlet(sys.stdout, interruption.suspend)
        try:
            async for event in self._live:
                outlet.line(json.dumps(event.to_json(), ensure_ascii=False))
        finally:
            outlet.close()

    def stuck(self, error: EngineError) -> int:
        """The run cannot go on here; its log is intact.  Gives the exit code."""
        run = self._live.chronicle.run("interrupted")
        if self._manner.as_json and not self._finished:
            trouble = run.error or Trouble(str(error), error.code)
            result_json(replace(run, error=trouble).to_json())
        with suppress(OSError, ValueError):  # nobody may be left to read it
            say_error(visible_lines(getattr(error, "message", str(error))), ways(error))
        go_on = hint(error, self._place, run.id) or Commands(run.id, self._place.told).to("resume")
        if self._place.keeps:
            say_quietly(f"nothing finished is lost; to go on when that is mended:\n  {go_on}")
        return FAILED


def finish(run: Run, view: View, manner: Manner, place: Place) -> int:
    """Print what came of a run, and how to go on; gives the exit code."""
    view.set_apart()
    if manner.as_json:
        result_json(run.to_json())
    elif run.status == "completed" and run.output is not None and not manner.as_events:
        _print_output(run.output)
        view.set_apart()
    say_ending(run, view, store=place.told, kept=place.keeps)
    if run.status == "completed" and not is_expected(manner, run):
        return FAILED
    return CODES.get(run.status, FAILED)


def _print_output(output: Json) -> None:
    """The output as it is; on a terminal without what would move its cursor."""
    text = output if isinstance(output, str) else json.dumps(output, ensure_ascii=False, indent=2)
    if is_terminal(sys.stdout):
        text = "\n".join(visible(line.replace("\t", "    ")) for line in text.split("\n"))
    result(text.removesuffix("\n"))
