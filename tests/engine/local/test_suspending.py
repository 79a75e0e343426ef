"""Letting go: suspending is not cancelling, and a run that was let go goes on where it was."""

from __future__ import annotations

import asyncio

import pytest

from quintet.engine.combinators import gather
from quintet.engine.context import Context
from quintet.engine.failures import Cancelled
from quintet.engine.local import Performers
from quintet.engine.local.equipment import Broken
from quintet.engine.reports import Report
from quintet.engine.values import Json
from tests.engine.local.faulty_store import FaultyStore
from tests.engine.local.stage import (
    QUESTION,
    Hands,
    echo,
    host_over,
    kinds,
    memory_store,
    one_call,
    program,
    question,
    until_kept,
)
from tests.engine.local.virtual_time import run
from tests.engine.play import ask


async def two_models(ctx: Context, arguments: Json) -> Json:
    await gather(ctx, [("a", ask()), ("b", ask())])
    return "both"


def test_leaving_a_host_suspends_what_still_runs_and_the_program_sees_nothing_of_it() -> None:
    """Suspending is not cancelling: programs see nothing of it."""
    met: list[BaseException] = []

    async def body(ctx: Context, arguments: Json) -> Json:
        try:
            return await ctx.tool("call", 1)
        except (Exception, Cancelled) as error:
            met.append(error)
            raise

    async def main() -> None:
        hands = Hands()
        async with memory_store() as store:
            async with host_over(store, body, Performers(tool=hands)) as host:
                work = await host.start(program(body), run_id="run")
                await hands.until(1)
            assert await work.wait() == Report("run", "interrupted")
            assert hands.stopped == ["call"]
            row = await store.run("run")
            assert (row.status, row.shown, row.holder) == ("running", "interrupted", None)
            assert await kinds(store) == ["tool.called"]
            again = host_over(store, body, Performers(tool=echo))
            assert (await (await again.resume("run")).wait()).output == "call"
            assert await kinds(store) == ["tool.called", "run.resumed", "tool.finished", "run.completed"]

    run(main())
    assert [error for error in met if isinstance(error, Exception)] == []


def test_a_run_that_has_only_just_been_started_is_suspended_too() -> None:
    async def main() -> None:
        hands = Hands()
        async with memory_store() as store:
            async with host_over(store, one_call, Performers(tool=hands)) as host:
                work = await host.start(program(one_call), run_id="run")
            assert (await work.wait()).status == "interrupted"
            assert hands.began == []
            again = host_over(store, one_call, Performers(tool=echo))
            assert (await (await again.resume("run")).wait()).output == "call"

    run(main())


def test_without_grace_performers_are_stopped_at_once() -> None:
    async def main() -> None:
        hands, loop = Hands(), asyncio.get_running_loop()
        async with memory_store() as store:
            host = host_over(store, two_models, Performers(model=hands))
            await host.start(program(two_models), run_id="run")
            await hands.until(2)
            begun = loop.time()
            await host.suspend()
            assert loop.time() - begun < 0.1
            assert sorted(hands.stopped) == ["a/ask", "b/ask"]

    run(main())


def test_within_the_grace_outcomes_are_recorded_and_left_for_the_next_life() -> None:
    """Performers have so many seconds to end in peace; the program learns of it when it is resumed."""
    seen: list[str] = []

    async def member(ctx: Context, name: str) -> Json:
        answer = await ctx.model("ask", 1)
        seen.append(name)
        return [answer, await ctx.model("more", 1)]

    async def body(ctx: Context, arguments: Json) -> Json:
        names = ("a", "b")
        await gather(ctx, [(name, lambda ctx, name=name: member(ctx, name)) for name in names])
        return "both"

    async def main() -> None:
        hands, loop = Hands(), asyncio.get_running_loop()
        async with memory_store() as store:
            host = host_over(store, body, Performers(model=hands))
            work = await host.start(program(body), run_id="run")
            await hands.until(2)
            begun = loop.time()
            suspending = asyncio.create_task(host.suspend(60.0))
            await asyncio.sleep(20.0)
            hands.give("a/ask", 1)
            await until_kept(store, "model.answered")  # as soon as it comes
            assert loop.time() - begun < 30.0
            await suspending
            assert 60.0 <= loop.time() - begun < 61.0
            assert (await work.wait()).status == "interrupted"
            assert (seen, hands.began, hands.stopped) == ([], ["a/ask", "b/ask"], ["b/ask"])
            assert (await kinds(store))[-1] == "model.answered"
            performed = Hands()
            again = host_over(store, body, Performers(model=performed))
            await again.resume("run")
            await performed.until(2)
            assert seen == ["a"]
            assert sorted(performed.began) == ["a/more", "b/ask"]
            await again.abort()

    run(main())


