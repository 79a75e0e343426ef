"""Scripted steps: an OpenFang workflow from its text to its result, beside steps of the core alone.

Each step is a turn: its prompt is filled in, the stand-in answers in the place of a model, and what came of
it is told to whoever looks on.  Loading the file, pinning its texts and reading the result are in it.
"""

from __future__ import annotations

import asyncio
import json
from functools import partial
from pathlib import Path

import quintet
from bench.plan import Plan
from bench.rounds import Contender, Sample, Stopwatch, in_rounds
from bench.row import Row, at_most, duration
from bench.steps import SEQUENCE, Durability, measured, run
from quintet.runs.workshop import Workshop

REACH = 2
_SCRIPT = {"agents": {"writer": [{"reply": "A text about {{prompt}}"}]}}


def measure(plan: Plan) -> Row:
    steps = plan.count(300)
    levels: tuple[Durability, ...] = ("full", "normal")
    contenders: dict[str, Contender] = {}
    for durability in levels:
        contenders[f"OpenFang, `{durability}`"] = partial(_scripted, plan, durability, steps)
        contenders[f"the core, `{durability}`"] = partial(_core, plan, durability, steps)
    series = tuple(in_rounds(plan.rounds, "step", contenders).values())
    claims = tuple(
        at_most(
            f"a step of the core, `{level}` ({duration(ours.wall)} to {duration(core.wall)})", ratio, REACH
        )
        for level, ours, core in zip(levels, series[::2], series[1::2], strict=True)
        for ratio in (ours.over(core),)
    )
    return Row("scripted", "a scripted OpenFang step, of 300", claims, series)


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


async def _run(workshop: Workshop, text: str) -> None:
    result = await quintet.load(text).run("tea", script=_SCRIPT, store=workshop)
    if result.status != "completed":
        raise RuntimeError(f"the run is {result.status}")


def _text(steps: int) -> str:
    agent = {"agent_name": "writer", "prompt": "Write about tea"}
    return json.dumps(
        {"name": "flow", "steps": [{"name": f"step {number}", **agent} for number in range(steps)]}
    )
