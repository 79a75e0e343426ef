"""The machine: one order, identity, and that the end of a scope is final.  Rules cited are the design's."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import pytest

from quintet.engine.combinators import deadline
from quintet.engine.context import Context
from quintet.engine.failures import Failed, ProgramError
from quintet.engine.machine import Machine
from quintet.engine.paths import parse
from quintet.engine.scopes import Returned
from quintet.engine.touches import Note, Outcome, Touch
from quintet.engine.values import Json
from tests.engine.play import Play, ask, nothing


def _limited(ctx: Context) -> Awaitable[Json]:
    return deadline(ctx, "limit", 5, ask())


# One order


def test_outcomes_reach_branches_one_at_a_time_in_the_order_of_the_log() -> None:
    """Point 1: dictionaries filled by branches come out the same in every replay."""

    async def program(ctx: Context) -> list[str]:
        filled: dict[str, Json] = {}

        async def body(ctx: Context, name: str) -> None:
            filled[name] = await ctx.model("ask", name)

        for name in ("a", "b", "c"):
            ctx.branch(name, lambda ctx, name=name: body(ctx, name))
        await ctx.sleep("wait", 1)
        return list(filled)

    play = Play(program)
    for path in ("c/ask", "a/ask", "wait"):
        play.give(path)
    assert play.result is None, "a body that returns waits for its children"
    play.give("b/ask")
    assert play.result == Returned(["c", "a"])


def test_now_is_the_time_of_the_latest_outcome_delivered() -> None:
    async def program(ctx: Context) -> list[float]:
        seen = [ctx.now()]
        for _ in range(2):
            await ctx.model("ask", "?")
            seen.append(ctx.now())
        return seen

    play = Play(program, time=5.0)
    play.give("ask", time=7.0)
    play.give("ask#2", time=9.0)
    assert play.result == Returned([5.0, 7.0, 9.0])


def test_a_request_is_what_it_was_when_it_was_asked() -> None:
    async def program(ctx: Context) -> None:
        request = ["first"]
        touch = ctx.model("ask", request)
        request.append("second")
        await touch

    assert Play(program).open["ask"].request == ["first"]


def test_each_command_names_the_outcome_that_brought_it_about() -> None:
    async def program(ctx: Context) -> None:
        await ctx.model("one", "?")
        ctx.note("step.completed")
        await ctx.model("two", "?")

    machine = Machine(program)
    (one,) = machine.take()
    assert isinstance(one, Touch)
    machine.advance(one.outcome(seq=41))
    note, two = machine.take()
    assert isinstance(note, Note)
    assert isinstance(two, Touch)
    assert (one.cause, note.cause, two.cause) == (0, 41, 41)


# Identity


def test_a_touch_is_named_by_its_scopes_its_key_and_how_often_that_occurred_there() -> None:
    async def twice(ctx: Context) -> None:
        await ctx.model("ask", "?")
        await ctx.model("ask", "?")

    async def program(ctx: Context) -> None:
        left, right = ctx.branch("left", twice), ctx.branch("left", twice)
        await left
        await right

    play = Play(program)
    assert set(play.open) == {"left/ask", "left#2/ask"}
    play.give("left#2/ask")
    assert set(play.open) == {"left/ask", "left#2/ask#2"}


def test_a_context_used_in_another_scope_is_a_program_error() -> None:
    """Point 2: a Context used outside its own scope is a `ProgramError`."""

    async def program(ctx: Context) -> None:
        await ctx.branch("child", lambda _: ctx.model("ask", "?"))

    with pytest.raises(ProgramError, match="outside its own scope"):
        Machine(program)


USES: list[Callable[[Context], object]] = [
    lambda ctx: ctx.model("ask", "?"),
    lambda ctx: ctx.branch("more", nothing),
    lambda ctx: ctx.note("step.started"),
    lambda ctx: ctx.slots(1),
]


@pytest.mark.parametrize(
    "use",
    USES,
    ids=["touch", "branch", "note", "slots"],
)
def test_a_context_that_was_kept_after_its_scope_ended_is_a_program_error(
    use: Callable[[Context], object],
) -> None:
    kept: list[Context] = []

    async def child(ctx: Context) -> None:
        kept.append(ctx)

    async def program(ctx: Context) -> None:
        await ctx.branch("child", child)
        use(kept[0])

    with pytest.raises(ProgramError, match="outside its own scope"):
        Machine(program)


def test_an_error_of_the_program_cannot_be_swallowed() -> None:
    async def program(ctx: Context) -> str:
        try:
            await ctx.branch("child", lambda _: ctx.model("ask", "?"))
        except Exception:
            return "swallowed"
        return "fine"

    with pytest.raises(ProgramError):
        Machine(program)


def test_a_touch_that_is_never_awaited_is_a_program_error() -> None:
    async def program(ctx: Context) -> None:
        _ = ctx.model("ask", "?")

    with pytest.raises(ProgramError, match="not awaited before its end"):
        Machine(program)


def test_two_touches_at_once_in_one_scope_are_a_program_error() -> None:
    async def program(ctx: Context) -> None:
        one, two = ctx.model("one", "?"), ctx.model("two", "?")
        await one
        await two

    with pytest.raises(ProgramError, match="model 'one' was not awaited before model 'two'"):
        Machine(program)


def test_a_touch_that_is_awaited_twice_is_a_program_error() -> None:
    async def program(ctx: Context) -> None:
        touch = ctx.model("ask", "?")
        await touch
        await touch

    with pytest.raises(ProgramError, match="awaited twice"):
        Play(program).give("ask")


def test_a_touch_that_is_awaited_in_another_scope_is_a_program_error() -> None:
    shared: list[Awaitable[Json]] = []

    async def child(ctx: Context) -> None:
        await shared[0]

    async def program(ctx: Context) -> None:
        branch = ctx.branch("child", child)
        shared.append(ctx.model("ask", "?"))
        await branch

    with pytest.raises(ProgramError, match="in another scope"):
        Machine(program)


def test_a_note_may_not_pass_for_an_event_of_the_engine() -> None:
    """A replay would take `model.answered` for an outcome."""
    for kind in ("model.answered", "tool.called", "touch.cancelled", "run.completed", "gate.answered"):

        async def program(ctx: Context, kind: str = kind) -> None:
            ctx.note(kind)

        with pytest.raises(ProgramError, match="no note"):
            Machine(program)


# The end of a scope is final


def test_what_arrives_for_a_scope_that_has_ended_is_late() -> None:
    """Point 4: late is recorded, shown as too late, never delivered."""

    async def program(ctx: Context) -> str:
        try:
            await _limited(ctx)
        except Failed as failed:
            await ctx.model("after", failed.failure.kind)
        return "done"

    play = Play(program)
    play.strike("~limit")
    assert play.stopped == ["~limit/ask"]
    assert play.open["after"].request == "timeout"
    assert not play.offer("~limit/ask")
    assert not play.strike("~limit"), "struck twice"
    play.give("after")
    assert not play.offer("~limit/ask"), "even after the root has ended"
    assert play.result == Returned("done")


def test_an_outcome_delivered_twice_is_late_the_second_time() -> None:
    async def program(ctx: Context) -> None:
        await ctx.model("ask", "?")
        await ctx.model("ask", "?")

    play = Play(program)
    assert play.offer("ask")
    assert not play.offer("ask")
    assert set(play.open) == {"ask#2"}


def test_a_late_outcome_moves_neither_the_clock_nor_the_program() -> None:
    async def program(ctx: Context) -> None:
        branch = ctx.branch("child", ask())
        branch.cancel()
        await ctx.model("wait", "?")

    play = Play(program, time=3.0)
    commands = play.machine.take()
    assert play.machine.advance(Outcome(parse("child/ask"), "model", 1, None, 99.0, 9)) is None
    assert (play.machine.time, commands, play.machine.take()) == (3.0, [], [])
