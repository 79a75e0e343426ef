"""Execution: what stands between the machine that decides and the host that performs."""

from __future__ import annotations

import pytest

from quintet.engine.combinators import attempts, deadline, gather
from quintet.engine.context import Context
from quintet.engine.failures import Failed, Failure, ProgramError
from quintet.engine.paths import write
from quintet.engine.questions import Field, Question, WrongAnswer
from quintet.engine.retry import Policy
from quintet.engine.rules import Rules
from quintet.engine.scopes import Returned
from quintet.engine.values import Json
from tests.engine.desk import Desk
from tests.engine.play import ask, nothing

UNSAFE = Rules(is_unsafe=lambda touch: touch.kind == "tool")


async def one_call(ctx: Context, arguments: Json) -> Json:
    return await ctx.tool("call", "please")


async def two_at_once(ctx: Context, arguments: Json) -> Json:
    await gather(ctx, [("a", ask()), ("b", ask())])
    return "both"


# From the world to the program


def test_an_outcome_is_kept_before_the_program_sees_it() -> None:
    """The log: an outcome is committed before the program sees it."""
    seen: list[Json] = []

    async def program(ctx: Context, arguments: Json) -> Json:
        seen.append(await ctx.tool("call", 1))
        return None

    desk = Desk(program)
    desk.give("call", "it")
    events = desk.execution.flush().events
    assert [event.kind for event in events] == ["tool.called", "tool.finished"]
    assert seen == []
    desk.execution.commit()
    assert seen == ["it"]


def test_what_was_not_kept_the_program_does_not_see() -> None:
    desk = Desk(one_call)
    desk.give("call", "it")
    lost = desk.execution.flush().events
    desk.execution.put_back()
    assert desk.execution.result is None
    assert desk.execution.flush().events == lost
    desk.execution.commit()
    assert desk.execution.result == Returned("it")


def test_a_kept_batch_is_delivered_back_to_back() -> None:
    """Point 1: the next outcome only when every branch is blocked; a committed batch back to back."""

    async def member(ctx: Context) -> None:
        await ctx.model("ask", "?")
        await ctx.model("more", "?")

    async def program(ctx: Context, arguments: Json) -> Json:
        await gather(ctx, [("a", member), ("b", member)])
        return None

    desk = Desk(program)
    desk.give("b/ask")
    desk.give("a/ask")
    assert desk.keep() == ["model.requested", "model.requested", "model.answered", "model.answered"]
    assert desk.execution.urgency == "soon"
    starts = [(write(event.path), event.cause) for event in desk.execution.flush().events]
    assert starts == [("b/more", 5), ("a/more", 6)]


def test_starts_and_notes_are_kept_with_the_next_outcome() -> None:
    """Starts and notes are awaited by nobody; they are committed with the next outcome."""

    async def program(ctx: Context, arguments: Json) -> Json:
        ctx.note("step.started", "one")
        await ctx.tool("call", 1)
        ctx.note("step.completed", "one")
        return None

    desk = Desk(program)
    assert desk.execution.urgency == "soon"
    desk.give("call")
    assert desk.execution.urgency == "now"
    assert desk.keep() == ["step.started", "tool.called", "tool.finished"]
    assert desk.end() == ["step.completed", "run.completed"]


def test_a_row_carries_the_time_it_came_about_and_not_that_of_its_append() -> None:
    desk = Desk(two_at_once, now=100.0)
    desk.tick(103.0)
    desk.give("a/ask")
    desk.tick(109.0)
    desk.give("b/ask")
    desk.tick(120.0)
    desk.keep()
    assert [event.time for event in desk.log[2:]] == [100.0, 100.0, 103.0, 109.0]


def test_an_interrupted_delivery_goes_on_in_the_next_life() -> None:
    desk = Desk(two_at_once)
    desk.give("a/ask")
    desk.give("b/ask")
    desk.keep(deliver=False)  # it is being suspended
    assert desk.execution.result is None
    desk = desk.again()
    assert desk.execution.result == Returned("both")
    assert desk.performed == []


# Keys


