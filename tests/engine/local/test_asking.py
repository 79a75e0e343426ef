"""Asking: the person who is here now is asked whatever the run waits for."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

import pytest

from quintet.engine.combinators import gather
from quintet.engine.context import Context
from quintet.engine.gates import Gate, Go
from quintet.engine.local import Performers, Unanswered
from quintet.engine.local.equipment import Broken
from quintet.engine.questions import Asked, Question, WrongAnswer
from quintet.engine.redaction import Redactor
from quintet.engine.rules import Rules
from quintet.engine.touches import Touch
from quintet.engine.values import Json
from quintet.store.port import AlreadyDecided, Batch, Lease, Request, RunEnded
from tests.engine.local.stage import (
    QUESTION,
    News,
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


async def two_questions(ctx: Context, arguments: Json) -> Json:
    await gather(ctx, [(name, lambda ctx: ctx.ask("ask", QUESTION)) for name in "ab"])
    return "both"


class Person:
    """Somebody who is asked, and answers when a test says so."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.left: list[str] = []
        """Questions that were taken back."""
        self._answers: dict[str, asyncio.Future[Json]] = {}
        self._news = News()

    async def __call__(self, asked: Asked) -> Json:
        self.asked.append(asked.target)
        answer = self._answers[asked.target] = asyncio.get_running_loop().create_future()
        self._news.tell()
        try:
            return await answer
        except asyncio.CancelledError:
            self.left.append(asked.target)
            self._news.tell()
            raise

    async def until_asked(self, count: int = 1) -> None:
        await self._news.until(lambda: len(self.asked) >= count)

    async def until_left(self, count: int = 1) -> None:
        await self._news.until(lambda: len(self.left) >= count)

    def says(self, target: str, answer: Json) -> None:
        self._answers[target].set_result(answer)

    def raises(self, target: str, error: Exception) -> None:
        self._answers[target].set_exception(error)


def test_whoever_is_here_is_asked_and_the_run_goes_on() -> None:
    async def main() -> None:
        person = Person()
        async with memory_store() as store:
            host = host_over(store, question, Performers(ask=person))
            work = await host.start(program(question), run_id="run")
            await person.until_asked()
            await asyncio.sleep(3600.0)  # as long as somebody is asked, the run is not paused
            assert "run.paused" not in await kinds(store)
            person.says("ask", {"choice": "a"})
            assert (await work.wait()).output == {"choice": "a"}

    run(main())


def test_a_gate_is_put_to_whoever_is_here_too() -> None:
    def gatekeeper(touch: Touch, answers: Mapping[str, Json]) -> Gate:
        return Gate("permission", Question("may it?"), lambda answer: Go())

    async def main() -> None:
        person = Person()
        async with memory_store() as store:
            performers = Performers(tool=echo, ask=person)
            host = host_over(store, one_call, performers, rules=Rules(gatekeepers=(gatekeeper,)))
            work = await host.start(program(one_call))
            await person.until_asked()
            person.says("call?permission", "yes")
            assert (await work.wait()).output == "call"

    run(main())


def test_a_run_whose_question_stays_unanswered_waits_for_somebody_else() -> None:
    async def main() -> None:
        person = Person()
        async with memory_store() as store:
            host = host_over(store, two_questions, Performers(ask=person))
            work = await host.start(program(two_questions), run_id="run")
            await person.until_asked(2)
            person.raises("a/ask", Unanswered())
            person.says("b/ask", {"choice": "b"})
            report = await work.wait()
            assert report.status == "paused"
            assert [asked.target for asked in report.asked] == ["a/ask"]
            assert person.asked == ["a/ask", "b/ask"]  # nobody is asked twice

    run(main())


def test_who_has_been_asked_is_left_alone_when_somebody_else_has_answered() -> None:
    async def main() -> None:
        person = Person()
        async with memory_store() as store:
            host = host_over(store, two_questions, Performers(ask=person))
            work = await host.start(program(two_questions), run_id="run")
            await until_kept(store, "question.asked")
            await host.answer("run", "a/ask", {"choice": "b"})
            await person.until_left()
            person.says("b/ask", {"choice": "a"})
            assert (await work.wait()).output == "both"

    run(main())


