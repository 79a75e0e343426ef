"""Scopes and branches: who waits for whom, and whom a failure reaches."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from quintet.engine.context import Context
from quintet.engine.failures import Failed, Failure, ProgramError
from quintet.engine.machine import Machine
from quintet.engine.paths import parse, write
from quintet.engine.scopes import Branch, Returned, Slots
from quintet.engine.values import Json
from tests.engine.play import Play, ask, bad


def test_a_branch_may_be_awaited_often_and_by_whoever_holds_it() -> None:
    """Point 3: whoever holds the handle may await it, any number of times."""

    async def grandchild(ctx: Context, first: Branch[Json]) -> list[Json]:
        return [await first, await first]

    async def child(ctx: Context, first: Branch[Json]) -> list[Json]:
        inner = ctx.branch("inner", lambda ctx: grandchild(ctx, first))
        return [*(await inner), await first]

    async def program(ctx: Context) -> list[Json]:
        first = ctx.branch("first", ask())
        second = ctx.branch("second", lambda ctx: child(ctx, first))
        return [*(await second), await first]

    play = Play(program)
    play.give("first/ask", 7)
    assert play.result == Returned([7, 7, 7, 7])


def test_a_body_that_returns_waits_for_its_children() -> None:
    async def program(ctx: Context) -> str:
        ctx.branch("child", ask())
        return "done"

    play = Play(program)
    assert play.finished == []
    play.give("child/ask")
    assert play.finished == [Returned("done")]


def test_a_body_that_raises_cancels_its_children() -> None:
    async def program(ctx: Context) -> None:
        ctx.branch("child", ask())
        await ctx.model("ask", "?")

    play = Play(program)
    play.fail("ask", "provider")
    assert play.stopped == ["child/ask"]
    assert isinstance(play.result, Failure)
    assert (play.result.kind, play.result.at) == ("provider", (parse("ask"),))


def test_a_failure_that_nobody_awaits_fails_its_scope() -> None:
    async def middle(ctx: Context) -> str:
        ctx.branch("inner", bad)
        return "fine"

    async def program(ctx: Context) -> str:
        ctx.branch("middle", middle)
        return "fine"

    assert Play(program).result == Failure("refused", "no", at=(parse("middle/inner"),))


def test_of_several_failures_that_nobody_awaits_the_first_counts() -> None:
    async def program(ctx: Context) -> None:
        ctx.branch("a", ask())
        ctx.branch("b", ask())

    play = Play(program)
    play.fail("b/ask", "second in the text")
    play.fail("a/ask", "first in the text")
    assert isinstance(play.result, Failure)
    assert play.result.kind == "second in the text"


def test_a_failure_may_be_awaited_later_than_it_happened() -> None:
    async def program(ctx: Context) -> str:
        branch = ctx.branch("child", bad)
        await ctx.model("ask", "?")
        try:
            await branch
        except Failed as failed:
            return failed.failure.kind
        return "none"

    play = Play(program)
    play.give("ask")
    assert play.result == Returned("refused")


def test_a_failure_that_a_cousin_awaits_later_does_not_fail_its_own_scope() -> None:
    async def cousin(ctx: Context, branch: Branch[None]) -> str:
        await ctx.model("ask", "?")
        return str(await branch.settled())

    async def program(ctx: Context) -> str:
        branch = ctx.branch("child", bad)
        inner = ctx.branch("a", lambda ctx: _through(ctx, lambda ctx: cousin(ctx, branch)))
        await inner
        return "fine"

    play = Play(program)
    play.give("a/b/ask")
    assert play.result == Returned("fine")


async def _through(ctx: Context, body: Callable[[Context], Awaitable[Any]]) -> Any:
    return await ctx.branch("b", body)


def test_each_waiter_is_raised_a_failure_of_its_own() -> None:
    """Point 5: failures are frozen values, raised fresh for each waiter."""

    async def wait(ctx: Context, branch: Branch[None]) -> Failed:
        try:
            await branch
        except Failed as failed:
            return failed
        raise AssertionError

    async def program(ctx: Context) -> list[Failed]:
        branch = ctx.branch("child", bad)
        waiters = [ctx.branch("w", lambda ctx: wait(ctx, branch)) for _ in range(2)]
        return [await waiter for waiter in waiters]

    result = Play(program).result
    assert isinstance(result, Returned)
    one, two = result.value
    assert one is not two
    assert one.failure is two.failure


def test_the_handle_of_a_branch_that_has_ended_keeps_nothing_of_it_alive() -> None:
    handles: list[Branch[Json]] = []

    async def program(ctx: Context) -> None:
        handles.append(ctx.branch("child", ask()))
        ctx.branch("waiter", lambda ctx: _wait(handles[0]))
        await handles[0]

    play = Play(program)
    (handle,) = handles
    assert handle.scope is not None
    assert len(handle.waiters) == 2
    play.give("child/ask")
    assert (handle.scope, handle.waiters) == (None, {})


async def _wait(branch: Branch[Json]) -> Json:
    return await branch


def test_a_branch_of_another_run_cannot_be_awaited() -> None:
    handles: list[Branch[Json]] = []

    async def first(ctx: Context) -> None:
        handles.append(ctx.branch("child", ask()))
        await ctx.model("ask", "?")

    async def second(ctx: Context) -> None:
        await handles[0]

    play = Play(first)
    with pytest.raises(ProgramError, match="another run"):
        Machine(second)
    play.machine.close()


# Slots


async def _work(ctx: Context, slots: Slots) -> None:
    async with slots:
        ctx.note("step.started", ctx.path[0].occurrence)
        await ctx.model("ask", "?")


def _workers(number: int, permits: int) -> Callable[[Context], Awaitable[None]]:
    """Workers who share slots, and a touch `cancel N` that cancels one of them."""

    async def program(ctx: Context) -> None:
        slots = ctx.slots(permits)
        workers = [ctx.branch("w", lambda ctx: _work(ctx, slots)) for _ in range(number)]
        while True:
            which = await ctx.model("cancel", "?")
            assert isinstance(which, list)
            if not which:
                return
            for each in which:
                assert isinstance(each, int)
                workers[each - 1].cancel()

    return program


def _begun(play: Play) -> list[int]:
    return [int(note.split()[1]) for note in play.notes]


def test_slots_are_given_to_whoever_asked_first() -> None:
    """Point 3: `slots(n)` is a deterministic first-come permit."""
    play = Play(_workers(5, 2))
    assert _begun(play) == [1, 2]
    play.give("w#2/ask")
    assert _begun(play) == [1, 2, 3]
    play.give("w/ask")
    assert _begun(play) == [1, 2, 3, 4]


def test_a_slot_held_by_a_branch_that_is_cancelled_goes_to_the_next() -> None:
    play = Play(_workers(3, 1))
    play.give("cancel", [1])
    assert _begun(play) == [1, 2]
    play.give("w#2/ask")
    assert _begun(play) == [1, 2, 3]


def test_a_branch_that_is_cancelled_in_the_queue_leaves_it() -> None:
    play = Play(_workers(3, 1))
    play.give("cancel", [2])
    play.give("w/ask")
    assert _begun(play) == [1, 3]


def test_a_slot_on_its_way_to_a_branch_that_is_cancelled_goes_to_the_next() -> None:
    async def program(ctx: Context) -> None:
        slots = ctx.slots(1)

        async def first(ctx: Context) -> None:
            async with slots:
                await ctx.model("ask", "?")
            second.cancel()  # it has been given the slot by now, and does not know it yet

        ctx.branch("w", first)
        second = ctx.branch("w", lambda ctx: _work(ctx, slots))
        ctx.branch("w", lambda ctx: _work(ctx, slots))

    play = Play(program)
    play.give("w/ask")
    assert _begun(play) == [3]
    play.give("w#3/ask")
    assert play.result == Returned(None)


def test_when_all_are_cancelled_no_slot_is_lost() -> None:
    """A slot that is handed on while the next is about to be cancelled, too."""
    for order in ([1, 2, 3], [3, 2, 1], [2, 1, 3]):
        play = Play(_workers(4, 1))
        play.give("cancel", list(order))
        assert _begun(play) == [1, 4]
        play.give("cancel#2", [])
        play.give("w#4/ask")
        assert play.result == Returned(None)


def test_a_slot_is_given_back_when_the_work_fails() -> None:
    play = Play(_workers(2, 1))
    play.fail("w/ask")
    assert _begun(play) == [1, 2]


def test_giving_back_a_slot_that_one_does_not_hold_is_a_program_error() -> None:
    async def program(ctx: Context) -> None:
        slots = ctx.slots(1)
        holder = ctx.branch("holder", lambda ctx: _work(ctx, slots))
        other = ctx.branch("other", lambda ctx: slots.__aexit__())
        await other
        await holder

    with pytest.raises(ProgramError, match="other gave back a slot that it does not hold"):
        Machine(program)


def test_slots_of_another_run_cannot_be_taken() -> None:
    kept: list[Slots] = []

    async def first(ctx: Context) -> None:
        kept.append(ctx.slots(1))

    async def second(ctx: Context) -> None:
        async with kept[0]:
            pass

    Machine(first)
    with pytest.raises(ProgramError, match="another run"):
        Machine(second)


def test_taking_the_last_slot_twice_is_a_program_error_that_names_the_holder() -> None:
    async def inner(ctx: Context, slots: Slots) -> None:
        async with slots, slots:
            pass

    async def program(ctx: Context) -> None:
        slots = ctx.slots(1)
        await ctx.branch("greedy", lambda ctx: inner(ctx, slots))

    with pytest.raises(ProgramError, match=r"greedy waits for greedy$"):
        Machine(program)


def test_a_slot_that_is_never_given_back_is_named() -> None:
    async def take(ctx: Context, slots: Slots) -> None:
        await slots.__aenter__()

    async def program(ctx: Context) -> None:
        slots = ctx.slots(1)
        for _ in range(2):
            await ctx.branch("taker", lambda ctx: take(ctx, slots))

    with pytest.raises(ProgramError, match="waits for a slot that nobody gives back"):
        Machine(program)


def test_there_are_no_slots_without_a_permit() -> None:
    async def program(ctx: Context) -> None:
        ctx.slots(0)

    with pytest.raises(ProgramError, match="at least one permit"):
        Machine(program)


def test_paths_of_deep_scopes_are_put_together_on_demand() -> None:
    paths: list[str] = []

    async def level(ctx: Context, depth: int) -> None:
        if depth:
            await ctx.branch("n", lambda ctx: level(ctx, depth - 1))
        paths.append(write(ctx.path))

    async def program(ctx: Context) -> None:
        await level(ctx, 3)

    Machine(program)
    assert paths == ["n/n/n", "n/n", "n", ""]
