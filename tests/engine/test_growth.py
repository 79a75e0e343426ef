"""How time and memory grow: twice the work costs twice, and what is over costs nothing."""

from __future__ import annotations

import gc
import sys
import tracemalloc
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any

import pytest

from quintet.engine.combinators import deadline, gather
from quintet.engine.context import Context
from quintet.engine.failures import Failure
from quintet.engine.machine import Machine
from quintet.engine.paths import parse
from quintet.engine.scopes import CANCELLED, Body, Branch, Returned
from quintet.engine.touches import Touch
from quintet.engine.values import Json
from tests.engine.play import ask


def _nested(depth: int) -> Body[int]:
    async def body(ctx: Context) -> int:
        if not depth:
            await ctx.model("ask", "?")
            return 0
        return 1 + await ctx.branch("n", _nested(depth - 1))

    return body


@pytest.mark.parametrize("ending", ["return", "fail", "cancel", "close", "drop"])
def test_ten_thousand_nested_scopes_are_no_trouble(ending: str) -> None:
    depth = 10_000
    machine = Machine(_nested(depth))
    (touch,) = machine.take()
    assert isinstance(touch, Touch)
    match ending:
        case "return":
            machine.advance(touch.outcome())
            assert machine.result == Returned(depth)
        case "fail":
            machine.advance(touch.outcome(None, Failure("tool", "no")))
            assert isinstance(machine.result, Failure)
        case "cancel":
            machine.cancel_all()
            assert machine.result is CANCELLED
        case "close":
            machine.close()
        case _:
            del machine, touch
            gc.collect()


