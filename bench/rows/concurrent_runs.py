"""Concurrent runs: many short runs at once in one process, which share the price of a commit."""

from __future__ import annotations

import asyncio
from functools import partial

from bench.plan import Plan
from bench.raw import tasks
from bench.rounds import Contender, in_rounds
from bench.row import Claim, Row, at_least, not_measured
from bench.steps import SEQUENCE, measured, run
from quintet.engine.local import LocalHost

STEPS = 10
REACH = 1_000 / 34
"""What was to be reached in runs a second, over what LangGraph did in the same minutes."""


def measure(plan: Plan) -> Row:
    runs, theirs = plan.count(1_000), plan.count(100)
    contenders: dict[str, Contender] = {
        f"Quintet, `full`, {runs:,} at once": lambda: measured(
            plan, "full", runs, lambda host: _all_at_once(host, runs)
        ),
        "bare coroutines": partial(tasks, runs, STEPS),
    }
    if (peer := plan.peer) is not None:
        contenders[f"LangGraph + SQLite, {theirs} at once"] = partial(
            peer.runs, theirs, STEPS, "full", units=theirs
        )
        contenders[f"LangGraph without, {theirs} at once"] = partial(
            peer.runs, theirs, STEPS, "none", units=theirs
        )
    ours, *rest = in_rounds(plan.rounds, "run", contenders).values()
    rate = 1 / ours.wall
    claims = [Claim(f"{rate:,.0f} runs/s", "at least 1,000 runs/s", rate >= 1_000)]
    if plan.peer is None:
        claims.append(not_measured("LangGraph", f"at least {REACH:.1f} ×"))
    else:
        rates = f"{rate:,.0f} runs/s to {1 / rest[1].wall:,.0f}"
        claims.append(at_least(f"as fast as LangGraph + SQLite ({rates})", rest[1].over(ours), REACH))
    return Row(
        "runs",
        "1,000 concurrent runs of 10 steps, `full`",
        tuple(claims),
        (ours, *rest),
        (
            "The reach is 1,000 runs/s where LangGraph + SQLite does 34: both parts of it are judged.",
            "LangGraph has 100 runs at once: with 1,000 it does as many a second, ten times as long.",
        ),
    )


async def _all_at_once(host: LocalHost, runs: int) -> None:
    await asyncio.gather(*(run(host, SEQUENCE, STEPS) for _ in range(runs)))
