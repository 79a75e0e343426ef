"""Steps: the programs that are measured, and the host that works on them.

A step is one whole touch with all the rows that it writes: a note before, its start, its outcome, a note
after.  Outcomes come at once.  The programs are ordinary ones, and the host is the one that users have.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Literal, TypeAlias, cast

from bench.plan import Plan
from bench.rounds import Sample, Stopwatch
from quintet.engine.combinators import gather
from quintet.engine.context import Context
from quintet.engine.local import Equipment, LocalHost, Performers
from quintet.engine.performing import Call
from quintet.engine.programs import Program
from quintet.engine.questions import Question
from quintet.engine.values import Json
from quintet.store.port import StoreOptions
from quintet.store.sqlite import SqliteStore

Durability: TypeAlias = Literal["full", "normal"]
Work: TypeAlias = Callable[[LocalHost], Awaitable[object]]


async def step(ctx: Context, number: int) -> Json:
    """One step."""
    ctx.note("step.started", {"step": number})
    value = await ctx.tool("step", {"step": number})
    ctx.note("step.completed", {"step": number})
    return value


async def _sequence(ctx: Context, steps: Json) -> Json:
    for number in range(cast(int, steps)):
        await step(ctx, number)
    return None


async def _fan_out(ctx: Context, branches: Json) -> Json:
    bodies = [("branch", partial(step, number=number)) for number in range(cast(int, branches))]
    return len(await gather(ctx, bodies))


async def _wait(ctx: Context, steps: Json) -> Json:
    """Some steps, then a question that nobody answers."""
    await _sequence(ctx, steps)
    return await ctx.ask("person", Question("Shall we go on?"))


SEQUENCE = Program("sequence", _sequence)
FAN_OUT = Program("fan-out", _fan_out)
WAIT = Program("wait", _wait)
_PROGRAMS = {program.name: program for program in (SEQUENCE, FAN_OUT, WAIT)}


async def _perform(call: Call) -> Json:
    return call.request


@asynccontextmanager
async def open_host(place: Path, durability: Durability) -> AsyncGenerator[LocalHost]:
    """A host over the store in a folder."""
    performers = Performers(tool=_perform)
    store = await SqliteStore.open(place / "quintet.db", StoreOptions(durability=durability))
    try:
        async with LocalHost(store, lambda made: Equipment(_PROGRAMS[made.program], performers)) as host:
            yield host
    finally:
        await store.close()


async def run(host: LocalHost, program: Program, size: int, *, status: str = "completed") -> str:
    """One run to its end, or to where it waits; gives its id."""
    begun = await host.start(program, size)
    report = await begun.wait()
    if report.status != status:
        raise RuntimeError(f"{program.name} is {report.status}, not {status}")
    return report.run_id


def measured(plan: Plan, durability: Durability, units: int, work: Work) -> Sample:
    """What each unit of some work takes on a new store."""

    async def timed(place: Path) -> Sample:
        async with open_host(place, durability) as host:
            await run(host, SEQUENCE, 3)  # whatever is done once is done
            watch = Stopwatch()
            await work(host)
            return watch.per(units)

    with plan.place() as place:
        return asyncio.run(timed(place))
