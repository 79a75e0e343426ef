"""Scripted steps: an OpenFang workflow from its text to its result, beside steps of the core alone.

Each step is a turn: its prompt is filled in, the stand-in answers in the place of a model, and what came of
it is told to whoever looks on.  Loading the file, pinning its texts and reading the result are in it.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Final

import quintet
from bench.plan import Plan
from bench.rounds import Contender, Sample, Series, Stopwatch, in_rounds
from bench.row import Row, at_most, duration, times
from bench.steps import SEQUENCE, Durability, measured, run
from quintet.agents.messages import assistant
from quintet.engine.events import Event
from quintet.engine.machine import Machine
from quintet.engine.touches import Touch
from quintet.engine.values import Json
from quintet.runs.chronicle import Chronicle
from quintet.runs.workshop import Workshop

REACH = 2
_SCRIPT = {"agents": {"writer": [{"reply": "A text about {{prompt}}"}]}}
_REPLY: Final[Json] = {
    "agent": {"name": "writer", "id": "writer"},
    "message": assistant("A text about tea"),
    "usage": {"input": 0, "output": 0},
}


def measure(plan: Plan) -> Row:
    steps = plan.count(300)
    levels: tuple[Durability, ...] = ("full", "normal")
    contenders: dict[str, Contender] = {}
    for durability in levels:
        contenders[f"OpenFang, `{durability}`"] = partial(_scripted, plan, durability, steps)
        contenders[f"the core, `{durability}`"] = partial(_core, plan, durability, steps)
    contenders["reading and checking its definition"] = partial(_loaded, steps)
    contenders["its program alone, in the machine"] = partial(_stepped, steps)
    contenders["telling what its log says"] = partial(_told, asyncio.run(_recorded(steps)), steps)
    series = tuple(in_rounds(plan.rounds, "step", contenders).values())
    claims = tuple(
        at_most(
            f"a step of the core, `{level}` ({duration(ours.wall)} to {duration(core.wall)})", ratio, REACH
        )
        for level, ours, core in zip(levels, series[:4:2], series[1:4:2], strict=True)
        for ratio in (ours.over(core),)
    )
    return Row("scripted", "a scripted OpenFang step, of 300", claims, series, (_prose(*series[2:]),))


def _prose(ours: Series, core: Series, read: Series, stepped: Series, told: Series) -> str:
    """In processor time: the machine may be doing other things, too."""
    rest = ours.cpu - core.cpu - read.cpu - stepped.cpu - told.cpu
    return (
        f"A scripted step with `normal` is {duration(ours.cpu)} of processor time,"
        f" {times(ours.work_over(core))} that of a step of the core, {duration(core.cpu)}. Beyond that, to"
        f" read and check its definition takes {duration(read.cpu)}; to step its program, a turn in three"
        f" scopes with a time limit and three notes, {duration(stepped.cpu)}; to tell what its log says"
        f" {duration(told.cpu)}. The rest, {duration(rest)}, is the stand-in, one row more with larger texts,"
        " a timer that is set and dropped, and the result of the run."
    )


def _core(plan: Plan, durability: Durability, steps: int) -> Sample:
    return measured(plan, durability, steps, lambda host: run(host, SEQUENCE, steps))


def _scripted(plan: Plan, durability: Durability, steps: int) -> Sample:
    async def timed(place: Path) -> Sample:
        async with Workshop.open(str(place / "quintet.db"), durability=durability) as workshop:
            await _run(workshop, _text(3))  # whatever is done once is done
            text = _text(steps)
            watch = Stopwatch()
            await _run(workshop, text)
            return watch.per(steps)

    with plan.place() as place:
        return asyncio.run(timed(place))


async def _run(workshop: Workshop, text: str) -> str:
    result = await quintet.load(text).run("tea", script=_SCRIPT, store=workshop)
    if result.status != "completed":
        raise RuntimeError(f"the run is {result.status}")
    return result.id


def _loaded(steps: int) -> Sample:
    text = _text(steps)
    watch = Stopwatch()
    quintet.load(text)
    return watch.per(steps)


def _stepped(steps: int) -> Sample:
    """As a host would drive it, were the world as fast as that."""
    workflow = quintet.load(_text(steps))
    watch = Stopwatch()
    machine, seq = Machine(workflow.program.body, (workflow.arguments("tea"),)), 0
    while machine.result is None:
        for command in machine.take():
            if isinstance(command, Touch) and command.kind == "model":
                seq += 1
                machine.advance(command.outcome(_REPLY, None, 0.0, seq))
    return watch.per(steps)


async def _recorded(steps: int) -> Sequence[Event]:
    """The log of such a run."""
    async with Workshop.open(":memory:") as workshop:
        return await workshop.store.log(await _run(workshop, _text(steps)))


def _told(log: Sequence[Event], steps: int) -> Sample:
    watch = Stopwatch()
    chronicle = Chronicle("run")
    for event in log:
        chronicle.hear([event])
    chronicle.run()
    return watch.per(steps)


def _text(steps: int) -> str:
    agent = {"agent_name": "writer", "prompt": "Write about tea"}
    return json.dumps(
        {"name": "flow", "steps": [{"name": f"step {number}", **agent} for number in range(steps)]}
    )
