"""Touches: what identifies one, and what tells two requests apart."""

from __future__ import annotations

from quintet.engine.combinators import deadline
from quintet.engine.context import Context
from quintet.engine.failures import Failed, Failure
from quintet.engine.paths import parse
from quintet.engine.scopes import Returned
from quintet.engine.touches import Outcome
from quintet.engine.values import fingerprint
from tests.engine.play import Play, ask


def test_a_fingerprint_is_of_the_kind_and_the_text_of_the_request() -> None:
    """Point 7: each touch stores a fingerprint of what the program asked."""
    touch = Play(ask()).open["ask"]
    assert touch.fingerprint == fingerprint("model", '"?"')
    assert touch.fingerprint != fingerprint("tool", '"?"')


def test_the_fingerprints_of_today_are_those_of_tomorrow() -> None:
    """Logs hold them: another hash would make every run of an earlier release diverge."""
    assert fingerprint("model", '"?"') == "85d323359b736688186127d3f5854c93"


def test_an_alarm_is_named_by_the_scope_that_it_limits() -> None:
    async def program(ctx: Context) -> None:
        await deadline(ctx, "limit", 5, ask())

    alarm = Play(program).open["~limit?"]
    assert alarm.path == parse("~limit")
    assert alarm.request == 5


def test_an_outcome_of_a_touch_names_it() -> None:
    touch = Play(ask()).open["ask"]
    assert touch.outcome(3, None, 4.0, 5) == Outcome(parse("ask"), "model", 3, None, 4.0, 5)


def test_a_failure_is_raised_where_the_touch_is_awaited_and_says_where_it_happened() -> None:
    async def program(ctx: Context) -> str:
        try:
            await ctx.model("ask", "?")
        except Failed as failed:
            return repr(failed.failure)
        return "none"

    play = Play(program)
    play.fail("ask")
    assert play.result == Returned(repr(Failure("tool", "tool!", at=(parse("ask"),))))


def test_a_touch_is_open_until_its_outcome_is_delivered() -> None:
    play = Play(ask())
    touch = play.open["ask"]
    assert touch.open
    assert repr(touch) == "<model ask>"
    play.give("ask")
    assert not touch.open
