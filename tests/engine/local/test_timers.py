"""Timers and deadlines of the local host, over clocks that people set."""

from __future__ import annotations

import asyncio
from functools import partial
from itertools import pairwise

import pytest

from quintet.engine.combinators import deadline, gather
from quintet.engine.context import Context
from quintet.engine.failures import Failed
from quintet.engine.local import Performers
from quintet.engine.performing import Call
from quintet.engine.values import Json
from tests.engine.local.stage import QUESTION, Hands, host_over, kinds, memory_store, program
from tests.engine.local.virtual_time import run
from tests.engine.play import ask

HOUR = 3600.0


class WallClock:
    """The clock on the wall: it goes with the loop, but people set it."""

    def __init__(self) -> None:
        self.ahead = 0.0

    def __call__(self) -> float:
        return asyncio.get_running_loop().time() + self.ahead


async def nap(ctx: Context, arguments: Json) -> Json:
    await ctx.sleep("nap", HOUR)
    return "awake"


async def limited(ctx: Context, arguments: Json) -> Json:
    try:
        return await deadline(ctx, "limit", 10.0, ask())
    except Failed as failed:
        return failed.failure.kind


@pytest.mark.parametrize(("set_by", "after"), [(0.0, HOUR), (-HOUR / 2, 1.5 * HOUR), (HOUR / 2, HOUR / 2)])
def test_a_timer_is_due_at_a_time_on_the_wall_wherever_that_is_set_meanwhile(
    set_by: float, after: float
) -> None:
    """Point 6: `sleep` is due at a wall time."""

    async def main() -> None:
        clock, loop = WallClock(), asyncio.get_running_loop()
        async with memory_store() as store:
            begun = loop.time()
            work = await host_over(store, nap, Performers(), clock=clock).start(program(nap), run_id="run")
            await asyncio.sleep(100.0)
            clock.ahead = set_by
            assert (await work.wait()).output == "awake"
            assert after <= loop.time() - begun <= after + 31.0  # it looks now and then
            events = await store.log("run")
            assert all(one.time <= other.time for one, other in pairwise(events))

    run(main())


def test_a_timer_counts_the_time_in_which_nobody_works_on_its_run() -> None:
    async def main() -> None:
        loop = asyncio.get_running_loop()
        async with memory_store() as store:
            async with host_over(store, nap, Performers()) as host:
                await host.start(program(nap), run_id="run")
            await asyncio.sleep(HOUR - 60.0)
            begun = loop.time()
            assert (await (await host.resume("run")).wait()).output == "awake"
            assert 59.0 < loop.time() - begun < 61.0
            assert (await kinds(store)).count("timer.set") == 1

    run(main())


def test_a_timer_that_was_due_long_ago_fires_at_once() -> None:
    async def main() -> None:
        loop = asyncio.get_running_loop()
        async with memory_store() as store:
            async with host_over(store, nap, Performers()) as host:
                await host.start(program(nap), run_id="run")
            await asyncio.sleep(HOUR * 50)
            begun = loop.time()
            await (await host.resume("run")).wait()
            assert loop.time() - begun < 1.0

    run(main())


def test_a_timer_that_is_cancelled_does_not_fire() -> None:
    async def body(ctx: Context, arguments: Json) -> Json:
        branch = ctx.branch("nap", lambda ctx: ctx.sleep("nap", HOUR))
        await ctx.sleep("short", 1.0)
        branch.cancel()
        return "done"

    async def main() -> None:
        loop = asyncio.get_running_loop()
        async with memory_store() as store:
            begun = loop.time()
            work = await host_over(store, body, Performers()).start(program(body), run_id="run")
            assert (await work.wait()).output == "done"
            assert loop.time() - begun < 2.0
            assert (await kinds(store)).count("timer.fired") == 1

    run(main())


def test_a_deadline_strikes_and_stops_who_is_performing() -> None:
    async def main() -> None:
        hands, loop = Hands(), asyncio.get_running_loop()
        async with memory_store() as store:
            begun = loop.time()
            host = host_over(store, limited, Performers(model=hands))
            work = await host.start(program(limited), run_id="run")
            assert (await work.wait()).output == "timeout"
            assert 10.0 <= loop.time() - begun < 11.0
            assert hands.stopped == ["~limit/ask"]
            assert (await kinds(store))[1:] == ["deadline.struck", "touch.cancelled", "run.completed"]

    run(main())


def test_a_deadline_goes_by_a_clock_that_nobody_can_set() -> None:
    async def main() -> None:
        clock, loop, hands = WallClock(), asyncio.get_running_loop(), Hands()
        async with memory_store() as store:
            begun = loop.time()
            host = host_over(store, limited, Performers(model=hands), clock=clock)
            work = await host.start(program(limited))
            await hands.until(1)
            clock.ahead = HOUR
            assert (await work.wait()).output == "timeout"
            assert 10.0 <= loop.time() - begun < 11.0

    run(main())


