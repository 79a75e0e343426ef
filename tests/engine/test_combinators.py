"""Combinators: how a group fails, how often a body is tried, and how long it may work."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence

import pytest

from quintet.engine.combinators import OnError, attempts, deadline, gather
from quintet.engine.context import Context
from quintet.engine.failures import Failed, Failure, ProgramError
from quintet.engine.machine import Machine
from quintet.engine.paths import parse, write
from quintet.engine.retry import Policy
from quintet.engine.scopes import CANCELLED, Body, Result, Returned
from quintet.engine.values import Json
from tests.engine.play import Play, ask, bad, nothing


def _group(
    number: int, on_error: OnError = "cancel", limit: int | None = None
) -> Callable[[Context], Awaitable[Sequence[Result[Json]]]]:
    async def program(ctx: Context) -> Sequence[Result[Json]]:
        return await gather(ctx, [("m", ask())] * number, limit=limit, on_error=on_error)

    return program


# gather


def test_a_group_gives_its_results_in_the_order_of_its_bodies() -> None:
    play = Play(_group(3))
    for number in (3, 1, 2):
        play.give(f"m#{number}/ask" if number > 1 else "m/ask", number)
    assert play.result == Returned([Returned(1), Returned(2), Returned(3)])


@pytest.mark.parametrize("on_error", ["cancel", "drain", "collect"])
@pytest.mark.parametrize("limit", [None, 2])
def test_an_empty_group_gives_nothing(on_error: OnError, limit: int | None) -> None:
    assert Play(_group(0, on_error, limit)).result == Returned([])


def test_a_limit_lets_only_so_many_run_at_once() -> None:
    play = Play(_group(4, limit=2))
    assert set(play.open) == {"m/ask", "m#2/ask"}
    play.give("m#2/ask")
    assert set(play.open) == {"m/ask", "m#3/ask"}


@pytest.mark.parametrize("limit", [0, -1])
def test_a_limit_that_lets_none_run_is_a_bug_not_a_group_without_limit(limit: int) -> None:
    with pytest.raises(ProgramError, match="at least one permit"):
        Machine(_group(2, limit=limit))


@pytest.mark.parametrize("limit", [None, 2])
def test_on_error_cancel_stops_the_siblings(limit: int | None) -> None:
    """Point 3: `cancel` (stop the siblings)."""
    play = Play(_group(4, "cancel", limit))
    before = set(play.open)
    play.fail("m#2/ask", "provider")
    assert set(play.stopped) == before - {"m#2/ask"}
    assert isinstance(play.result, Failure)
    assert play.result.at == (parse("m#2/ask"),)


def test_on_error_drain_lets_those_that_run_finish_and_starts_no_more() -> None:
    """Point 3: `drain` (running ones finish, none starts)."""
    play = Play(_group(4, "drain", 2))
    play.fail("m/ask", "provider")
    assert play.stopped == []
    assert set(play.open) == {"m#2/ask"}
    play.give("m#2/ask")
    assert isinstance(play.result, Failure)
    assert play.result.kind == "provider"


def test_on_error_drain_starts_no_more_where_there_is_no_limit_either() -> None:
    async def program(ctx: Context) -> None:
        bodies: list[tuple[str, Body[object]]] = [("bad", bad), ("good", ask())]
        await gather(ctx, bodies, on_error="drain")

    play = Play(program)
    assert play.open == {}
    assert play.result == Failure("refused", "no")


def test_of_several_failures_the_one_that_came_first_is_raised() -> None:
    play = Play(_group(3, "drain"))
    play.fail("m#3/ask", "first")
    play.fail("m/ask", "second")
    play.give("m#2/ask")
    assert isinstance(play.result, Failure)
    assert play.result.kind == "first"


def test_on_error_collect_runs_all_and_gives_failures_as_values() -> None:
    """Point 3: `collect` (all run, failures are values)."""
    play = Play(_group(3, "collect", 1))
    play.fail("m/ask", "provider")
    play.give("m#2/ask", 2)
    play.give("m#3/ask", 3)
    assert isinstance(play.result, Returned)
    failure, *others = play.result.value
    assert failure == Failure("provider", "provider!", at=(parse("m/ask"),))
    assert others == [Returned(2), Returned(3)]


def test_a_group_ends_with_the_scope_that_waits_for_it() -> None:
    play = Play(_group(3, "collect", 2))
    play.cancel()
    assert play.open == {}
    assert play.result is CANCELLED


# attempts


def _tries(policy: Policy, body: Body[Json] | None = None) -> Callable[[Context], Awaitable[Json]]:
    return lambda ctx: attempts(ctx, "try", policy, body or ask())


def test_each_attempt_is_a_scope_of_its_own() -> None:
    """Point 6: `attempts` runs each attempt in a child scope of its own."""
    play = Play(_tries(Policy(3)))
    play.fail("~try/!attempt/ask")
    play.fail("~try/!attempt#2/ask")
    play.give("~try/!attempt#3/ask", 7)
    assert play.result == Returned(7)
    assert [note.split()[0] for note in play.notes] == ["step.retrying"] * 2


def test_the_last_failure_is_raised_when_the_policy_gives_up() -> None:
    play = Play(_tries(Policy(2)))
    play.fail("~try/!attempt/ask", "first")
    play.fail("~try/!attempt#2/ask", "second")
    assert isinstance(play.result, Failure)
    assert (play.result.kind, play.result.at) == ("second", (parse("~try/!attempt#2/ask"),))


def test_a_failure_of_another_kind_is_not_tried_again() -> None:
    play = Play(_tries(Policy(3, kinds=frozenset({"rate_limit"}))))
    play.fail("~try/!attempt/ask", "rate_limit")
    play.fail("~try/!attempt#2/ask", "refused")
    assert isinstance(play.result, Failure)
    assert play.result.kind == "refused"


def test_the_wait_between_attempts_is_a_durable_timer() -> None:
    play = Play(_tries(Policy(2, delay=3.0)))
    play.fail("~try/!attempt/ask")
    assert play.open["~try/backoff"].kind == "timer"
    assert play.open["~try/backoff"].request == 3.0
    play.give("~try/backoff")
    assert set(play.open) == {"~try/!attempt#2/ask"}


def test_an_idempotency_key_is_renewed_only_after_a_definite_failure() -> None:
    """Point 8: renewed only after a definite failure, kept by retry."""
    play = Play(_tries(Policy(4)))
    renewals: list[int] = []
    for definite in (False, True, False):
        (path,) = play.open
        renewals.append(play.open[path].renewals)
        play.fail(path, definite=definite)
    renewals.append(next(iter(play.open.values())).renewals)
    assert renewals == [0, 0, 1, 1]
    play.machine.close()


def test_attempts_within_attempts_add_their_renewals() -> None:
    play = Play(_tries(Policy(2), lambda ctx: attempts(ctx, "inner", Policy(2), ask())))
    for _ in range(3):
        (path,) = play.open
        play.fail(path, definite=True)
    (touch,) = play.open.values()
    assert write(touch.path) == "~try/!attempt#2/~inner/!attempt#2/ask"
    assert touch.renewals == 2
    play.machine.close()


# deadline


def _limited(body: Body[Json], key: str = "limit") -> Body[Json]:
    return lambda ctx: deadline(ctx, key, 5, body)


def test_a_body_that_ends_in_time_gives_its_value_and_ends_the_limit() -> None:
    play = Play(_limited(ask()))
    assert set(play.open) == {"~limit?", "~limit/ask"}
    play.give("~limit/ask", 7)
    assert play.stopped == ["~limit?"]
    assert play.result == Returned(7)
    assert not play.strike("~limit"), "late"


def test_a_limit_that_strikes_stops_all_that_is_inside() -> None:
    """Point 6: `deadline` bounds a body, whatever is inside."""

    async def block(ctx: Context) -> None:
        ctx.branch("a", lambda ctx: attempts(ctx, "try", Policy(3), ask()))
        ctx.branch("b", ask())
        await ctx.sleep("wait", 9)

    play = Play(_limited(block))
    play.strike("~limit")
    assert set(play.stopped) == {"~limit/a/~try/!attempt/ask", "~limit/b/ask", "~limit/wait"}
    assert play.result == Failure("timeout", "timed out after 5s", at=(parse("~limit"),))


def test_a_limit_inside_attempts_bounds_each_of_them() -> None:
    play = Play(_tries(Policy(2), lambda ctx: deadline(ctx, "limit", 5, ask())))
    play.strike("~try/!attempt/~limit")
    play.give("~try/!attempt#2/~limit/ask", 7)
    assert play.result == Returned(7)


def test_a_limit_around_attempts_bounds_all_of_them() -> None:
    play = Play(_limited(_tries(Policy(9, delay=1))))
    play.fail("~limit/~try/!attempt/ask")
    play.strike("~limit")
    assert play.open == {}
    assert isinstance(play.result, Failure)
    assert play.result.kind == "timeout"


def test_a_limit_that_strikes_while_the_body_closes_strikes() -> None:
    async def block(ctx: Context) -> str:
        ctx.branch("child", ask())
        return "done"

    play = Play(_limited(block))
    play.strike("~limit")
    assert play.stopped == ["~limit/child/ask"]
    assert isinstance(play.result, Failure)


def test_a_limit_that_strikes_where_cancelled_is_swallowed_strikes_all_the_same() -> None:
    async def block(ctx: Context) -> str:
        try:
            await ctx.model("ask", "?")
        finally:
            return "as if nothing had been"  # noqa: B012

    play = Play(_limited(block))
    play.strike("~limit")
    assert isinstance(play.result, Failure)
    assert play.result.kind == "timeout"


def test_of_two_limits_the_outer_one_ends_the_inner() -> None:
    play = Play(_limited(_limited(ask(), "in"), "out"))
    play.strike("~out")
    assert set(play.stopped) == {"~out/~in?", "~out/~in/ask"}
    assert not play.strike("~out/~in"), "late"


def test_a_limit_does_not_begin_in_a_scope_that_is_cancelled() -> None:
    async def child(ctx: Context) -> None:
        try:
            await ctx.model("ask", "?")
        finally:
            await deadline(ctx, "limit", 5, nothing)

    async def program(ctx: Context) -> None:
        branch = ctx.branch("child", child)
        await ctx.sleep("wait", 1)
        branch.cancel()

    play = Play(program)
    play.give("wait")
    assert play.result == Returned(None)


@pytest.mark.parametrize("seconds", [float("nan"), float("inf")])
def test_a_limit_that_no_clock_can_keep_is_a_bug(seconds: float) -> None:
    async def program(ctx: Context) -> None:
        await deadline(ctx, "limit", seconds, nothing)

    with pytest.raises(ProgramError, match="ValueError"):
        Machine(program)


def test_a_program_may_catch_the_failure_of_a_limit_and_go_on() -> None:
    async def program(ctx: Context) -> Json:
        try:
            return await deadline(ctx, "limit", 5, ask())
        except Failed as failed:
            return await ctx.model("instead", failed.failure.kind)

    play = Play(program)
    play.strike("~limit")
    play.give("instead", 7)
    assert play.result == Returned(7)
