"""A lane lets in so much at a time and so much a minute, in order, and nobody who waits is lost."""

from __future__ import annotations

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quintet.agents.models.lanes import MINUTE, Lane, Minute
from quintet.agents.models.settings import Pace
from tests.engine.local.virtual_time import run


def lane(**pace: int) -> Lane:
    return Lane(Pace(**pace), asyncio.get_running_loop().time)


async def times(lane: Lane, count: int, work: float, tokens: int = 0) -> list[int]:
    """The second in which each of so many was let in, all coming at once and in order."""
    loop = asyncio.get_running_loop()
    began, let_in = loop.time(), [0] * count

    async def one(number: int) -> None:
        async with lane.passage(tokens):
            let_in[number] = round(loop.time() - began)
            await asyncio.sleep(work)

    await asyncio.gather(*(one(number) for number in range(count)))
    return let_in


async def let_in(count: int, work: float, tokens: int = 0, **pace: int) -> list[int]:
    """The same, in a new lane."""
    return await times(lane(**pace), count, work, tokens)


def test_so_many_are_let_in_at_a_time_in_the_order_in_which_they_came() -> None:
    assert run(let_in(5, 1.0, concurrent=2)) == [0, 0, 1, 1, 2]


def test_without_limits_all_are_let_in_at_once() -> None:
    assert run(let_in(100, 1.0)) == [0] * 100


def test_so_many_requests_a_minute_are_let_in() -> None:
    assert run(let_in(4, 0.0, requests_per_minute=2)) == [0, 0, 60, 60]


def test_so_many_tokens_a_minute_are_let_in() -> None:
    assert run(let_in(3, 0.0, tokens=300, tokens_per_minute=600)) == [0, 0, 60]


def test_what_is_more_than_a_minute_allows_is_let_in_when_there_is_a_whole_minute() -> None:
    assert run(let_in(2, 0.0, tokens=900, tokens_per_minute=600)) == [0, 90]


def test_what_turned_out_to_be_more_than_was_thought_is_waited_for() -> None:
    async def story() -> list[int]:
        slow = lane(tokens_per_minute=600)
        async with slow.passage(0):
            slow.correct(900)
        return await times(slow, 1, 0.0, tokens=300)

    assert run(story()) == [90]


def test_a_lane_that_was_too_much_is_closed_and_then_narrower_and_opens_again() -> None:
    async def story() -> list[int]:
        wide, loop = lane(), asyncio.get_running_loop()
        inside = asyncio.Barrier(4)

        async def too_much() -> None:
            async with wide.passage(0):
                await inside.wait()
                wide.slow_down(10.0)

        await asyncio.gather(*(too_much() for _ in range(4)))
        began = loop.time()
        let_in = await times(wide, 3, 1.0)
        assert loop.time() - began >= 10
        for _ in range(4):
            wide.went_well()
        return [*let_in, *await times(wide, 3, 1.0)]

    assert run(story()) == [10, 10, 11, 0, 0, 0]


def test_who_gives_up_waiting_leaves_no_hole() -> None:
    async def story() -> list[int]:
        narrow = lane(concurrent=1)
        async with narrow.passage(0):
            waiting = asyncio.create_task(times(narrow, 1, 0.0))
            await asyncio.sleep(1)
            waiting.cancel()
            with pytest.raises(asyncio.CancelledError):
                await waiting
        return await times(narrow, 2, 1.0)

    assert run(story()) == [0, 1]


@given(st.integers(1, 1000), st.lists(st.tuples(st.floats(0, 100), st.integers(0, 500)), max_size=30))
def test_in_no_minute_is_more_taken_than_is_allowed(most: int, demands: list[tuple[float, int]]) -> None:
    now, minute, taken = 0.0, Minute(most), list[tuple[float, int]]()
    for pause, amount in demands:
        now += pause
        now += minute.wait(amount, now)
        assert minute.wait(amount, now) == pytest.approx(0, abs=1e-6)
        minute.take(min(amount, most), now)
        taken.append((now, min(amount, most)))
        assert sum(amount for then, amount in taken if then > now - MINUTE + 1e-6) <= most


def test_what_was_not_needed_is_given_back() -> None:
    minute = Minute(100)
    minute.take(90, 0.0)
    minute.take(-80, 1.0)
    assert minute.wait(90, 1.0) == 0
    assert minute.wait(91, 1.0) == 59