def test_a_deadline_does_not_run_while_its_work_stands_in_a_queue() -> None:
    """Point 6: a deadline's clock does not run in queues."""

    async def body(ctx: Context, arguments: Json) -> Json:
        results = await gather(ctx, [("first", ask()), ("second", lambda ctx: limited(ctx, None))])
        return [str(result) for result in results]

    async def main() -> None:
        hands = Hands()
        async with memory_store() as store:
            host = host_over(store, body, Performers(model=hands), limits={"model": 1})
            work = await host.start(program(body), run_id="run")
            await hands.until(1)
            await asyncio.sleep(HOUR)  # the second waits for the first, for longer than it may work
            assert hands.began == ["first/ask"]
            hands.give("first/ask")
            await hands.until(2)
            await asyncio.sleep(9.0)
            hands.give("second/~limit/ask", "in time")
            await work.wait()
            assert "deadline.struck" not in await kinds(store)

    run(main())


def test_a_deadline_does_not_run_while_a_person_thinks_or_the_process_is_gone() -> None:
    async def body(ctx: Context, arguments: Json) -> Json:
        async def block(ctx: Context) -> Json:
            await ctx.model("before", 1)
            await ctx.ask("ask", QUESTION)
            return await ctx.model("after", 1)

        return await deadline(ctx, "limit", 10.0, block)

    async def main() -> None:
        hands = Hands()
        async with memory_store() as store:
            host = host_over(store, body, Performers(model=hands))
            work = await host.start(program(body), run_id="run")
            await hands.until(1)
            await asyncio.sleep(9.0)
            hands.give("~limit/before")
            assert (await work.wait()).status == "paused"
            await asyncio.sleep(HOUR)
            again = await host.answer("run", "~limit/ask", {"choice": "a"})
            assert again is not None
            await hands.until(2)
            await asyncio.sleep(0.5)
            hands.give("~limit/after", "in time")
            assert (await again.wait()).output == "in time"

    run(main())


def test_a_deadline_goes_on_behind_a_question_with_what_was_left_of_it() -> None:
    """Its clock stands while a person thinks; it does not begin anew."""

    async def body(ctx: Context, arguments: Json) -> Json:
        async def block(ctx: Context) -> Json:
            await ctx.model("before", 1)
            await ctx.ask("ask", QUESTION)
            return await ctx.model("after", 1)

        return await deadline(ctx, "limit", 10.0, block)

    async def main() -> None:
        hands = Hands()
        async with memory_store() as store:
            host = host_over(store, body, Performers(model=hands))
            work = await host.start(program(body), run_id="run")
            await hands.until(1)
            await asyncio.sleep(9.0)
            hands.give("~limit/before")
            assert (await work.wait()).status == "paused"
            again = await host.answer("run", "~limit/ask", {"choice": "a"})
            assert again is not None
            await hands.until(2)
            report = await again.wait()  # nobody gives anything: the rest of the time runs out
            assert report.failure is not None
            assert report.failure.kind == "timeout"
            (struck,) = [event for event in await store.log("run") if event.kind == "deadline.struck"]
            (resumed,) = [event for event in await store.log("run") if event.kind == "run.resumed"]
            assert 0.5 < struck.time - resumed.time < 3.0

    run(main())


def test_a_deadline_that_is_over_leaves_no_timer_behind() -> None:
    async def body(ctx: Context, arguments: Json) -> Json:
        for _ in range(100):
            await deadline(ctx, "limit", HOUR, ask())
        return "done"

    async def main() -> None:
        async def model(call: object) -> Json:
            return None

        async with memory_store() as store:
            loop, host = asyncio.get_running_loop(), host_over(store, body, Performers(model=model))
            begun = loop.time()
            assert (await (await host.start(program(body), run_id="run")).wait()).output == "done"
            assert loop.time() - begun < HOUR
            assert "deadline.struck" not in await kinds(store)

    run(main())


def test_a_time_limit_does_not_run_while_a_performer_waits_for_its_turn() -> None:
    """Point 6: "A deadline's clock runs only while something under it is performed or sleeps: not in
    queues"."""

    async def waits_and_works(call: Call, waiting: float, working: float) -> Json:
        with call.resting():
            await asyncio.sleep(waiting)
        await asyncio.sleep(working)
        return "done"

    async def story(waiting: float, working: float) -> Json:
        async with memory_store() as store:
            performers = Performers(model=partial(waits_and_works, waiting=waiting, working=working))
            work = await host_over(store, limited, performers).start(program(limited), run_id="run")
            return (await work.wait()).output

    assert run(story(HOUR, 9.0)) == "done"
    assert run(story(HOUR, 11.0)) == "timeout"
