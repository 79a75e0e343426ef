"""The crew: many runs at once, within limits, and no memory of those that wait."""

from __future__ import annotations

import asyncio
import gc
import weakref
from collections.abc import Sequence
from typing import Any

import pytest

from quintet.engine.combinators import gather
from quintet.engine.context import Context
from quintet.engine.local import LocalHost, Performers
from quintet.engine.values import Json
from quintet.store.port import Lease, Request, StoreBusy
from tests.engine.local.faulty_store import FaultyStore
from tests.engine.local.stage import QUESTION, Hands, echo, host_over, kinds, memory_store, program, question
from tests.engine.local.virtual_time import run
from tests.engine.play import ask


def wide(count: int) -> Any:
    async def body(ctx: Context, arguments: Json) -> Json:
        return len(await gather(ctx, [(str(number), ask()) for number in range(count)]))

    return body


def memory_of(host: LocalHost) -> Sequence[object]:
    """All that a host remembers of runs."""
    of: Any = host
    of = of._crew
    return [*of._workers, *of._tasks, *of._runs, *of._unreleased, *filter(None, [of._inbox])]


@pytest.mark.parametrize("limit", [1, 3])
def test_no_more_is_performed_at_once_than_the_host_allows(limit: int) -> None:
    async def main() -> None:
        hands = Hands()
        async with memory_store() as store:
            host = host_over(store, wide(10), Performers(model=hands), limits={"model": limit})
            works = [await host.start(program(wide(10)), run_id=f"run {n}") for n in range(2)]
            for done in range(20):
                await hands.until(min(20, done + limit))
                hands.give(next(path for path in hands.under_way))
            assert [(await work.wait()).output for work in works] == [10, 10]
            assert hands.most == limit

    run(main())


def test_a_limit_is_for_one_kind_of_touch() -> None:
    async def body(ctx: Context, arguments: Json) -> Json:
        ctx.branch("model", ask())
        return await ctx.tool("call", 1)

    async def main() -> None:
        hands = Hands()
        async with memory_store() as store:
            host = host_over(store, body, Performers(model=hands, tool=echo), limits={"model": 1, "tool": 1})
            work = await host.start(program(body), run_id="run")
            await hands.until(1)
            hands.give("model/ask")
            assert (await work.wait()).output == "call"

    run(main())


def test_a_performer_that_will_not_stop_keeps_its_place() -> None:
    async def body(ctx: Context, arguments: Json) -> Json:
        first = ctx.branch("first", ask())
        second = ctx.branch("second", ask())
        await ctx.tool("call", 1)
        first.cancel()
        return await second

    async def main() -> None:
        deaf = Hands(deaf=True)
        async with memory_store() as store:
            host = host_over(store, body, Performers(model=deaf, tool=echo), limits={"model": 1})
            work = await host.start(program(body), run_id="run")
            await deaf.until(1)
            await asyncio.sleep(60.0)
            assert (deaf.began, deaf.stopped) == (["first/ask"], ["first/ask"])
            deaf.give("first/ask")
            await deaf.until(2)
            deaf.give("second/ask", "it")
            assert (await work.wait()).output == "it"

    run(main())


def test_a_thousand_runs_that_wait_for_a_person_hold_no_memory() -> None:
    """A paused run is unloaded and holds no memory."""
    alive: weakref.WeakSet[Any] = weakref.WeakSet()

    class Heavy:
        pass

    async def body(ctx: Context, arguments: Json) -> Json:
        heavy = Heavy()
        alive.add(heavy)
        answer = await ctx.ask("ask", QUESTION)
        return [answer, str(heavy)]

    async def main() -> None:
        async with memory_store() as store:
            host = host_over(store, body, Performers())
            works = [await host.start(program(body), run_id=f"run {n}") for n in range(1000)]
            assert {(await work.wait()).status for work in works} == {"paused"}
            del works
            await asyncio.sleep(0)
            gc.collect()
            assert memory_of(host) == []
            assert asyncio.all_tasks() == {asyncio.current_task()}
            assert len(alive) == 0

    run(main())


def test_a_run_that_ended_leaves_nothing_behind() -> None:
    async def main() -> None:
        async with memory_store() as store:
            host = host_over(store, wide(3), Performers(model=echo))
            await (await host.start(program(wide(3)))).wait()
            await asyncio.sleep(0)
            assert memory_of(host) == []
            assert asyncio.all_tasks() == {asyncio.current_task()}

    run(main())


def test_an_answer_that_is_handed_in_while_its_run_is_unloaded_is_not_lost() -> None:
    """It is in the store; whoever let the run go looks once more."""

    class Slow(FaultyStore):
        """Lets somebody in at the moment at which a run has just been paused."""

        host: LocalHost
        answered = False

        async def append(self, lease: Lease, batch: Any) -> Any:
            events = await super().append(lease, batch)
            if events[-1].kind == "run.paused" and not self.answered:
                self.answered = True
                await self.host.answer("run", "ask", {"choice": "b"})
            return events

    async def main() -> None:
        async with memory_store() as store:
            slow = Slow(store)
            host = slow.host = host_over(slow.face, question, Performers())
            work = await host.start(program(question), run_id="run")
            report = await work.wait()
            assert (report.status, report.output) == ("completed", {"choice": "b"})
            assert (await kinds(store))[1:] == [
                "run.paused",
                "run.resumed",
                "question.answered",
                "run.completed",
            ]

    run(main())


def test_a_run_is_paused_again_when_what_was_handed_in_did_not_fit() -> None:
    async def main() -> None:
        async with memory_store() as store:
            host = host_over(store, question, Performers())
            await (await host.start(program(question), run_id="run")).wait()
            before = await store.log("run")
            await store.request(Request("run", "answer", "ask", {"choice": "neither"}))
            assert (await (await host.resume("run")).wait()).status == "paused"
            assert await store.requests("run") == []
            assert await store.log("run") == before

    run(main())


def test_a_run_that_could_not_be_let_go_is_let_go_when_it_is_wanted_again() -> None:
    class Busy(FaultyStore):
        is_busy = True

        async def release(self, lease: Lease) -> None:
            if self.is_busy:
                raise StoreBusy("locked")
            await store_of[0].release(lease)

    store_of: list[Any] = []

    async def main() -> None:
        async with memory_store() as store:
            store_of.append(store)
            busy = Busy(store)
            host = host_over(busy.face, question, Performers())
            await (await host.start(program(question), run_id="run")).wait()
            assert (await store.run("run")).holder is not None
            busy.is_busy = False
            work = await host.answer("run", "ask", {"choice": "a"})
            assert work is not None
            assert (await work.wait()).status == "completed"

    run(main())
