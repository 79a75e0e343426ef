"""A run that is cancelled: everything is stopped, and it ends when all performers have."""

from __future__ import annotations

from quintet.engine.combinators import gather
from quintet.engine.context import Context
from quintet.engine.values import Json
from tests.engine.desk import Desk
from tests.engine.play import ask


async def one_call(ctx: Context, arguments: Json) -> Json:
    return await ctx.tool("call", "please")


async def two_at_once(ctx: Context, arguments: Json) -> Json:
    await gather(ctx, [("a", ask()), ("b", ask())])
    return "both"


def test_a_cancelled_run_stops_everything_and_ends_when_all_has() -> None:
    desk = Desk(two_at_once)
    desk.keep()
    desk.execution.cancel(5)
    desk.obey()
    assert sorted(desk.halted) == ["a/ask", "b/ask"]
    assert desk.execution.standing == "busy"
    desk.stop("a/ask")
    desk.give("b/ask", "too late")
    assert desk.execution.urgency == "never"  # its end is kept in one piece
    assert desk.execution.standing == "over"
    desk.execution.conclude()
    addition = desk.execution.flush()
    assert [event.kind for event in addition.events] == [
        "touch.cancelled",
        "touch.cancelled",
        "model.answered",
        "run.cancelled",
    ]
    assert list(addition.requests) == [5]


def test_what_was_not_kept_when_a_run_was_cancelled_is_not_delivered() -> None:
    seen: list[Json] = []

    async def program(ctx: Context, arguments: Json) -> Json:
        seen.append(await ctx.tool("call", 1))
        return None

    desk = Desk(program)
    desk.give("call")
    desk.execution.cancel()
    assert desk.end() == ["tool.called", "tool.finished", "touch.cancelled", "run.cancelled"]
    assert seen == []


def test_what_waits_when_clean_up_code_has_a_bug_is_recorded_all_the_same() -> None:
    async def program(ctx: Context, arguments: Json) -> Json:
        try:
            await gather(ctx, [("a", ask()), ("b", ask())])
            return None
        finally:
            raise KeyError("oops")

    desk = Desk(program)
    desk.give("a/ask", "it")
    desk.execution.cancel()
    desk.obey()
    desk.stop("b/ask")
    assert desk.end()[-2:] == ["model.answered", "run.cancelled"]


def test_a_bug_in_clean_up_code_does_not_keep_a_run_from_being_cancelled() -> None:
    async def program(ctx: Context, arguments: Json) -> Json:
        try:
            return await ctx.tool("call", 1)
        finally:
            raise KeyError("oops")

    desk = Desk(program)
    desk.execution.cancel()
    desk.obey()
    desk.stop("call")
    assert desk.end() == ["tool.called", "run.cancelled"]


def test_a_run_that_has_just_ended_by_itself_is_not_cancelled() -> None:
    desk = Desk(one_call)
    desk.give("call", "it")
    desk.keep()
    desk.execution.cancel(9)
    desk.execution.conclude()
    addition = desk.execution.flush()
    assert [event.kind for event in addition.events] == ["run.completed"]
    assert list(addition.requests) == [9]
