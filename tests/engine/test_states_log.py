"""The events of a run's own life in its log, exactly as `engine.states` allows."""

from __future__ import annotations

import pytest

from quintet.engine.context import Context
from quintet.engine.failures import Failed, Failure
from quintet.engine.programs import ProgramBody
from quintet.engine.questions import Question
from quintet.engine.states import ENDED, move
from quintet.engine.values import Json, decode
from tests.engine.desk import Desk


async def one_call(ctx: Context, arguments: Json) -> Json:
    return await ctx.tool("call", "please")


async def question(ctx: Context, arguments: Json) -> Json:
    return await ctx.ask("ask", Question("well?"))


async def question_and_nap(ctx: Context, arguments: Json) -> Json:
    ctx.branch("nap", lambda ctx: ctx.sleep("nap", 5))
    return await ctx.ask("ask", Question("well?"))


def paused(body: ProgramBody = question) -> Desk:
    desk = Desk(body)
    assert desk.execution.standing == "waiting"
    desk.execution.pause()
    desk.keep()
    return desk


def life(desk: Desk) -> list[str]:
    """The events of the run itself; every move is legal."""
    status = "none"
    for event in desk.log:
        assert status not in ENDED, "something follows the end"
        status = move(status, event.kind)
    assert status == desk.execution.status
    return [event.kind.removeprefix("run.") for event in desk.log if event.kind.startswith("run.")]


def test_a_log_begins_with_created_and_started() -> None:
    assert life(Desk(one_call)) == ["created", "started"]


def test_a_run_that_nobody_worked_on_yet_begins_without_being_resumed() -> None:
    desk = Desk(one_call).again()
    desk.keep()
    assert life(desk) == ["created", "started"]


def test_a_run_pauses_when_its_open_touches_are_all_questions() -> None:
    desk = paused()
    assert life(desk) == ["created", "started", "paused"]
    assert Desk(question_and_nap).execution.standing == "busy"


def test_resuming_a_paused_run_and_finding_nothing_to_do_adds_no_event() -> None:
    desk = paused()
    before = list(desk.log)
    for _ in range(3):
        desk = desk.again(now=50.0)
        assert desk.execution.standing == "waiting"
        desk.execution.pause()
        assert desk.keep() == []
    assert desk.log == before


def test_an_answer_resumes_a_paused_run_before_all_else() -> None:
    desk = paused().again(now=99.0)
    desk.execution.answer("ask", "fine")
    assert desk.keep() == ["run.resumed", "question.answered"]
    desk.end()
    assert life(desk) == ["created", "started", "paused", "resumed", "completed"]


def test_a_run_may_pause_once_after_each_answer() -> None:
    async def program(ctx: Context, arguments: Json) -> Json:
        await ctx.ask("one", Question("well?"))
        return await ctx.ask("two", Question("well?"))

    desk = paused(program)
    for name in ("one", "two"):
        desk = desk.again()
        desk.execution.answer(name, "fine")
        desk.keep()
        if desk.execution.standing == "waiting":
            desk.execution.pause()
            desk.keep()
    desk.end()
    assert life(desk) == ["created", "started", "paused", "resumed", "paused", "resumed", "completed"]


def test_a_run_that_was_interrupted_says_that_it_goes_on_once() -> None:
    desk = Desk(one_call)
    desk.keep()
    desk = desk.again(now=700.0)
    assert desk.keep() == ["run.resumed"]
    assert desk.log[-1].time == 700.0
    desk.give("call")
    assert desk.keep() == ["tool.finished"]


def test_that_a_run_goes_on_is_said_at_its_time_even_where_starts_were_lost() -> None:
    async def program(ctx: Context, arguments: Json) -> Json:
        await ctx.tool("call", "please")
        return await ctx.tool("other", "please")

    desk = Desk(program)
    desk.give("call")
    desk.keep()
    desk = desk.again(now=700.0)
    assert desk.keep() == ["run.resumed", "tool.called"]
    assert [event.time for event in desk.log[-2:]] == [700.0, 700.0]


def test_time_never_runs_backwards_from_one_life_to_the_next() -> None:
    desk = Desk(one_call, now=1000.0)
    desk.keep()
    desk = desk.again(now=10.0)
    desk.give("call")
    desk.keep()
    desk.tick(20.0)
    desk.end()
    assert [event.time for event in desk.log] == [1000.0] * len(desk.log)


def test_a_failure_says_how_and_where_in_the_last_event() -> None:
    desk = Desk(one_call)
    desk.give("call", failure=Failure("provider", "no", detail=[1]))
    desk.keep()
    assert desk.end() == ["run.failed"]
    assert decode(desk.log[-1].data) == {
        "failure": {"kind": "provider", "message": "no", "detail": [1], "at": ["call"]}
    }


@pytest.mark.parametrize("ending", ["completed", "failed", "cancelled"])
def test_nothing_follows_the_end_of_a_run(ending: str) -> None:
    async def program(ctx: Context, arguments: Json) -> Json:
        ctx.note("step.started")
        if ending == "failed":
            raise Failed(Failure("refused", "no"))
        return await ctx.tool("call", 1) if ending == "cancelled" else "done"

    desk = Desk(program)
    if ending == "cancelled":
        desk.execution.cancel()
        desk.obey()
        desk.stop("call")
    desk.end()
    assert desk.log[-1].kind == f"run.{ending}"
    assert life(desk)[-1] == ending
    assert desk.execution.flush().events == []


def test_a_paused_run_can_be_cancelled() -> None:
    desk = paused().again()
    desk.execution.cancel()
    assert desk.end() == ["touch.cancelled", "run.cancelled"]
    assert life(desk) == ["created", "started", "paused", "cancelled"]
