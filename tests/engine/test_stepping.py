"""Stepping: what cancelling means, for the branch, for those below it, and for those who wait for it."""

from __future__ import annotations

from collections.abc import Awaitable
from contextlib import suppress

import pytest

from quintet.engine.combinators import deadline
from quintet.engine.context import Context
from quintet.engine.failures import BranchCancelled, Cancelled, ProgramError
from quintet.engine.machine import Machine
from quintet.engine.scopes import CANCELLED, Branch, Returned
from quintet.engine.values import Json
from tests.engine.play import Play, ask, bad, nothing


def _limited(ctx: Context) -> Awaitable[Json]:
    return deadline(ctx, "limit", 5, ask())


def test_a_cancelled_branch_raises_branch_cancelled_to_who_awaits_it() -> None:
    async def program(ctx: Context) -> str:
        branch = ctx.branch("child", ask())
        await ctx.model("wait", "?")
        branch.cancel()
        try:
            await branch
        except BranchCancelled as cancelled:
            return cancelled.failure.kind
        return "none"

    play = Play(program)
    play.give("wait")
    assert play.stopped == ["child/ask"]
    assert play.result == Returned("cancelled")


def test_a_branch_that_has_not_begun_can_be_cancelled() -> None:
    async def program(ctx: Context) -> bool:
        branch = ctx.branch("child", bad)
        branch.cancel()
        return await branch.settled() is CANCELLED

    assert Play(program).result == Returned(True)


def test_in_a_cancelled_scope_plain_code_runs_and_any_await_raises_cancelled_again() -> None:
    """Point 5: clean-up that touches the world belongs to the parent."""
    seen: list[str] = []

    async def child(ctx: Context) -> None:
        slots = ctx.slots(1)
        other = ctx.branch("other", nothing)
        await other
        try:
            await ctx.model("ask", "?")
        finally:
            seen.append("plain")
            for verb in (
                lambda: ctx.model("more", "?"),
                slots.__aenter__,
                lambda: other,
                lambda: ctx.branch("more", nothing),
            ):
                try:
                    await verb()
                except Cancelled:
                    seen.append("refused")

    async def program(ctx: Context) -> None:
        branch = ctx.branch("child", child)
        await ctx.model("wait", "?")
        branch.cancel()
        await branch.settled()

    play = Play(program)
    play.give("wait")
    assert seen == ["plain", *["refused"] * 4]
    assert play.open == {}
    assert play.result == Returned(None)


@pytest.mark.parametrize("verb", ["touch", "branch"])
def test_a_cancelled_scope_that_never_ends_is_a_program_error(verb: str) -> None:
    async def child(ctx: Context) -> None:
        for _ in range(150):  # more often than it may, but not for ever: the interpreter complains of those
            try:
                await (ctx.model("ask", "?") if verb == "touch" else ctx.branch("more", ask()))
            except BaseException:
                continue

    async def program(ctx: Context) -> None:
        branch = ctx.branch("child", child)
        await ctx.model("wait", "?")
        branch.cancel()

    play = Play(program)
    with pytest.raises(ProgramError, match="keeps awaiting instead of ending"):
        play.give("wait")


def test_a_program_that_swallows_cancelled_is_cancelled_all_the_same() -> None:
    async def child(ctx: Context) -> str:
        with suppress(BaseException):
            await ctx.model("ask", "?")
        return "as if nothing had been"

    async def program(ctx: Context) -> bool:
        branch = ctx.branch("child", child)
        await ctx.model("wait", "?")
        branch.cancel()
        return await branch.settled() is CANCELLED

    play = Play(program)
    play.give("wait")
    assert play.result == Returned(True)


def test_raising_cancelled_without_being_cancelled_is_a_program_error() -> None:
    async def program(ctx: Context) -> None:
        raise Cancelled

    with pytest.raises(ProgramError, match="not cancelled"):
        Machine(program)


def test_a_branch_may_cancel_itself_and_its_parent() -> None:
    handles: list[Branch[Json]] = []

    async def child(ctx: Context) -> Json:
        await ctx.model("ask", "?")
        handles[0].cancel()
        return await ctx.model("more", "?")

    async def parent(ctx: Context) -> Json:
        return await ctx.branch("child", child)

    async def program(ctx: Context) -> bool:
        handles.append(ctx.branch("parent", parent))
        return await handles[0].settled() is CANCELLED

    play = Play(program)
    play.give("parent/child/ask")
    assert play.result == Returned(True)


def test_cancelling_from_outside_ends_everything_and_says_so_once() -> None:
    async def program(ctx: Context) -> None:
        ctx.branch("a", _limited)
        ctx.branch("b", ask())
        await ctx.model("ask", "?")

    play = Play(program)
    play.cancel()
    assert play.open == {}
    assert set(play.stopped) == {"a/~limit/ask", "a/~limit?", "b/ask", "ask"}
    assert play.finished == [CANCELLED]
    play.cancel()
    assert not play.offer("ask"), "late"
    assert play.finished == [CANCELLED]


def test_cancelling_from_outside_while_children_close_ends_them_too() -> None:
    async def program(ctx: Context) -> str:
        ctx.branch("child", ask())
        return "done"

    play = Play(program)
    play.cancel()
    assert play.finished == [CANCELLED]
    assert play.stopped == ["child/ask"]


def test_children_are_cancelled_before_their_parents() -> None:
    ended: list[str] = []

    async def level(ctx: Context, depth: int) -> None:
        try:
            if depth:
                await ctx.branch("deeper", lambda ctx: level(ctx, depth - 1))
            else:
                await ctx.model("ask", "?")
        finally:
            ended.append(str(depth))

    def program(ctx: Context) -> Awaitable[None]:
        return level(ctx, 3)

    play = Play(program)
    play.cancel()
    assert ended == ["0", "1", "2", "3"]


def test_closing_runs_clean_up_code_unheard() -> None:
    cleaned: list[str] = []

    async def child(ctx: Context) -> None:
        slots = ctx.slots(1)
        try:
            async with slots:
                await ctx.model("ask", "?")
        finally:
            ctx.note("step.failed")
            cleaned.append("child")
            try:
                await ctx.branch("more", nothing)
            finally:
                cleaned.append("and its clean-up")

    async def program(ctx: Context) -> None:
        await ctx.branch("child", child)

    play = Play(program)
    play.machine.close()
    play.machine.close()
    assert cleaned == ["child", "and its clean-up"]
    assert play.machine.take() == []
    with pytest.raises(ProgramError, match="abandoned"):
        play.offer("child/ask")


def test_a_touch_that_a_cancellation_kept_from_being_awaited_is_no_bug() -> None:
    async def child(ctx: Context, other: Branch[Json]) -> None:
        touch = ctx.model("ask", "?")
        await other
        await touch

    async def program(ctx: Context) -> None:
        other = ctx.branch("other", ask())
        branch = ctx.branch("child", lambda ctx: child(ctx, other))
        await ctx.sleep("wait", 1)
        branch.cancel()

    play = Play(program)
    play.give("wait")
    assert set(play.open) == {"other/ask"}
    play.give("other/ask")
    assert play.result == Returned(None)
