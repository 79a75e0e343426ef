"""Replay: taking up a run that has come a long way, against reading and decoding the rows it has written.

The run waits for a person behind its last step.  To resume it is to claim it, to read its log, to feed it to
its program, and to find that the question is still open.
"""

from __future__ import annotations

import asyncio
import json
from functools import partial
from pathlib import Path

from bench.plan import Plan
from bench.raw import database
from bench.rounds import Contender, Sample, Stopwatch, in_rounds
from bench.row import Row, at_most, times
from bench.steps import WAIT, open_host, run

REACH = 5
_SELECT = "SELECT seq, time, kind, path, cause, data, fingerprint FROM events"


def measure(plan: Plan) -> Row:
    steps = plan.count(10_000)
    with plan.place() as place:
        run_id = asyncio.run(_record(place, steps))
        contenders: dict[str, Contender] = {
            "replay": lambda: asyncio.run(_resume(place, run_id, steps)),
            "read and decode all rows": partial(_read, place, f"{_SELECT} ORDER BY seq", steps),
            "read and decode the outcomes": partial(
                _read, place, f"{_SELECT} WHERE kind = 'tool.finished' ORDER BY seq", steps
            ),
        }
        replay, rows, outcomes = in_rounds(plan.rounds, "step", contenders).values()
    claim = at_most("reading and decoding the rows of the steps", replay.over(rows), REACH)
    remark = (
        "A step has four rows, of which a replay reads its outcome, and counts the others; against reading"
        f" and decoding the outcomes alone it is {times(replay.over(outcomes))}."
    )
    return Row("replay", "replay of 10,000 steps", (claim,), (replay, rows, outcomes), (remark,))


async def _record(place: Path, steps: int) -> str:
    async with open_host(place, "normal") as host:
        return await run(host, WAIT, steps, status="paused")


async def _resume(place: Path, run_id: str, steps: int) -> Sample:
    async with open_host(place, "normal") as host:
        watch = Stopwatch()
        resumed = await host.resume(run_id)
        report = await resumed.wait()
        sample = watch.per(steps)
    if report.status != "paused":
        raise RuntimeError(f"the run is {report.status}")
    return sample


def _read(place: Path, select: str, steps: int) -> Sample:
    with database(place / "quintet.db") as connection:
        watch = Stopwatch()
        for *_, data, _ in connection.execute(select).fetchall():
            json.loads(data)
        return watch.per(steps)