def calls(work: Callable[[int], object], size: int) -> int:
    """How many calls a piece of work makes, of functions in Python and in C: its time, without a clock."""
    count = 0

    def counted(frame: object, event: str, argument: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    gc.disable()
    sys.setprofile(counted)
    try:
        work(size)
    finally:
        sys.setprofile(None)
        gc.enable()
    return count


def run_all(program: Callable[..., Awaitable[Any]], *arguments: Any) -> Machine:
    """Give every touch an outcome as it comes."""
    machine = Machine(program, arguments)
    seq = 0
    while machine.result is None:
        for touch in machine.take():
            if isinstance(touch, Touch) and touch.open and touch.kind != "deadline":
                seq += 1
                machine.advance(touch.outcome(None, None, 0.0, seq))
    return machine


async def _sequence(ctx: Context, size: int) -> None:
    for _ in range(size):
        await ctx.model("ask", "?")


async def _limits(ctx: Context, size: int) -> None:
    for _ in range(size):
        await deadline(ctx, "limit", 5, ask())


async def _fan(ctx: Context, size: int) -> None:
    for branch in [ctx.branch("item", ask()) for _ in range(size)]:
        await branch


async def _queue(ctx: Context, size: int) -> None:
    slots = ctx.slots(3)

    async def body(ctx: Context) -> None:
        async with slots:
            await ctx.model("ask", "?")

    for _ in range(size):
        ctx.branch("item", body)


async def _group(ctx: Context, size: int) -> None:
    await gather(ctx, [("item", ask())] * size, limit=20)


async def _chain(ctx: Context, size: int) -> None:
    async def link(ctx: Context, before: Branch[None] | None) -> None:
        if before is not None:
            await before
        await ctx.model("ask", "?")

    before: Branch[None] | None = None
    for _ in range(size):
        before = ctx.branch("link", lambda ctx, before=before: link(ctx, before))


def _cancel_one_by_one(size: int) -> None:
    async def program(ctx: Context) -> None:
        slots = ctx.slots(1)

        async def body(ctx: Context) -> None:
            async with slots:
                await ctx.model("ask", "?")

        branches = [ctx.branch("item", body) for _ in range(size)]
        await ctx.sleep("wait", 1)
        for branch in reversed(branches):
            branch.cancel()

    machine = Machine(program)
    wait = machine.find(parse("wait"), "timer")
    assert wait is not None
    machine.advance(wait.outcome())
    assert machine.result == Returned(None)


def _cancel_group(size: int) -> None:
    async def program(ctx: Context) -> None:
        await gather(ctx, [("item", ask())] * size)

    machine = Machine(program)
    first = machine.take()[0]
    assert isinstance(first, Touch)
    machine.advance(first.outcome(None, Failure("tool", "no")))
    assert isinstance(machine.result, Failure)


def _cancel_deep(size: int) -> None:
    machine = Machine(_nested(size))
    machine.cancel_all()
    assert machine.result is CANCELLED


def _cancel_deep_one_by_one(size: int) -> None:
    """Each of many nested branches is cancelled, from the outermost on, although that is enough."""
    handles: list[Branch[None]] = []

    async def level(ctx: Context, depth: int) -> None:
        if depth:
            handles.append(ctx.branch("n", lambda ctx: level(ctx, depth - 1)))
        await ctx.sleep("wait", 1)

    async def program(ctx: Context) -> None:
        ctx.branch("top", lambda ctx: level(ctx, size))
        await ctx.sleep("wait", 1)
        for handle in handles:
            handle.cancel()

    machine = Machine(program)
    wait = machine.find(parse("wait"), "timer")
    assert wait is not None
    machine.advance(wait.outcome())
    assert machine.open_touches == 1
    machine.close()


def _doomed(size: int) -> None:
    """A long chain of waiters, which fails from its end."""

    async def program(ctx: Context) -> None:
        handles: list[Branch[Json]] = [ctx.branch("first", ask())]
        for _ in range(size):
            handles.append(ctx.branch("next", lambda ctx, before=handles[-1]: _await_it(before)))

    machine = Machine(program)
    first = machine.take()[0]
    assert isinstance(first, Touch)
    machine.advance(first.outcome(None, Failure("tool", "no")))
    assert isinstance(machine.result, Failure)


async def _await_it(branch: Branch[Json]) -> Json:
    return await branch


@pytest.mark.parametrize(
    "work",
    [
        *(partial(run_all, program) for program in (_sequence, _limits, _fan, _queue, _group, _chain)),
        _cancel_one_by_one,
        _cancel_group,
        _cancel_deep,
        _cancel_deep_one_by_one,
        _doomed,
    ],
    ids=[
        "sequence", "time limits", "fan-out", "queue", "gather", "dataflow",
        "cancel one by one", "cancel a group", "cancel in depth", "cancel in depth one by one",
        "fail along a chain",
    ],
)  # fmt: skip
def test_twice_the_work_costs_twice(work: Callable[[int], object]) -> None:
    assert calls(work, 2_000) <= 2.2 * calls(work, 1_000)


@pytest.mark.parametrize(
    ("few", "many"),
    [(2_000, 20_000), pytest.param(10_000, 100_000, marks=pytest.mark.long)],
)
def test_iterations_with_a_deadline_each_leave_memory_flat(few: int, many: int) -> None:
    """Point 4: a hundred thousand iterations with a deadline each leave memory flat."""
    machine = Machine(_limits, (many,))
    seq = 0
    marks: list[tuple[int, int]] = []
    gc.collect()
    gc.disable()
    tracemalloc.start()
    try:
        for mark in (few, many - 1):
            while seq < mark:
                for touch in machine.take():
                    if isinstance(touch, Touch) and touch.kind != "deadline":
                        seq += 1
                        machine.advance(touch.outcome(None, None, 0.0, seq))
            marks.append((tracemalloc.get_traced_memory()[0], len(gc.get_objects())))
    finally:
        tracemalloc.stop()
        gc.enable()
    (bytes_then, objects_then), (bytes_now, objects_now) = marks
    assert bytes_now - bytes_then < 2_000
    assert objects_now - objects_then < 20
    machine.close()