def test_a_suspended_run_is_let_go_as_soon_as_its_performers_have_ended() -> None:
    async def main() -> None:
        hands, loop = Hands(), asyncio.get_running_loop()
        async with memory_store() as store:
            host = host_over(store, one_call, Performers(tool=hands))
            await host.start(program(one_call), run_id="run")
            await hands.until(1)
            begun = loop.time()
            suspending = asyncio.create_task(host.suspend(3600.0))
            await asyncio.sleep(5.0)
            hands.give("call", "it")
            await suspending
            assert loop.time() - begun < 6.0
            report = await (await host.resume("run")).wait()
            assert (report.output, hands.began) == ("it", ["call"])

    run(main())


@pytest.mark.parametrize("grace", [0.0, 60.0])
def test_a_performer_that_will_not_stop_is_left_to_itself(grace: float) -> None:
    async def main() -> None:
        deaf, loop = Hands(deaf=True), asyncio.get_running_loop()
        async with memory_store() as store:
            host = host_over(store, one_call, Performers(tool=deaf))
            work = await host.start(program(one_call), run_id="run")
            await deaf.until(1)
            begun = loop.time()
            await asyncio.wait_for(host.suspend(grace), 600.0)
            assert grace + 1.0 <= loop.time() - begun < grace + 2.0
            assert (await work.wait()).status == "interrupted"
            assert (await store.run("run")).holder is None
            report = await (await host_over(store, one_call, Performers(tool=echo)).resume("run")).wait()
            assert report.output == "call"
            deaf.give("call", "too late")

    run(main())


def test_what_stands_in_a_queue_does_not_begin_while_its_run_is_being_suspended() -> None:
    async def main() -> None:
        hands = Hands()
        async with memory_store() as store:
            host = host_over(store, two_models, Performers(model=hands), limits={"model": 1})
            await host.start(program(two_models), run_id="run")
            await hands.until(1)
            suspending = asyncio.create_task(host.suspend(60.0))
            await asyncio.sleep(1.0)
            hands.give("a/ask")
            await suspending
            assert hands.began == ["a/ask"]

    run(main())


def test_a_run_that_is_being_cancelled_is_not_left_half_cancelled() -> None:
    """A log is either that of a run that goes on or that of one that ended."""

    async def main(ends: bool) -> None:
        deaf = Hands(deaf=True)
        async with memory_store() as store:
            host = host_over(store, one_call, Performers(tool=deaf))
            work = await host.start(program(one_call), run_id="run")
            await deaf.until(1)
            await until_kept(store, "tool.called")
            await host.cancel("run")
            await deaf.until_stopped()
            if ends:
                suspending = asyncio.create_task(host.suspend(60.0))
                await asyncio.sleep(1.0)
                deaf.give("call", "too late")
                await suspending
                assert (await work.wait()).status == "cancelled"
            else:
                await host.abort()
                assert (await work.wait()).status == "interrupted"
                assert await kinds(store) == ["tool.called"]
                assert [request.verb for request in await store.requests("run")] == ["cancel"]
                assert (await (await host.resume("run")).wait()).status == "cancelled"
                deaf.give("call")
            assert (await kinds(store))[-1] == "run.cancelled"

    run(main(ends=True))
    run(main(ends=False))


