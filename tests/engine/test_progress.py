"""Progress: a program and its log, in step; where they are not, the run stops."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from quintet import __version__
from quintet.engine.combinators import deadline
from quintet.engine.context import Context
from quintet.engine.events import Event
from quintet.engine.failures import Diverged, Failed, Failure
from quintet.engine.gates import Gate, Go
from quintet.engine.paths import parse
from quintet.engine.programs import ProgramBody, Unsupported, Version
from quintet.engine.questions import Question
from quintet.engine.redaction import MASK, Redactor
from quintet.engine.rules import Rules
from quintet.engine.scopes import Returned
from quintet.engine.touches import Touch
from quintet.engine.values import Json, encode
from tests.engine.desk import Desk
from tests.engine.play import ask

SECRET = "hush-hush"


async def recorded(ctx: Context, arguments: Json) -> Json:
    """The program that wrote the log of these tests."""
    ctx.note("step.started", "one")
    first = await ctx.tool("call", {"n": 1})
    ctx.note("step.completed", "one")
    await ctx.tool("call", {"n": 2})
    return first


async def asks_something_else(ctx: Context, arguments: Json) -> Json:
    ctx.note("step.started", "one")
    return await ctx.tool("call", {"n": 100})


async def asks_another_kind(ctx: Context, arguments: Json) -> Json:
    ctx.note("step.started", "one")
    return await ctx.model("call", {"n": 1})


async def asks_at_another_path(ctx: Context, arguments: Json) -> Json:
    ctx.note("step.started", "one")
    return await ctx.tool("other", {"n": 1})


async def made_a_branch_of_it(ctx: Context, arguments: Json) -> Json:
    ctx.note("step.started", "one")
    return await ctx.branch("call", ask())


async def ends_early(ctx: Context, arguments: Json) -> Json:
    return None


def log(*, versions: tuple[Version, ...] = ()) -> list[Event]:
    """One call has been answered, and the next one was under way."""
    desk = Desk(recorded, versions=versions)
    desk.give("call", "it")
    desk.keep()
    desk.keep()
    assert desk.kinds == ["step.started", "tool.called", "tool.finished", "step.completed", "tool.called"]
    desk.execution.close()
    return desk.log


# Divergence


@pytest.mark.parametrize(
    ("changed", "difference"),
    [
        (asks_something_else, 'it now asks {"n":100}'),
        (asks_another_kind, "the log holds the outcome of a tool, it asks for a model"),
        (asks_at_another_path, "the log holds the outcome of a tool, but it asks for <tool other>"),
        (made_a_branch_of_it, "the log holds the outcome of a tool, which is a branch now"),
        (ends_early, "the log holds the outcome of a tool, but it does not ask for that here"),
    ],
)
def test_a_program_that_changed_under_its_log_diverges(changed: ProgramBody, difference: str) -> None:
    """Point 7: the run stops as `diverged`, its log untouched, naming the path, the recording version and
    what differs."""
    kept = log()
    before = list(kept)
    with pytest.raises(Diverged) as caught:
        Desk(changed, log=kept)
    assert caught.value.path == parse("call")
    assert caught.value.difference == difference
    assert caught.value.version == f"'p' of release {__version__}"
    assert kept == before


def test_a_program_that_gives_fewer_notes_than_its_log_holds_diverges() -> None:
    async def silent(ctx: Context, arguments: Json) -> Json:
        first = await ctx.tool("call", {"n": 1})
        await ctx.tool("call", {"n": 2})
        return first

    with pytest.raises(Diverged, match=r"2 starts or notes more than it gives now .*release"):
        Desk(silent, log=log())


def test_a_program_that_asks_for_more_than_before_goes_on() -> None:
    """What the log does not hold yet is simply performed."""

    async def longer(ctx: Context, arguments: Json) -> Json:
        await recorded(ctx, arguments)
        return await ctx.tool("more", 1)

    desk = Desk(longer, log=log())
    desk.give("call#2")
    desk.keep()
    assert [path for path, _ in desk.performed] == ["call#2", "more"]


def test_clean_up_code_of_a_program_that_diverged_runs_unheard() -> None:
    ended: list[str] = []

    async def changed(ctx: Context, arguments: Json) -> Json:
        try:
            return await asks_something_else(ctx, arguments)
        finally:
            ended.append("ended")

    with pytest.raises(Diverged):
        Desk(changed, log=log())
    assert ended == ["ended"]


def test_a_version_that_is_no_longer_supported_is_refused_naming_the_last_release_that_runs_it() -> None:
    """Point 7: a version no longer supported is refused, naming the last release that runs it."""
    kept = log(versions=(Version("turn", 1),))
    now = Version("turn", current=3, oldest=2, last_releases={1: "0.4.2"})
    with pytest.raises(Unsupported, match=r"version 1 of 'turn'.*0\.4\.2"):
        Desk(recorded, log=kept, versions=(now,))


def test_the_recorded_version_reaches_the_program_in_every_life() -> None:
    """Point 7: old behaviour stays behind `ctx.version` while supported."""
    seen: list[int] = []

    async def program(ctx: Context, arguments: Json) -> Json:
        seen.append(ctx.version["turn"])
        return await recorded(ctx, arguments)

    Desk(program, log=log(versions=(Version("turn", 1),)), versions=(Version("turn", 2),))
    assert seen == [1]


# What came too late


def test_an_outcome_that_came_too_late_is_too_late_in_every_replay() -> None:
    """Point 4: what arrives for a scope that has ended is late: recorded, never delivered."""

    async def program(ctx: Context, arguments: Json) -> Json:
        loser = ctx.branch("loser", ask())
        await ctx.model("winner", "?")
        loser.cancel()
        return await ctx.tool("call", 1)

    desk = Desk(program)
    desk.give("winner")
    desk.keep()
    desk.give("loser/ask", "too late")
    desk.keep()
    again = desk.again()
    assert [path for path, _ in again.performed] == ["call"]


def test_two_outcomes_of_one_batch_may_make_one_another_late() -> None:
    async def program(ctx: Context, arguments: Json) -> Json:
        loser = ctx.branch("loser", ask())
        await ctx.model("winner", "?")
        loser.cancel()
        return "done"

    desk = Desk(program)
    desk.give("winner")
    desk.give("loser/ask")
    desk.keep()
    assert desk.again().execution.result == Returned("done")


def test_a_deadline_that_struck_strikes_in_every_replay_at_the_same_place() -> None:
    async def program(ctx: Context, arguments: Json) -> Json:
        try:
            return await deadline(ctx, "limit", 5, ask())
        except Failed as failed:
            return [failed.failure.kind, failed.failure.message]

    desk = Desk(program)
    desk.strike("~limit")
    desk.give("~limit/ask", "a moment too late")
    desk.keep()
    assert desk.again().execution.result == Returned(["timeout", "timed out after 5s"])


# Time


def test_now_is_the_time_of_the_latest_outcome_and_the_same_in_a_replay() -> None:
    seen: list[list[float]] = []

    async def program(ctx: Context, arguments: Json) -> Json:
        times: list[float] = []
        seen.append(times)
        for _ in range(3):
            times.append(ctx.now())
            await ctx.tool("call", 1)
        return None

    desk = Desk(program, now=10.0)
    for now, path in ((20.0, "call"), (5.0, "call#2")):
        desk.execution.tick(now)
        desk.give(path)
        desk.keep()
    desk.again(now=3000.0)
    assert seen == [[10.0, 20.0, 20.0], [10.0, 20.0, 20.0]]


# Secrets


def test_no_secret_reaches_the_log_or_the_program_and_a_replay_sees_the_same() -> None:
    """Secrets are redacted by value at one boundary, before a result is recorded and before the program
    sees it, so that a replay sees the same."""
    seen: list[list[Json]] = []

    async def program(ctx: Context, arguments: Json) -> Json:
        here: list[Json] = [arguments]
        seen.append(here)
        ctx.note("state.changed", {SECRET: f"note of {SECRET}"})
        here.append(await ctx.tool("value", f"a request with {SECRET}"))
        try:
            await ctx.tool("failure", 1)
        except Failed as failed:
            here.append([failed.failure.message, failed.failure.detail])
        here.append(await ctx.ask("ask", Question(f"{SECRET}?")))
        return {"result": SECRET}

    def gatekeeper(touch: Touch, answers: Mapping[str, Json]) -> Gate:
        return Gate("gate", Question(f"with {SECRET}?"), lambda answer: Go(), shared=True)

    rules = Rules(redactor=Redactor([SECRET]), gatekeepers=(gatekeeper,))
    desk = Desk(program, arguments={"token": SECRET}, rules=rules)
    desk.execution.answer("?gate", SECRET)
    desk.keep()
    desk.give("value", {f"key {SECRET}": [SECRET]})
    desk.keep()
    desk.give("failure", failure=Failure("tool", f"no {SECRET}", detail={"why": SECRET}))
    desk.keep()
    desk.execution.answer("ask", {"mine": SECRET})
    desk.keep()
    again = desk.again()
    again.end()
    assert SECRET not in "".join(map(str, again.log))
    assert again.log[-1].data == encode({"output": {"result": MASK}})
    assert seen[0] == seen[1]
    assert SECRET not in str(seen)
    assert seen[0][1:] == [
        {f"key {MASK}": [MASK]},
        [f"no {MASK}", {"why": MASK}],
        {"mine": MASK},
    ]


def test_who_performs_is_given_the_request_as_it_was_asked() -> None:
    desk = Desk(lambda ctx, arguments: ctx.tool("call", SECRET), rules=Rules(redactor=Redactor([SECRET])))
    assert desk.performing["call"].request == SECRET
    desk.keep()
    assert SECRET not in "".join(map(str, desk.log))


def test_an_outcome_that_comes_twice_diverges() -> None:
    """What nothing waits for any more is late only where it was stopped in this replay, too."""
    kept = log()
    answered = next(event for event in kept if event.kind == "tool.finished")
    twice = [*kept, answered._replace(seq=kept[-1].seq + 1)]
    with pytest.raises(Diverged, match="nothing waits for any more"):
        Desk(recorded, log=twice)
