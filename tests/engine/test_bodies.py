"""Bodies: what a program may be, what it may await, and how it is ended."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import AsyncIterator, Awaitable

import pytest

from quintet.engine.combinators import attempts, gather
from quintet.engine.context import Context
from quintet.engine.failures import ProgramError
from quintet.engine.machine import Machine
from quintet.engine.retry import Policy
from quintet.engine.scopes import Returned
from quintet.engine.values import Json
from tests.engine.play import Play, nothing


def test_a_foreign_await_is_a_program_error() -> None:
    async def program(ctx: Context) -> None:
        await asyncio.sleep(0)

    with pytest.raises(ProgramError, match="may await its Context only"):
        Machine(program)


def test_a_future_of_an_event_loop_is_a_program_error() -> None:
    async def program(ctx: Context) -> None:
        await asyncio.get_running_loop().create_future()

    async def host() -> None:
        with pytest.raises(ProgramError, match="may await its Context only"):
            Machine(program)

    asyncio.run(host())


def test_an_async_generator_is_no_program() -> None:
    async def program(ctx: Context) -> AsyncIterator[int]:
        yield 1

    with pytest.raises(ProgramError, match="async_generator"):
        Machine(program)  # pyright: ignore[reportArgumentType]


def test_a_program_may_walk_over_an_async_generator_of_its_own() -> None:
    async def numbers(ctx: Context) -> AsyncIterator[Json]:
        for _ in range(2):
            yield await ctx.model("ask", "?")

    async def program(ctx: Context) -> list[Json]:
        return [number async for number in numbers(ctx)]

    play = Play(program)
    play.give("ask", 1)
    play.give("ask#2", 2)
    assert play.result == Returned([1, 2])


def test_an_event_loop_around_the_machine_does_not_end_a_generator_at_a_time_of_its_own() -> None:
    """asyncio would run the `finally` of a generator that was left, in a later turn of its loop."""

    async def numbers(seen: list[str]) -> AsyncIterator[int]:
        try:
            yield 1
            yield 2
        finally:
            seen.append("left")

    async def program(ctx: Context) -> list[str]:
        seen: list[str] = []
        async for _ in numbers(seen):
            break
        await ctx.model("ask", "?")
        seen.append("asked")
        return seen

    async def host() -> Play:
        play = Play(program)
        play.give("ask")
        return play

    alone = Play(program)
    alone.give("ask")
    assert asyncio.run(host()).result == alone.result == Returned(["left", "asked"])


@pytest.mark.parametrize("error", [ValueError("x"), SystemExit(1), asyncio.CancelledError(), GeneratorExit()])
def test_whatever_is_no_failure_is_a_bug_and_stops_the_run(error: BaseException) -> None:
    """Point 5: any exception that is not a touch's failure is a bug."""

    async def program(ctx: Context) -> None:
        await ctx.model("ask", "?")
        raise error

    play = Play(program)
    with pytest.raises(ProgramError) as caught:
        play.give("ask")
    assert caught.value.__cause__ is error
    assert play.result is None
    with pytest.raises(ProgramError):
        play.offer("ask#2")
    with pytest.raises(ProgramError):
        play.cancel()


def test_a_bug_is_caught_by_neither_attempts_nor_collect() -> None:
    async def broken(ctx: Context) -> None:
        raise KeyError("x")

    async def program(ctx: Context) -> None:
        await gather(
            ctx,
            [("a", lambda ctx: attempts(ctx, "try", Policy(3), broken))],
            on_error="collect",
        )

    with pytest.raises(ProgramError, match="KeyError"):
        Machine(program)


def test_a_body_that_raises_stop_iteration_has_not_returned() -> None:
    async def program(ctx: Context) -> None:
        empty: list[Awaitable[None]] = []
        await ctx.branch("child", lambda ctx: next(iter(empty)))

    with pytest.raises(ProgramError, match="StopIteration"):
        Machine(program)


def test_an_interrupt_from_the_keyboard_is_handed_on_and_stops_the_run() -> None:
    async def program(ctx: Context) -> None:
        await ctx.model("ask", "?")
        raise KeyboardInterrupt

    play = Play(program)
    with pytest.raises(KeyboardInterrupt):
        play.give("ask")
    with pytest.raises(ProgramError):
        play.offer("ask#2")


def test_a_program_that_has_a_bug_is_abandoned_with_its_clean_up_code_run() -> None:
    cleaned: list[str] = []

    async def child(ctx: Context) -> None:
        try:
            await ctx.model("ask", "?")
        finally:
            cleaned.append("child")
            await ctx.model("again", "?")

    async def program(ctx: Context) -> None:
        ctx.branch("child", child)
        await ctx.model("ask", "?")
        raise ValueError

    play = Play(program)
    with pytest.raises(ProgramError, match="ValueError"):
        play.give("ask")
    assert cleaned == ["child"]
    assert play.machine.take() == []
    gc.collect()  # nothing is left that could complain


def test_a_bug_where_the_program_begins_leaves_nothing_behind() -> None:
    async def child(ctx: Context) -> None:
        async with ctx.slots(1):
            await ctx.model("ask", "?")

    async def program(ctx: Context) -> None:
        ctx.branch("child", child)
        await ctx.branch("other", nothing)
        await asyncio.sleep(0)

    with pytest.raises(ProgramError):
        Machine(program)
    gc.collect()