def test_the_end_of_a_cancelled_run_that_is_suspended_is_one_append() -> None:
    """From the moment at which a cancel is taken up, nothing is appended until all performers have ended."""

    async def main() -> None:
        deaf = Hands(deaf=True)
        async with memory_store() as store:
            faulty = FaultyStore(store)
            host = host_over(faulty.face, two_models, Performers(model=deaf))
            work = await host.start(program(two_models), run_id="run")
            await deaf.until(2)
            await until_kept(store, "model.requested")
            before = len(await store.log("run"))
            await host.cancel("run")
            await deaf.until_stopped(2)
            suspending = asyncio.create_task(host.suspend(60.0))
            for path in ("a/ask", "b/ask"):
                await asyncio.sleep(1.0)
                deaf.give(path)
            await suspending
            assert (await work.wait()).status == "cancelled"
            assert faulty.began["run"] == before

    run(main())


def test_a_run_that_is_taken_up_while_all_are_being_suspended_is_suspended_too() -> None:
    async def body(ctx: Context, arguments: Json) -> Json:
        if arguments == "ask":
            await ctx.ask("ask", QUESTION)
        return await ctx.tool("call", 1)

    async def main() -> None:
        hands = Hands()
        async with memory_store() as store:
            host = host_over(store, body, Performers(tool=hands))
            await (await host.start(program(body), "ask", run_id="asking")).wait()
            await host.start(program(body), run_id="run")
            await hands.until(1)
            suspending = asyncio.create_task(host.suspend(60.0))
            await asyncio.sleep(1.0)
            work = await host.answer("asking", "ask", {"choice": "a"})
            assert work is not None
            assert (await work.wait()).status == "interrupted"
            hands.give("call")
            await suspending
            assert hands.began == ["call"]

    run(main())


def test_an_aborted_run_goes_on_where_it_was() -> None:
    async def main() -> None:
        hands = Hands()
        async with memory_store() as store:
            host = host_over(store, two_models, Performers(model=hands))
            work = await host.start(program(two_models), run_id="run")
            await hands.until(2)
            hands.give("a/ask")
            await until_kept(store, "model.answered")
            waiting = asyncio.create_task(work.wait())
            await host.abort()
            assert await waiting == Report("run", "interrupted")
            assert (await store.run("run")).holder is None
            performed = Hands()
            again = host_over(store, two_models, Performers(model=performed))
            finishing = await again.resume("run")
            await performed.until(1)
            performed.give("b/ask")
            assert (await finishing.wait()).output == "both"
            assert performed.began == ["b/ask"]

    run(main())


def test_a_run_that_is_aborted_before_it_could_begin_is_let_go() -> None:
    async def main() -> None:
        async with memory_store() as store:
            host = host_over(store, one_call, Performers(tool=echo))
            await host.start(program(one_call), run_id="run")
            await host.abort()
            assert (await (await host.resume("run")).wait()).output == "call"

    run(main())


def test_whoever_waits_may_stop_waiting_without_stopping_the_run() -> None:
    async def main() -> None:
        hands = Hands()
        async with memory_store() as store:
            host = host_over(store, one_call, Performers(tool=hands))
            work = await host.start(program(one_call), run_id="run")
            await hands.until(1)
            with pytest.raises(TimeoutError):
                await asyncio.wait_for(work.wait(), 5.0)
            assert hands.stopped == []
            hands.give("call", "it")
            assert (await work.wait()).output == "it"

    run(main())


def test_a_performer_that_breaks_while_its_run_is_suspended_is_told_to_who_waits() -> None:
    async def main() -> None:
        hands = Hands()
        async with memory_store() as store:
            host = host_over(store, one_call, Performers(tool=hands))
            work = await host.start(program(one_call), run_id="run")
            await hands.until(1)
            suspending = asyncio.create_task(host.suspend(60.0))
            await asyncio.sleep(1.0)
            hands.fail("call", KeyError("oops"))
            await suspending
            with pytest.raises(Broken, match="oops"):
                await work.wait()
            assert (await store.run("run")).holder is None

    run(main())


def test_a_paused_run_is_suspended_by_doing_nothing() -> None:
    async def main() -> None:
        async with memory_store() as store:
            async with host_over(store, question, Performers()) as host:
                work = await host.start(program(question), run_id="run")
                assert (await work.wait()).status == "paused"
                before = await store.log("run")
            assert await store.log("run") == before

    run(main())