def test_what_was_under_way_is_performed_again_with_the_same_key() -> None:
    """Point 8: what was under way when the process died is performed again, with the same idempotency key."""
    desk = Desk(one_call)
    desk.keep()
    again = desk.again()
    assert again.performed == desk.performed
    assert len(again.performed) == 1


@pytest.mark.parametrize("definite", [True, False])
def test_only_a_definite_failure_renews_the_key(definite: bool) -> None:
    """Point 8: a hash of the path without its attempts; renewed only after a definite failure."""

    async def program(ctx: Context, arguments: Json) -> Json:
        return await attempts(ctx, "try", Policy(attempts=2), lambda ctx: ctx.tool("call", 1))

    desk = Desk(program)
    desk.give("~try/!attempt/call", failure=Failure("tool", "no", definite=definite))
    desk.keep()
    (first, key), (second, other) = desk.performed
    assert (first, second) == ("~try/!attempt/call", "~try/!attempt#2/call")
    assert (key != other) is definite
    assert desk.again().performed == [(second, other)]


def test_keys_tell_requests_paths_and_runs_apart() -> None:
    async def program(ctx: Context, arguments: Json) -> Json:
        ctx.branch("a", lambda ctx: ctx.tool("call", 1))
        ctx.branch("b", lambda ctx: ctx.tool("call", 1))
        return await ctx.tool("call", 2)

    assert len({key for _, key in Desk(program).performed}) == 3


# Touches that are unsafe to repeat


def test_an_unsafe_touch_is_performed_only_when_its_start_is_kept() -> None:
    """Point 8: a touch declared unsafe to repeat has its start committed before it is performed."""
    desk = Desk(one_call, rules=UNSAFE)
    assert desk.performed == []
    assert desk.execution.urgency == "now"
    assert desk.keep() == ["tool.called"]
    assert [path for path, _ in desk.performed] == ["call"]


def test_an_unsafe_touch_whose_start_was_not_kept_has_not_happened() -> None:
    desk = Desk(one_call, rules=UNSAFE).again()
    assert desk.asked == []
    desk.keep()
    assert [path for path, _ in desk.performed] == ["call"]


def test_an_unsafe_touch_that_is_stopped_before_it_began_never_begins() -> None:
    desk = Desk(one_call, rules=UNSAFE)
    desk.execution.flush()
    desk.execution.cancel()
    desk.execution.commit()
    desk.obey()
    assert desk.performed == []


# The end


def test_a_run_ends_when_its_last_performer_has() -> None:
    """A terminal event comes after all performers have ended; what came too late is recorded before it."""

    async def program(ctx: Context, arguments: Json) -> Json:
        ctx.branch("slow", ask()).cancel()
        loser = ctx.branch("loser", ask())
        await ctx.model("winner", "?")
        loser.cancel()
        return "won"

    desk = Desk(program)
    desk.give("winner")
    desk.keep()
    assert desk.halted == ["loser/ask"]
    assert desk.execution.result == Returned("won")
    assert desk.execution.standing == "busy"
    desk.give("loser/ask", "too late")
    assert desk.keep() == ["touch.cancelled", "model.answered"]
    assert desk.end() == ["run.completed"]


def test_a_performer_that_ends_as_told_leaves_nothing_behind() -> None:
    async def program(ctx: Context, arguments: Json) -> Json:
        branch = ctx.branch("branch", ask())
        await ctx.model("winner", "?")
        branch.cancel()
        return "won"

    desk = Desk(program)
    desk.give("winner")
    desk.keep()
    desk.stop("branch/ask")
    assert desk.end() == ["touch.cancelled", "run.completed"]


def test_a_touch_that_is_stopped_in_the_same_breath_is_never_performed() -> None:
    async def program(ctx: Context, arguments: Json) -> Json:
        await ctx.tool("call", 1)
        branch = ctx.branch("short", ask())
        await ctx.branch("other", nothing)
        branch.cancel()
        return "done"

    desk = Desk(program)
    desk.give("call")
    desk.keep()
    assert ([path for path, _ in desk.performed], desk.halted) == (["call"], [])
    assert desk.end() == ["model.requested", "touch.cancelled", "run.completed"]


