"""The local host: what can be done with runs, whether they are being worked on here, elsewhere or nowhere."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from quintet.engine.combinators import gather
from quintet.engine.context import Context
from quintet.engine.failures import Diverged, Failed, Failure, Held
from quintet.engine.gates import Gate, Go
from quintet.engine.local import LocalHost, Performers
from quintet.engine.local.host import NotAsked
from quintet.engine.paths import parse, write
from quintet.engine.performing import Call
from quintet.engine.programs import Program, ProgramBody, Unsupported
from quintet.engine.questions import Field, Question, WrongAnswer
from quintet.engine.redaction import Redactor
from quintet.engine.rules import Rules
from quintet.engine.states import ENDED
from quintet.engine.touches import Touch
from quintet.engine.values import Json
from quintet.store.port import AlreadyDecided, NoSuchRun, Request, RunEnded, RunExists, Store
from quintet.store.sqlite import SqliteStore
from tests.engine.local.faulty_store import FaultyStore
from tests.engine.local.stage import (
    QUESTION,
    Hands,
    echo,
    given,
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


async def busy_and_asking(ctx: Context, arguments: Json) -> Json:
    """Asks while something else is under way."""
    ctx.branch("busy", ask())
    return await ctx.ask("ask", QUESTION)


async def two_questions(ctx: Context, arguments: Json) -> Json:
    return [await ctx.ask("ask", QUESTION), await ctx.ask("again", QUESTION)]


async def until_over(store: Store) -> str:
    """Until the run ends, whoever works on it."""
    async with asyncio.timeout(20.0):
        while (status := (await store.run("run")).status) not in ENDED:
            pass
    return status


async def chain(ctx: Context, arguments: Json) -> Json:
    return [await ctx.tool(name, 1) for name in "abc"]


# Starting


def test_a_run_is_listed_as_it_was_started() -> None:
    async def main() -> None:
        async with memory_store() as store:
            host = host_over(store, one_call, Performers(tool=echo))
            work = await host.start(program(one_call), "hi", workflow="review", format="car")
            assert (await work.wait()).run_id == work.id
            row = await store.run(work.id)
            assert (row.workflow, row.format, row.origin, row.parent) == ("review", "car", work.id, None)

    run(main())


def test_an_id_is_used_once_and_who_comes_second_leaves_nothing_behind() -> None:
    async def tidy(ctx: Context, arguments: Json) -> Json:
        try:
            return await ctx.ask("ask", QUESTION)
        finally:
            await ctx.tool("call", 1)

    async def main() -> None:
        async with memory_store() as store:
            host = host_over(store, tidy, Performers())
            await (await host.start(program(tidy), run_id="run")).wait()
            before = await store.log("run")
            with pytest.raises(RunExists):
                await host.start(program(tidy), run_id="run")
            gc.collect()  # a program that was only forgotten would complain here
            assert await store.log("run") == before

    run(main())


def test_a_run_is_worked_on_by_one_at_a_time() -> None:
    async def main() -> None:
        hands = Hands()
        async with memory_store() as store, host_over(store, one_call, Performers(tool=hands)) as host:
            await host.start(program(one_call), run_id="run")
            with pytest.raises(Held):
                await host.resume("run")

    run(main())


def test_a_run_that_cannot_be_replayed_is_let_go_with_its_log_as_it_was() -> None:
    async def asks_something_else(ctx: Context, arguments: Json) -> Json:
        await ctx.tool("a", 2)
        return await ctx.ask("ask", QUESTION)

    async def asks(ctx: Context, arguments: Json) -> Json:
        await ctx.tool("a", 1)
        return await ctx.ask("ask", QUESTION)

    async def main() -> None:
        async with memory_store() as store:
            await (
                await host_over(store, asks, Performers(tool=echo)).start(program(asks), run_id="run")
            ).wait()
            before = await store.log("run")
            changed = host_over(store, asks_something_else, Performers())
            for _ in range(2):
                with pytest.raises(Diverged, match="it now asks 2"):
                    await changed.resume("run")
            assert await store.log("run") == before
            assert (await store.run("run")).holder is None
            with pytest.raises(NoSuchRun):
                await changed.resume("another")

    run(main())


def test_a_run_of_another_program_is_refused() -> None:
    async def main() -> None:
        async with memory_store() as store:
            host = host_over(store, question, Performers())
            await (await host.start(Program("other", question), run_id="run")).wait()
            with pytest.raises(Unsupported, match="'other'"):
                await host.resume("run")
            assert (await store.run("run")).holder is None

    run(main())


# Fork and retry


def test_a_fork_is_kept_with_what_it_took_over() -> None:
    performed: list[str] = []

    async def tool(call: Call) -> Json:
        performed.append(write(call.path))
        return f"{call.run_id} {write(call.path)}"

    async def main() -> None:
        async with memory_store() as store:
            host = host_over(store, chain, Performers(tool=tool))
            await (await host.start(program(chain), run_id="old", workflow="w", format="f")).wait()
            performed.clear()
            report = await (await host.fork("old", parse("b"), new_run="new")).wait()
            assert report.output == ["old a", "new b", "new c"]
            assert performed == ["b", "c"]
            row = await store.run("new")
            assert (row.parent, row.origin, row.workflow, row.format) == ("old", "new", "w", "f")

    run(main())


def test_a_retry_performs_only_what_failed() -> None:
    async def body(ctx: Context, arguments: Json) -> Json:
        names = ("a", "b", "c")
        results = await gather(ctx, [(name, ask()) for name in names], limit=1, on_error="collect")
        for result in results:
            if isinstance(result, Failure):
                raise Failed(result)
        return "all"

    performed: list[str] = []

    async def model(call: Call) -> Json:
        performed.append(write(call.path))
        if (call.run_id, write(call.path)) == ("old", "a/ask"):
            raise Failed(Failure("provider", "no"))
        return None

    async def main() -> None:
        async with memory_store() as store:
            host = host_over(store, body, Performers(model=model))
            assert (await (await host.start(program(body), run_id="old")).wait()).status == "failed"
            performed.clear()
            report = await (await host.retry("old", new_run="new")).wait()
            assert (report.output, performed) == ("all", ["a/ask"])
            row = await store.run("new")
            assert (row.parent, row.origin) == ("old", "old")

    run(main())


# Answering and cancelling: a run that is idle, and one that is worked on here


def test_an_answer_takes_an_idle_run_up() -> None:
    async def main() -> None:
        async with memory_store() as store:
            host = host_over(store, question, Performers())
            await (await host.start(program(question), run_id="run")).wait()
            work = await host.answer("run", "ask", {"choice": "a"})
            assert work is not None
            assert (await work.wait()).output == {"choice": "a"}

    run(main())


def test_an_answer_reaches_a_run_that_is_worked_on_here() -> None:
    async def main() -> None:
        hands = Hands()
        async with memory_store() as store:
            host = host_over(store, busy_and_asking, Performers(model=hands))
            work = await host.start(program(busy_and_asking), run_id="run")
            await hands.until(1)
            await until_kept(store, "question.asked")
            assert await host.answer("run", "ask", {"choice": "a"}) is work
            await until_kept(store, "question.answered")
            hands.give("busy/ask")
            assert (await work.wait()).output == {"choice": "a"}

    run(main())


def test_what_is_not_asked_cannot_be_answered_and_what_does_not_fit_is_not_handed_in() -> None:
    async def main() -> None:
        async with memory_store() as store:
            host = host_over(store, question, Performers())
            await (await host.start(program(question), run_id="run")).wait()
            with pytest.raises(NotAsked, match="'elsewhere'"):
                await host.answer("run", "elsewhere", 1)
            for wrong in ({"choice": "c"}, {}, "a"):
                with pytest.raises(WrongAnswer):
                    await host.answer("run", "ask", wrong)
            assert await store.requests("run") == []
            work = await host.answer("run", "ask", {"choice": "b"})
            assert work is not None
            await work.wait()
            with pytest.raises(RunEnded, match="completed"):
                await host.answer("run", "elsewhere", 1)

    run(main())


def test_who_answers_too_late_is_told_who_was_faster_even_if_all_is_over() -> None:
    async def main(body: ProgramBody) -> None:
        async with memory_store() as store:
            host = host_over(store, body, Performers())
            await (await host.start(program(body), run_id="run")).wait()
            work = await host.answer("run", "ask", {"choice": "a"}, by="Ann")
            assert work is not None
            await work.wait()
            before = await store.log("run")
            with pytest.raises(AlreadyDecided, match="decided by Ann"):
                await host.answer("run", "ask", {"choice": "b"}, by="Bob")
            assert await store.log("run") == before

    run(main(question))
    run(main(two_questions))


def test_an_answer_that_is_no_json_is_a_wrong_one() -> None:
    async def anything(ctx: Context, arguments: Json) -> Json:
        return await ctx.ask("ask", Question("anything?"))

    async def main() -> None:
        async with memory_store() as store:
            host = host_over(store, anything, Performers())
            await (await host.start(program(anything), run_id="run")).wait()
            for wrong in (float("nan"), object()):
                with pytest.raises(WrongAnswer, match="must be JSON"):
                    await host.answer("run", "ask", wrong)  # pyright: ignore[reportArgumentType]
            assert await store.requests("run") == []

    run(main())


def test_an_answer_is_handed_in_without_secrets() -> None:
    """Secrets are redacted before anything is recorded; a request is kept, too."""

    async def body(ctx: Context, arguments: Json) -> Json:
        ctx.branch("busy", ask())
        return [await ctx.ask("first", Question("key?")), await ctx.ask("second", Question("key?"))]

    rules = Rules(redactor=Redactor(["sesame"]))

    async def main() -> None:
        hands = Hands()
        async with memory_store() as store:
            host = host_over(store, body, Performers())  # which knows no secrets
            equip = given(body, Performers(model=hands), rules)
            await host.start(program(body), run_id="run", equip=equip)
            await until_kept(store, "question.asked")
            await host.answer("run", "first", "it is sesame")  # where it is worked on
            await until_kept(store, "question.answered")
            await host.suspend()
            hands = Hands()
            await host.answer(
                "run", "second", "it is sesame", equip=given(body, Performers(model=hands), rules)
            )
            answers = [await store.answer_to("run", target) for target in ("first", "second")]
            assert [answer and answer.data for answer in answers] == ["it is [secret]"] * 2
            await host.abort()

    run(main())


def test_an_answer_that_does_not_fit_without_its_secrets_is_a_wrong_one() -> None:
    async def main() -> None:
        async with memory_store() as store:
            asked = Question("pin?", (Field("pin", "integer"),))

            async def body(ctx: Context, arguments: Json) -> Json:
                return await ctx.ask("ask", asked)

            host = host_over(store, body, Performers(), rules=Rules(redactor=Redactor(["12345"])))
            await (await host.start(program(body), run_id="run")).wait()
            with pytest.raises(WrongAnswer, match="whole number"):
                await host.answer("run", "ask", {"pin": 12345})

    run(main())


def test_what_a_run_reports_is_what_was_recorded() -> None:
    async def body(ctx: Context, arguments: Json) -> Json:
        if arguments == "fail":
            raise Failed(Failure("refused", "not with sesame", detail={"sesame"}))  # pyright: ignore[reportArgumentType]
        return {"key": "sesame", "parts": ("a", "b")}

    async def main() -> None:
        async with memory_store() as store:
            host = host_over(store, body, Performers(), rules=Rules(redactor=Redactor(["sesame"])))
            report = await (await host.start(program(body))).wait()
            assert report.output == {"key": "[secret]", "parts": ["a", "b"]}
            report = await (await host.start(program(body), "fail")).wait()
            assert report.failure is not None
            assert report.failure.message == "not with [secret]"
            assert str(report.failure.detail).startswith("not JSON")

    run(main())


def test_what_somebody_handed_in_and_did_not_live_to_act_on_is_acted_on_by_the_next() -> None:
    async def main() -> None:
        async with memory_store() as store:
            host = host_over(store, question, Performers())
            await (await host.start(program(question), run_id="run")).wait()
            await store.request(Request("run", "answer", "ask", {"choice": "a"}, "Ann"))
            with pytest.raises(AlreadyDecided, match="decided by Ann"):
                await host.answer("run", "ask", {"choice": "b"}, by="Bob")
            assert await until_over(store) == "completed"
            assert (await kinds(store))[-2:] == ["question.answered", "run.completed"]

            await (await host.start(program(question), run_id="idle")).wait()
            await store.request(Request("idle", "cancel", by="Ann"))
            with pytest.raises(AlreadyDecided, match="decided by Ann"):
                await host.cancel("idle", by="Bob")
            assert (await store.run("idle")).status == "cancelled"
            assert await store.requests("idle") == []

    run(main())


def test_what_somebody_did_not_live_to_act_on_is_kept_even_if_the_next_lives_no_longer() -> None:
    """A process that is told so and ends, as that of a command does, has recorded the answer."""

    async def main() -> None:
        async with memory_store() as store:
            host = host_over(store, question, Performers())
            await (await host.start(program(question), run_id="run")).wait()
            await store.request(Request("run", "answer", "ask", {"choice": "a"}, "Ann"))
            with pytest.raises(AlreadyDecided):
                async with host_over(store, question, Performers()) as short:
                    await short.answer("run", "ask", {"choice": "b"}, by="Bob")
            assert (await kinds(store))[-2:] == ["run.resumed", "question.answered"]
            assert (await store.run("run")).holder is None
            assert (await (await host.resume("run")).wait()).output == {"choice": "a"}

    run(main())


def test_whose_answer_was_taken_is_not_told_that_the_run_ended_meanwhile() -> None:
    class Slow(FaultyStore):
        """Lets somebody in when an answer has been handed in, before anybody acts on it."""

        meanwhile: Callable[[], Awaitable[object]]

        async def request(self, request: Request) -> Request:
            kept = await store_of[0].request(request)
            await self.meanwhile()
            return kept

    store_of: list[Any] = []

    async def main(*, cancelled: bool) -> None:
        async with memory_store() as store:
            store_of[:] = [store]
            other = host_over(store, question, Performers())
            await (await other.start(program(question), run_id="run")).wait()

            async def meanwhile() -> None:
                if cancelled:
                    await other.cancel("run")
                else:
                    await (await other.resume("run")).wait()

            slow = Slow(store)
            slow.meanwhile = meanwhile
            host = host_over(slow.face, question, Performers())
            if cancelled:
                with pytest.raises(RunEnded, match="cancelled"):
                    await host.answer("run", "ask", {"choice": "a"})
            else:
                assert await host.answer("run", "ask", {"choice": "a"}) is None

    run(main(cancelled=True))
    run(main(cancelled=False))


def test_a_gate_at_which_nothing_waits_any_more_is_not_asked() -> None:
    def gatekeeper(touch: Touch, answers: Mapping[str, Json]) -> Gate | None:
        return Gate("budget", Question("more?"), lambda answer: Go(), shared=True)

    async def body(ctx: Context, arguments: Json) -> Json:
        waiting = ctx.branch("waiting", ask())
        await ctx.ask("first", QUESTION)
        waiting.cancel()
        return await ctx.ask("ask", QUESTION)

    async def main() -> None:
        async with memory_store() as store:
            host = host_over(store, body, Performers(), rules=Rules(gatekeepers=(gatekeeper,)))
            report = await (await host.start(program(body), run_id="run")).wait()
            assert sorted(asked.target for asked in report.asked) == ["?budget", "first"]
            work = await host.answer("run", "first", {"choice": "a"})
            assert work is not None
            assert [asked.target for asked in (await work.wait()).asked] == ["ask"]
            with pytest.raises(NotAsked, match="budget"):
                await host.answer("run", "?budget", "yes")
            assert await store.requests("run") == []

    run(main())


def test_of_two_people_who_answer_at_once_one_wins_and_the_other_is_told() -> None:
    async def main() -> None:
        async with memory_store() as store:
            host = host_over(store, question, Performers())
            await (await host.start(program(question), run_id="run")).wait()
            answers = await asyncio.gather(
                host.answer("run", "ask", {"choice": "a"}, by="Ann"),
                host.answer("run", "ask", {"choice": "b"}, by="Bob"),
                return_exceptions=True,
            )
            [told] = [answer for answer in answers if isinstance(answer, AlreadyDecided)]
            [work] = [answer for answer in answers if not isinstance(answer, BaseException)]
            assert work is not None
            winner = {"Ann": "a", "Bob": "b"}[told.first.by]
            assert (await work.wait()).output == {"choice": winner}

    run(main())


def test_an_idle_run_is_cancelled_on_the_spot_even_if_its_program_is_gone() -> None:
    async def main() -> None:
        async with memory_store() as store:
            host = host_over(store, question, Performers())
            await (await host.start(program(question), run_id="run")).wait()
            await host_over(store, one_call, Performers()).cancel("run", by="Ann")
            assert (await kinds(store))[-2:] == ["run.paused", "run.cancelled"]
            assert (await store.run("run")).holder is None
            with pytest.raises(RunEnded):
                await host.cancel("run")
            with pytest.raises(RunEnded, match="cancelled"):
                await host.answer("run", "ask", {"choice": "a"})

    run(main())


def test_a_run_that_is_worked_on_here_is_cancelled_by_who_works_on_it() -> None:
    async def main() -> None:
        hands = Hands()
        async with memory_store() as store:
            host = host_over(store, one_call, Performers(tool=hands))
            work = await host.start(program(one_call), run_id="run")
            await host.cancel("run")
            with pytest.raises((AlreadyDecided, RunEnded)):
                await host.cancel("run")
            assert (await work.wait()).status == "cancelled"
            assert (await kinds(store))[-1] == "run.cancelled"

    run(main())


# The same, from another process


@asynccontextmanager
async def two_stores(place: Path) -> AsyncGenerator[tuple[SqliteStore, SqliteStore]]:
    """One file, as two processes see it."""
    here, there = await SqliteStore.open(place), await SqliteStore.open(place)
    try:
        yield here, there
    finally:
        await there.close()
        await here.close()


def test_an_answer_reaches_a_run_that_another_host_works_on(tmp_path: Path) -> None:
    async def main() -> None:
        hands = Hands()
        async with two_stores(tmp_path / "store") as (here, there):
            worker = host_over(here, busy_and_asking, Performers(model=hands))
            work = await worker.start(program(busy_and_asking), run_id="run")
            await hands.until(1)
            await until_kept(here, "question.asked")
            other = host_over(there, busy_and_asking, Performers())
            with pytest.raises(Held):
                await other.resume("run")
            assert await other.answer("run", "ask", {"choice": "b"}) is None
            with pytest.raises((AlreadyDecided, NotAsked)):
                await worker.answer("run", "ask", {"choice": "a"})
            await until_kept(there, "question.answered")
            hands.give("busy/ask")
            assert (await work.wait()).output == {"choice": "b"}

    asyncio.run(main())


def test_a_run_that_another_host_works_on_is_cancelled_by_that(tmp_path: Path) -> None:
    """Cancel from another process: after `cancelled` no touch is performed and no event added."""

    async def main() -> None:
        hands = Hands()
        async with two_stores(tmp_path / "store") as (here, there):
            worker = host_over(here, chain, Performers(tool=hands))
            work = await worker.start(program(chain), run_id="run")
            await hands.until(1)
            await host_over(there, chain, Performers()).cancel("run")
            assert (await work.wait()).status == "cancelled"
            assert (hands.began, hands.stopped) == (["a"], ["a"])
            assert (await kinds(there))[-1] == "run.cancelled"

    asyncio.run(main())


def test_a_paused_run_may_be_taken_up_by_another_host(tmp_path: Path) -> None:
    async def main() -> None:
        async with two_stores(tmp_path / "store") as (here, there):
            host = host_over(here, question, Performers())
            await (await host.start(program(question), run_id="run")).wait()
            work = await host_over(there, question, Performers()).answer("run", "ask", {"choice": "b"})
            assert work is not None
            assert (await work.wait()).output == {"choice": "b"}

    asyncio.run(main())


def test_two_people_at_two_hosts_answer_at_once_and_one_wins(tmp_path: Path) -> None:
    """Of two answers one wins, from any process."""

    async def main() -> None:
        async with two_stores(tmp_path / "store") as (here, there):
            hosts = [host_over(store, question, Performers()) for store in (here, there)]
            await (await hosts[0].start(program(question), run_id="run")).wait()

            async def answer(host: LocalHost, choice: str) -> str:
                try:
                    work = await host.answer("run", "ask", {"choice": choice}, by=choice)
                except AlreadyDecided as told:
                    return f"told of {told.first.by}"
                except (NotAsked, RunEnded):  # the other was so fast that it is all over
                    return "too late"
                assert work is not None
                report = await work.wait()
                assert report.output == {"choice": choice}
                return "won"

            first, second = await asyncio.gather(answer(hosts[0], "a"), answer(hosts[1], "b"))
            assert {first, second} in ({"won", "told of a"}, {"won", "told of b"}, {"won", "too late"})
            assert (await kinds(here)).count("question.answered") == 1

    asyncio.run(main())
