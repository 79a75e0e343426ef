"""The machine alone: no store, no loop; each touch is answered as soon as it comes out.

The unit is the price of calling a function whose body is `pass`: the reach was set as 4 µs on a machine where
that took 0.05 µs, which is eighty calls.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial

from bench.plan import Plan
from bench.rounds import Contender, Sample, Stopwatch, in_rounds
from bench.row import Row, at_most, duration
from quintet.engine.combinators import gather
from quintet.engine.context import Context
from quintet.engine.machine import Machine
from quintet.engine.touches import Touch

CALLS = 4 / 0.05
GROWTH = 1.5
"""Ten times as much may cost so many times ten: beyond the processor's caches everything is dearer."""


def measure(plan: Plan) -> Row:
    small, middle, large = plan.count(1_000), plan.count(10_000), plan.count(100_000)
    contenders: dict[str, Contender] = {"a call of an empty function": lambda: _calls(large)}
    for count in (small, middle, large):
        contenders[f"sequence of {count:,}"] = partial(_touches, _sequence, count)
    for count in (small, middle):
        contenders[f"fan-out of {count:,}"] = partial(_touches, _fan_out, count)
    call, short, _, long, few, many = series = tuple(in_rounds(plan.rounds, "touch", contenders).values())
    return Row(
        "machine",
        "the machine alone, per touch",
        (
            at_most(f"an empty call, sequence ({duration(long.cpu)} a touch)", long.work_over(call), CALLS),
            at_most(f"an empty call, fan-out ({duration(many.cpu)} a touch)", many.work_over(call), CALLS),
            at_most(f"a touch of {small:,} in a sequence of {large:,}", long.work_over(short), GROWTH),
            at_most(f"a branch of {small:,} in a fan-out of {middle:,}", many.work_over(few), GROWTH),
        ),
        series,
        ("Judged in processor time. The collector of reference cycles is on, as it is for users.",),
    )


def _nothing() -> None:
    pass


def _calls(count: int) -> Sample:
    watch = Stopwatch()
    for _ in range(count):
        _nothing()
    return watch.per(count)


async def _sequence(ctx: Context, touches: int) -> None:
    for _ in range(touches):
        await ctx.tool("step", None)


async def _fan_out(ctx: Context, branches: int) -> None:
    await gather(ctx, [("branch", lambda ctx: ctx.tool("step", None)) for _ in range(branches)])


def touches(count: int) -> Sample:
    """What each touch of a sequence takes."""
    return _touches(_sequence, count)


def _touches(program: Callable[[Context, int], Awaitable[None]], count: int) -> Sample:
    """Drive a program as a host would, were the world as fast as that."""
    watch = Stopwatch()
    machine, seq = Machine(program, (count,)), 0
    while machine.result is None:
        for command in machine.take():
            if isinstance(command, Touch):
                seq += 1
                machine.advance(command.outcome(None, None, 0.0, seq))
    return watch.per(count)