def test_a_result_that_is_no_json_is_a_bug_of_the_program_and_leaves_the_log_as_it_is() -> None:
    async def program(ctx: Context, arguments: Json) -> Json:
        return [object()]  # pyright: ignore[reportReturnType] - that is the point

    desk = Desk(program)
    with pytest.raises(ProgramError, match="not JSON"):
        desk.execution.conclude()
    assert desk.execution.flush().events == []


def test_a_bug_in_a_program_stops_the_run_with_its_log_intact() -> None:
    """Point 5: any exception that is not a touch's failure is a bug: the run stops, resumable under a fix."""

    async def program(ctx: Context, arguments: Json) -> Json:
        await ctx.tool("call", "please")
        raise KeyError("oops")

    desk = Desk(program)
    desk.give("call", "it")
    with pytest.raises(ProgramError, match="oops"):
        desk.keep()
    assert desk.kinds == ["tool.called", "tool.finished"]
    desk = desk.again(one_call)
    assert desk.end() == ["run.resumed", "run.completed"]


# Questions


def test_an_answer_is_checked_before_anything_is_recorded() -> None:
    async def program(ctx: Context, arguments: Json) -> Json:
        return await ctx.ask("ask", Question("how many?", (Field("count", "integer"),)))

    desk = Desk(program)
    desk.keep()
    assert desk.execution.standing == "waiting"
    for wrong in ({"count": "many"}, {}, {"count": 1, "more": 2}):
        with pytest.raises(WrongAnswer):
            desk.execution.answer("ask", wrong)
    assert not desk.execution.answer("elsewhere", {"count": 1})
    assert desk.execution.answer("ask", {"count": 1})
    assert not desk.execution.answer("ask", {"count": 2})  # somebody was faster
    assert desk.keep() == ["question.answered"]
    assert desk.execution.result == Returned({"count": 1})


def test_an_answer_that_is_no_json_is_a_wrong_one() -> None:
    async def program(ctx: Context, arguments: Json) -> Json:
        return await ctx.ask("ask", Question("anything?"))

    desk = Desk(program)
    desk.keep()
    with pytest.raises(WrongAnswer, match="JSON"):
        desk.execution.answer("ask", [object()])  # pyright: ignore[reportArgumentType] - that is the point
    assert desk.asked == ["ask"]
    assert desk.execution.urgency == "never"


# Time


def test_a_deadline_strikes_through_the_log() -> None:
    """Point 6: the host keeps a deadline's clock, and only its striking enters the log."""

    async def program(ctx: Context, arguments: Json) -> Json:
        try:
            return await deadline(ctx, "limit", 5, ask())
        except Failed as failed:
            return failed.failure.kind

    desk = Desk(program)
    assert desk.alarms["~limit"][1] == 5.0
    desk.strike("~limit")
    assert desk.keep() == ["model.requested", "deadline.struck"]
    assert desk.halted == ["~limit/ask"]
    desk.stop("~limit/ask")
    assert desk.execution.result == Returned("timeout")
    assert desk.end() == ["touch.cancelled", "run.completed"]


def test_a_deadline_that_is_over_strikes_nobody() -> None:
    desk = Desk(lambda ctx, arguments: deadline(ctx, "limit", 5, ask()))
    alarm, _ = desk.alarms["~limit"]
    desk.give("~limit/ask", 1)
    desk.keep()
    assert desk.alarms == {}
    desk.execution.strike(alarm)
    assert desk.end() == ["run.completed"]


def test_a_timer_is_due_so_long_after_it_was_set_but_never_counted_from_before_its_run() -> None:
    async def program(ctx: Context, arguments: Json) -> Json:
        await ctx.tool("call", 1)
        await ctx.sleep("nap", 60)
        return ctx.now()

    desk = Desk(program, now=1000.0)
    desk.tick(1500.0)
    desk.give("call")
    desk.keep()
    assert desk.execution.due(desk.performing["nap"]) == 1560.0
    desk = desk.again(now=9000.0)  # a timer counts downtime, too
    assert desk.execution.due(desk.performing["nap"]) == 1560.0
