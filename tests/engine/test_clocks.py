"""Clocks: a time limit counts work, not waiting."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from quintet.engine.clocks import Clocks
from quintet.engine.combinators import deadline, gather
from quintet.engine.context import Context
from quintet.engine.orders import Arm, Disarm
from quintet.engine.touches import Touch
from quintet.engine.values import Json
from tests.engine.play import Play, ask


@dataclass
class Desk:
    """Clocks for a block of two touches, which stand inside two time limits, and one outside them."""

    clocks: Clocks
    outer: Touch
    inner: Touch
    touches: list[Touch]

    def orders(self) -> list[tuple[str, float | None]]:
        """What the host is told, by the name of the limit."""
        given = [
            (order.alarm.name, order.seconds if isinstance(order, Arm) else None)
            for order in self.clocks.orders
        ]
        self.clocks.orders.clear()
        return given


def desk() -> Desk:
    async def block(ctx: Context) -> Json:
        await gather(ctx, [("a", ask()), ("b", ask())])
        return None

    async def program(ctx: Context) -> None:
        ctx.branch("c", ask())
        await deadline(ctx, "outer", 10, lambda ctx: deadline(ctx, "inner", 4, block))

    open_touches = Play(program).open
    clocks = Clocks()
    outer, inner = open_touches["~outer?"], open_touches["~outer/~inner?"]
    clocks.open(outer)
    clocks.open(inner)
    touches = [open_touches[path] for path in ("~outer/~inner/a/ask", "~outer/~inner/b/ask", "c/ask")]
    return Desk(clocks, outer, inner, touches)


def test_a_clock_runs_while_something_under_it_is_performed() -> None:
    """Point 6: a deadline's clock runs only while something under it is performed or sleeps."""
    d = desk()
    assert d.orders() == []
    d.clocks.begin(d.touches[0], 100.0)
    assert d.orders() == [("inner", 4.0), ("outer", 10.0)]
    d.clocks.end(d.touches[0], 101.0)
    assert d.orders() == [("inner", None), ("outer", None)]
    d.clocks.begin(d.touches[1], 500.0)
    assert d.orders() == [("inner", 3.0), ("outer", 9.0)]


def test_two_touches_at_once_take_no_more_time_than_one() -> None:
    d = desk()
    d.clocks.begin(d.touches[0], 0.0)
    d.clocks.begin(d.touches[1], 1.0)
    d.clocks.end(d.touches[0], 2.0)
    d.orders()
    d.clocks.end(d.touches[1], 3.0)
    assert d.orders() == [("inner", None), ("outer", None)]
    d.clocks.begin(d.touches[0], 9.0)
    assert d.orders() == [("inner", 1.0), ("outer", 7.0)]


def test_a_touch_outside_a_time_limit_does_not_move_it() -> None:
    d = desk()
    d.clocks.begin(d.touches[2], 0.0)
    d.clocks.end(d.touches[2], 9.0)
    assert d.orders() == []


def test_a_time_limit_that_is_over_is_disarmed_once_and_never_again() -> None:
    d = desk()
    d.clocks.begin(d.touches[0], 0.0)
    d.orders()
    d.clocks.close(d.inner)
    d.clocks.close(d.inner)
    assert d.orders() == [("inner", None)]
    d.clocks.end(d.touches[0], 1.0)
    assert d.orders() == [("outer", None)]


def test_a_time_limit_whose_clock_stands_still_needs_no_disarming() -> None:
    d = desk()
    d.clocks.close(d.inner)
    assert d.orders() == []


def test_a_clock_that_jumps_back_gives_no_time_back() -> None:
    d = desk()
    d.clocks.begin(d.touches[0], 100.0)
    d.clocks.end(d.touches[0], 50.0)
    d.clocks.begin(d.touches[0], 50.0)
    assert d.orders()[-2:] == [("inner", 4.0), ("outer", 10.0)]


def test_what_never_began_ends_without_a_trace() -> None:
    d = desk()
    d.clocks.end(d.touches[0], 5.0)
    assert d.orders() == []


@given(st.lists(st.tuples(st.floats(0, 2), st.integers(0, 2)), max_size=30))
def test_a_limit_has_left_what_was_not_worked_under_it(moves: list[tuple[float, int]]) -> None:
    """Each move lets some time pass, and then begins or ends one of three touches."""
    d = desk()
    running: set[int] = set()
    now = worked = 0.0
    for passed, which in moves:
        now += passed
        worked += passed if running & {0, 1} else 0.0
        if which in running:
            running.remove(which)
            d.clocks.end(d.touches[which], now)
        else:
            running.add(which)
            d.clocks.begin(d.touches[which], now)
        armed = [order for order in d.clocks.orders if order.alarm is d.inner]
        assert all(isinstance(a, Arm) != isinstance(b, Arm) for a, b in pairwise(armed))
        if armed and isinstance(armed[-1], Arm):
            assert running & {0, 1}
        elif armed:
            assert isinstance(armed[-1], Disarm)
            assert not running & {0, 1}
    for which in running:
        d.clocks.end(d.touches[which], now)
    d.orders()
    d.clocks.begin(d.touches[0], now)
    (_, inner), (_, outer) = d.orders()
    assert inner is not None
    assert outer is not None
    assert abs(inner - max(0.0, 4.0 - worked)) < 1e-6
    assert abs(outer - max(0.0, 10.0 - worked)) < 1e-6
