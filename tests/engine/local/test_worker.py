"""The worker: one run, driven from where its log ends until it ends, waits, or is let go."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest

from quintet.engine.combinators import gather
from quintet.engine.context import Context
from quintet.engine.events import Event
from quintet.engine.failures import Failed, Failure, LeaseLost, ProgramError
from quintet.engine.local import Performers
from quintet.engine.local.equipment import Broken
from quintet.engine.memory import Fault
from quintet.engine.performing import Call
from quintet.engine.rules import Rules
from quintet.engine.values import Json
from quintet.store.port import Batch, Lease, StoreFull
from tests.engine.local.faulty_store import FaultyStore
from tests.engine.local.stage import (
    Hands,
    TroubledStore,
    echo,
    host_over,
    kinds,
    memory_store,
    one_call,
    program,
    until_kept,
)
from tests.engine.local.virtual_time import run
from tests.engine.play import ask


async def three_calls(ctx: Context, arguments: Json) -> Json:
    return [await ctx.tool("call", number) for number in range(3)]


async def two_models(ctx: Context, arguments: Json) -> Json:
    await gather(ctx, [("a", ask()), ("b", ask())])
    return "both"


# Appending


def test_an_outcome_is_on_the_disk_before_the_program_sees_it() -> None:
    seen: list[Json] = []

    async def body(ctx: Context, arguments: Json) -> Json:
        seen.append(await ctx.tool("call", 1))
        return None

    class Watched(FaultyStore):
        async def append(self, lease: Lease, batch: Batch) -> Sequence[Event]:
            assert not seen or batch.events[-1].kind == "run.completed"
            return await super().append(lease, batch)

    async def main() -> None:
        async with memory_store() as store:
            host = host_over(Watched(store).face, body, Performers(tool=echo))
            assert (await (await host.start(program(body))).wait()).status == "completed"

    run(main())
    assert seen == ["call"]


def test_starts_and_notes_are_kept_within_fifty_milliseconds() -> None:
    """Starts and notes are committed with the next outcome or within 50 ms."""
    appended: list[float] = []

    class Watched(FaultyStore):
        async def append(self, lease: Lease, batch: Batch) -> Sequence[Event]:
            appended.append(asyncio.get_running_loop().time())
            return await super().append(lease, batch)

    async def main() -> None:
        loop, hands = asyncio.get_running_loop(), Hands()
        async with (
            memory_store() as store,
            host_over(Watched(store).face, one_call, Performers(tool=hands)) as host,
        ):
            begun = loop.time()
            await host.start(program(one_call), run_id="run")
            await hands.until(1)
            assert await kinds(store) == []
            await until_kept(store, "tool.called")
            assert 0.05 <= appended[0] - begun < 0.5  # a busy machine takes a moment longer
            assert len(appended) == 1

    run(main())


def test_rows_carry_the_time_they_came_about_and_never_run_backwards() -> None:
    now = [1000.0]

    async def main() -> None:
        hands = Hands()
        async with memory_store() as store:
            host = host_over(store, two_models, Performers(model=hands), clock=lambda: now[0])
            work = await host.start(program(two_models), run_id="run")
            await hands.until(2)
            now[0] = 1005.0
            hands.give("a/ask")
            await until_kept(store, "model.answered")
            now[0] = 400.0  # the clock is set back
            hands.give("b/ask")
            await work.wait()
            times = [(event.kind, event.time) for event in (await store.log("run"))[2:]]
            assert times[:2] == [("model.requested", 1000.0)] * 2
            assert {time for _, time in times[2:]} <= {1000.0, 1005.0}
            assert [time for _, time in times] == sorted(time for _, time in times)

    run(main())


def test_a_store_that_fails_stops_the_run_where_it_is_and_it_can_be_resumed() -> None:
    async def main(append: int) -> None:
        performed: list[Json] = []

        async def tool(call: Call) -> Json:
            performed.append(call.request)
            return call.request

        async with memory_store() as store:
            troubled = TroubledStore(store, StoreFull("no space left"), append).face
            host = host_over(troubled, three_calls, Performers(tool=tool))
            work = await host.start(program(three_calls), run_id="run")
            with pytest.raises(StoreFull, match="no space"):
                await work.wait()
            row = await store.run("run")
            assert (row.shown, row.holder) == ("interrupted", None)
            kept = await store.log("run")
            report = await (await host.resume("run")).wait()
            assert report.output == [0, 1, 2]
            assert (await store.log("run"))[: len(kept)] == kept
            assert sorted(map(str, performed)) == ["0", "1", "2"] if append == 4 else len(performed) == 4

    for append in (1, 2, 3, 4):
        run(main(append))


def test_a_run_that_was_taken_over_stops_here_and_adds_nothing() -> None:
    """An old holder that wakes up cannot append."""

    async def main() -> None:
        hands = Hands()
        async with memory_store() as store:
            faulty = FaultyStore(store, [Fault("lease lost", 1)])
            host = host_over(faulty.face, two_models, Performers(model=hands))
            work = await host.start(program(two_models), run_id="run")
            await hands.until(2)
            hands.give("a/ask")
            with pytest.raises(LeaseLost):
                await work.wait()
            assert (faulty.appends, await kinds(store)) == (1, [])
            await hands.until_stopped()
            assert hands.stopped == ["b/ask"]

    run(main())


def test_a_bug_in_the_program_stops_the_run_with_its_log_intact() -> None:
    async def buggy(ctx: Context, arguments: Json) -> Json:
        await ctx.tool("call", "please")
        raise KeyError("oops")

    async def main() -> None:
        async with memory_store() as store:
            host = host_over(store, buggy, Performers(tool=echo))
            with pytest.raises(ProgramError, match="oops"):
                await (await host.start(program(buggy), run_id="run")).wait()
            assert await kinds(store) == ["tool.called", "tool.finished"]
            mended = host_over(store, one_call, Performers())
            assert (await (await mended.resume("run")).wait()).output == "call"

    run(main())


# Performers


@pytest.mark.parametrize("error", [ValueError("oops"), KeyError("oops"), TimeoutError("oops")])
def test_a_performer_that_raises_what_is_no_failure_breaks_off_and_the_run_can_be_resumed(
    error: Exception,
) -> None:
    async def main() -> None:
        hands = Hands()
        async with memory_store() as store:
            host = host_over(store, two_models, Performers(model=hands))
            work = await host.start(program(two_models), run_id="run")
            await hands.until(2)
            hands.fail("a/ask", error)
            with pytest.raises(Broken, match=f"a/ask.*{type(error).__name__}.*oops") as caught:
                await work.wait()
            assert caught.value.__cause__ is error
            assert (await store.run("run")).shown == "interrupted"
            mended = host_over(store, two_models, Performers(model=echo))
            assert (await (await mended.resume("run")).wait()).output == "both"

    run(main())


def test_a_performer_that_cancels_itself_breaks_off_and_the_run_can_be_resumed() -> None:
    async def suicidal(call: Call) -> Json:
        raise asyncio.CancelledError

    async def main() -> None:
        async with memory_store() as store:
            host = host_over(store, one_call, Performers(tool=suicidal))
            with pytest.raises(Broken, match="cancelled itself"):
                await (await host.start(program(one_call), run_id="run")).wait()
            mended = host_over(store, one_call, Performers(tool=echo))
            assert (await (await mended.resume("run")).wait()).output == "call"

    run(main())


def _circle() -> Json:
    value: list[Json] = []
    value.append(value)
    return value


@pytest.mark.parametrize("value", [object(), float("nan"), {1: 2}, _circle()])
def test_a_performer_that_gives_no_json_has_failed(value: Json) -> None:
    async def odd(call: Call) -> Json:
        return value

    async def main() -> None:
        async with memory_store() as store:
            host = host_over(store, one_call, Performers(tool=odd))
            report = await (await host.start(program(one_call))).wait()
            assert report.failure is not None
            assert report.failure.kind == "invalid_result"

    run(main())


def test_what_cannot_be_recorded_at_all_breaks_off_and_leaves_nobody_waiting() -> None:
    async def odd(call: Call) -> Json:
        raise Failed(Failure("tool", object()))  # pyright: ignore[reportArgumentType] - that is the point

    async def main() -> None:
        async with memory_store() as store:
            host = host_over(store, one_call, Performers(tool=odd))
            with pytest.raises(Broken, match="JSON"):
                await (await host.start(program(one_call))).wait()

    run(main())


def test_a_performer_that_was_told_to_stop_may_still_give_what_it_has() -> None:
    """A terminal event comes after all performers have ended; a late outcome is recorded before it."""

    async def body(ctx: Context, arguments: Json) -> Json:
        loser = ctx.branch("loser", ask())
        await ctx.tool("winner", 1)
        loser.cancel()
        return "won"

    async def main() -> None:
        deaf = Hands(deaf=True)
        async with memory_store() as store:
            host = host_over(store, body, Performers(model=deaf, tool=echo))
            work = await host.start(program(body), run_id="run")
            await deaf.until(1)
            await deaf.until_stopped()
            assert (await store.run("run")).status == "running"
            deaf.give("loser/ask", "too late")
            assert (await work.wait()).output == "won"
            assert (await kinds(store))[-3:] == ["touch.cancelled", "model.answered", "run.completed"]

    run(main())


# Cancelling, however odd


def test_a_bug_in_clean_up_code_does_not_keep_a_run_from_being_cancelled() -> None:
    async def body(ctx: Context, arguments: Json) -> Json:
        try:
            return await ctx.tool("call", 1)
        finally:
            raise KeyError("oops")

    async def main() -> None:
        hands = Hands()
        async with memory_store() as store:
            host = host_over(store, body, Performers(tool=hands))
            work = await host.start(program(body), run_id="run")
            await hands.until(1)
            await host.cancel("run")
            assert (await work.wait()).status == "cancelled"
            assert hands.stopped == ["call"]

    run(main())


def test_an_unsafe_touch_is_begun_when_its_start_is_on_the_disk() -> None:
    """Point 8: a touch declared unsafe to repeat has its start committed before it is performed."""

    async def main() -> None:
        async with memory_store() as store:

            async def tool(call: Call) -> Json:
                assert await kinds(store) == ["tool.called"]
                return "paid"

            rules = Rules(is_unsafe=lambda touch: True)
            host = host_over(store, one_call, Performers(tool=tool), rules=rules)
            assert (await (await host.start(program(one_call), run_id="run")).wait()).output == "paid"

    run(main())


def test_a_run_that_a_bug_stops_has_told_what_was_begun() -> None:
    """Starts and notes are committed "before a run is unloaded"."""

    async def breaks(call: Call) -> Json:
        raise ValueError("oops")

    async def noting(ctx: Context, arguments: Json) -> Json:
        ctx.note("step.started")
        return await ctx.tool("call", "please")

    async def main() -> None:
        async with memory_store() as store:
            host = host_over(store, noting, Performers(tool=breaks))
            with pytest.raises(Broken):
                await (await host.start(program(noting), run_id="run")).wait()
            assert [event.kind for event in await store.log("run")][2:] == ["step.started", "tool.called"]

    run(main())
