"""The long loop: twice as many rounds cost twice the time and twice the bytes."""

from __future__ import annotations

import asyncio
from pathlib import Path

from bench.plan import Plan
from bench.rounds import Contender, Sample, Stopwatch, in_rounds
from bench.row import Row, at_most
from bench.steps import SEQUENCE, open_host, run

TIME, BYTES = 1.25, 1.02
"""How much more than once a round of the longer loop may cost, in time and in bytes: the noise of each."""


def measure(plan: Plan) -> Row:
    short, long = plan.count(10_000), plan.count(20_000)
    sizes: dict[int, int] = {}

    def contender(rounds: int) -> Contender:
        def loop() -> Sample:
            sample, sizes[rounds] = _loop(plan, rounds)
            return sample

        return loop

    contenders = {f"loop of {count:,}": contender(count) for count in (short, long)}
    once, twice = in_rounds(max(1, plan.rounds // 2 + 1), "round", contenders).values()
    small, large = sizes[short] / short, sizes[long] / long
    return Row(
        "loop",
        "loop of 10,000 against 20,000, `normal`",
        (
            at_most(f"the time a round of {short:,} takes, in a loop of {long:,}", twice.over(once), TIME),
            at_most(f"its bytes ({large:,.0f} to {small:,.0f} a round)", large / small, BYTES),
        ),
        (once, twice),
    )


def _loop(plan: Plan, rounds: int) -> tuple[Sample, int]:
    """What each round took, and what the store holds in the end."""

    async def timed(place: Path) -> Sample:
        async with open_host(place, "normal") as host:
            watch = Stopwatch()
            await run(host, SEQUENCE, rounds)
            return watch.per(rounds)

    with plan.place() as place:
        sample = asyncio.run(timed(place))
        return sample, sum(file.stat().st_size for file in place.iterdir())