def test_of_the_person_here_and_somebody_elsewhere_the_faster_wins_and_the_other_is_told() -> None:
    """Of two answers one wins, and the other is told."""

    async def main(*, here: bool) -> None:
        person = Person()
        async with memory_store() as store:
            host = host_over(store, question, Performers(ask=person))
            work = await host.start(program(question), run_id="run")
            await person.until_asked()
            if here:
                person.says("ask", {"choice": "a"})
                await until_kept(store, "question.answered")
                with pytest.raises(AlreadyDecided, match="decided by the terminal"):
                    await host.answer("run", "ask", {"choice": "b"}, by="Bob")
            else:
                await store.request(Request("run", "answer", "ask", {"choice": "b"}, "Bob"))
                person.says("ask", {"choice": "a"})  # who has not heard of it yet
            assert (await work.wait()).output == {"choice": "a" if here else "b"}
            assert person.asked == ["ask"]
            assert "run.paused" not in await kinds(store)
            assert await store.requests("run") == []

    run(main(here=True))
    run(main(here=False))


def test_who_answers_here_what_somebody_else_has_ended_stops_the_work_on_it() -> None:
    async def main() -> None:
        person = Person()
        async with memory_store() as store:
            host = host_over(store, question, Performers(ask=person))
            work = await host.start(program(question), run_id="run")
            await person.until_asked()
            await until_kept(store, "question.asked")
            lease, last = Lease("run", 1), await store.last("run")
            await store.append(lease, Batch([last._replace(seq=last.seq + 1, kind="run.cancelled", path=())]))
            person.says("ask", {"choice": "a"})
            with pytest.raises(RunEnded):
                await work.wait()

    run(main())


def test_what_the_person_here_says_is_handed_in_without_secrets() -> None:
    async def anything(ctx: Context, arguments: Json) -> Json:
        return await ctx.ask("ask", Question("anything?"))

    async def main() -> None:
        person = Person()
        async with memory_store() as store:
            rules = Rules(redactor=Redactor(["sesame"]))
            host = host_over(store, anything, Performers(ask=person), rules=rules)
            work = await host.start(program(anything), run_id="run")
            await person.until_asked()
            person.says("ask", "it is sesame")
            assert (await work.wait()).output == "it is [secret]"
            answer = await store.answer_to("run", "ask")
            assert answer is not None
            assert (answer.data, answer.by) == ("it is [secret]", "the terminal")

    run(main())


def test_a_question_that_is_cancelled_is_taken_back() -> None:
    async def body(ctx: Context, arguments: Json) -> Json:
        branch = ctx.branch("branch", lambda ctx: ctx.ask("ask", QUESTION))
        await ctx.sleep("nap", 60.0)
        branch.cancel()
        await ctx.sleep("nap", 60.0)
        return "done"

    async def main() -> None:
        person = Person()
        async with memory_store() as store:
            host = host_over(store, body, Performers(ask=person))
            assert (await (await host.start(program(body))).wait()).output == "done"
            assert (person.asked, person.left) == (["branch/ask"], ["branch/ask"])

    run(main())


def test_whoever_asks_has_to_see_to_it_that_the_answer_fits() -> None:
    async def main(wrong: Json) -> None:
        person = Person()
        async with memory_store() as store:
            host = host_over(store, question, Performers(ask=person))
            work = await host.start(program(question), run_id="run")
            await person.until_asked()
            person.says("ask", wrong)
            with pytest.raises(WrongAnswer):
                await work.wait()
            assert (await store.run("run")).shown == "interrupted"
            again = await host_over(store, question, Performers()).resume("run")
            assert (await again.wait()).status == "paused"

    run(main({"choice": "neither"}))
    run(main("a"))


def test_an_answer_to_anything_that_is_no_json_is_a_wrong_one() -> None:
    async def anything(ctx: Context, arguments: Json) -> Json:
        return await ctx.ask("ask", Question("anything?"))

    async def odd(asked: Asked) -> Json:
        return object()  # pyright: ignore[reportReturnType] - that is the point

    async def main() -> None:
        async with memory_store() as store:
            host = host_over(store, anything, Performers(ask=odd))
            with pytest.raises(WrongAnswer, match="JSON"):
                await (await host.start(program(anything))).wait()

    run(main())


def test_an_asker_with_a_bug_breaks_off_and_the_run_can_be_resumed() -> None:
    async def main() -> None:
        person = Person()
        async with memory_store() as store:
            host = host_over(store, question, Performers(ask=person))
            work = await host.start(program(question), run_id="run")
            await person.until_asked()
            person.raises("ask", KeyError("oops"))
            with pytest.raises(Broken, match=r"ask.*KeyError.*oops"):
                await work.wait()
            again = await host_over(store, question, Performers()).resume("run")
            assert (await again.wait()).status == "paused"

    run(main())


def test_nobody_is_asked_any_more_when_a_run_is_let_go() -> None:
    async def main() -> None:
        person = Person()
        async with memory_store() as store:
            async with host_over(store, question, Performers(ask=person)) as host:
                await host.start(program(question), run_id="run")
                await person.until_asked()
            await person.until_left()

    run(main())
