"""The host in memory: deterministic, with a clock of its own and faults wherever a test wants them."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Sequence

import pytest

from quintet.engine.combinators import deadline, gather
from quintet.engine.context import Context
from quintet.engine.events import Event
from quintet.engine.failures import Diverged, EngineError, Failed, Failure, Held, LeaseLost
from quintet.engine.memory import NOBODY, Crash, Fault, Later, MemoryHost, World
from quintet.engine.paths import write
from quintet.engine.performing import Call
from quintet.engine.programs import Program
from quintet.engine.questions import Asked, Field, Question
from quintet.engine.values import Json
from tests.engine.play import ask

QUESTION = Question("well?", (Field("choice", "choice", choices=("a", "b")),))


async def steps(ctx: Context, arguments: Json) -> Json:
    """Two calls, one after the other, with a note between."""
    first = await ctx.tool("first", arguments)
    ctx.note("step.completed", "first")
    return [first, await ctx.tool("second", first)]


async def question(ctx: Context, arguments: Json) -> Json:
    return await ctx.ask("ask", QUESTION)


async def limited(ctx: Context, arguments: Json) -> Json:
    try:
        return await deadline(ctx, "limit", 2.0, ask())
    except Failed as failed:
        return failed.failure.kind


STEPS = Program("steps", steps)
ASKING = Program("asking", question)
LIMITED = Program("limited", limited)


def echo(call: Call) -> object:
    return f"{call.name}!"


def kinds(host: MemoryHost, run_id: str = "run") -> list[str]:
    return [event.kind for event in host.logs[run_id].events]


# The world


def test_a_world_is_asked_and_the_run_completes() -> None:
    host = MemoryHost(echo)
    report = host.run(STEPS, "hi")
    assert (report.status, report.output) == ("completed", ["first!", "second!"])
    assert [(write(call.path), call.request) for call in host.performed] == [
        ("first", "hi"),
        ("second", "first!"),
    ]


def test_a_world_fails_a_touch_by_raising_or_by_giving_a_failure() -> None:
    failure = Failure("tool", "no")

    def raising(call: Call) -> object:
        raise Failed(failure)

    worlds: list[World] = [raising, lambda call: failure, lambda call: Later(3.0, failure)]
    for world in worlds:
        report = MemoryHost(world).run(STEPS)
        assert report.status == "failed"
        assert report.failure is not None
        assert report.failure.message == "no"


def test_the_clock_moves_only_to_where_something_happens() -> None:
    async def program(ctx: Context, arguments: Json) -> Json:
        await gather(ctx, [("nap", lambda ctx: ctx.sleep("nap", 3600)), ("b", ask())])
        return ctx.now()

    host = MemoryHost(lambda call: Later(60.0), now=100.0)
    assert host.run(Program("p", program)).output == 3700.0
    assert host.now == 3700.0
    times = [(event.kind, event.time) for event in host.logs["run"].events[-3:]]
    assert times == [("model.answered", 160.0), ("timer.fired", 3700.0), ("run.completed", 3700.0)]


def test_starts_and_notes_are_appended_within_fifty_milliseconds() -> None:
    """Starts and notes are committed with the next outcome or within 50 ms."""
    appended: list[tuple[float, list[str]]] = []

    class Watched(MemoryHost):
        def append(self, run_id: str, epoch: int, events: Sequence[Event]) -> None:
            super().append(run_id, epoch, events)
            appended.append((self.now, kinds(self)))

    Watched(lambda call: Later(0.04)).run(STEPS)
    assert "tool.called" not in appended[0][1]
    assert appended[1] == (0.04, [*appended[0][1], "tool.called", "tool.finished"])
    appended.clear()
    Watched(lambda call: Later(10.0)).run(STEPS)
    assert (appended[1][0], appended[1][1][-1]) == (0.0, "tool.called")


@pytest.mark.parametrize(("takes", "result"), [(1.9, "ask!"), (2.1, "timeout")])
def test_a_deadline_strikes_what_takes_longer(takes: float, result: str) -> None:
    host = MemoryHost(lambda call: Later(takes, echo(call)))
    assert host.run(LIMITED).output == result
    assert host.now == min(takes, 2.0)


def test_a_deadline_does_not_run_while_a_person_thinks() -> None:
    """Point 6: its clock runs only while something under it is performed or sleeps."""

    async def program(ctx: Context, arguments: Json) -> Json:
        async def block(ctx: Context) -> Json:
            await ctx.tool("before", 1)
            await ctx.ask("ask", QUESTION)
            return await ctx.tool("after", 1)

        return await deadline(ctx, "limit", 2.0, block)

    host = MemoryHost(lambda call: Later(0.9, "it"), person=lambda asked: Later(1000.0, {"choice": "a"}))
    assert host.run(Program("p", program)).output == "it"
    assert host.now > 1000.0


def test_who_does_not_hear_that_it_should_stop_gives_a_late_outcome() -> None:
    """What arrives for a scope that has ended is late: recorded, shown as too late, never delivered."""
    host = MemoryHost(lambda call: Later(50.0, "late", deaf=True))
    assert host.run(LIMITED).output == "timeout"
    assert kinds(host)[-3:] == ["touch.cancelled", "model.answered", "run.completed"]
    assert host.now == 50.0


def test_two_runs_of_one_program_in_one_world_are_the_same_to_the_last_event() -> None:
    logs: list[list[Event]] = []
    for _ in range(2):
        host = MemoryHost(lambda call: Later(1.0, echo(call)), now=5.0)
        host.run(STEPS)
        logs.append(host.logs["run"].events)
    assert logs[0] == logs[1]


# People


def test_a_run_waits_for_a_person_and_goes_on_with_the_answer() -> None:
    host = MemoryHost()
    report = host.run(ASKING)
    assert report.status == "paused"
    assert report.asked == [Asked("ask", QUESTION)]
    assert host.answer("run", ASKING, "ask", {"choice": "b"}).output == {"choice": "b"}
    assert kinds(host)[3:] == ["run.paused", "run.resumed", "question.answered", "run.completed"]


def test_a_person_who_is_there_answers_and_one_who_is_not_does_not() -> None:
    assert MemoryHost(person=lambda asked: {"choice": "a"}).run(ASKING).output == {"choice": "a"}
    assert MemoryHost(person=lambda asked: NOBODY).run(ASKING).status == "paused"


def test_a_run_can_be_cancelled_at_any_time() -> None:
    host = MemoryHost(lambda call: Later(10.0))
    host.cancel("run", after=15.0)
    assert host.run(STEPS).status == "cancelled"
    assert (host.now, kinds(host)[-2:]) == (15.0, ["touch.cancelled", "run.cancelled"])


# Faults


@pytest.mark.parametrize(
    ("fault", "kept"),
    [
        (Fault("crash before", 2), 2),
        (Fault("crash after", 2), 4),
        (Fault("crash before", 3), 4),
        (Fault("crash after", 3), 7),
        (Fault("crash before", 4), 7),
    ],
)
def test_a_run_whose_host_died_goes_on_and_does_nothing_again_that_was_recorded(
    fault: Fault, kept: int
) -> None:
    host = MemoryHost(echo, faults=[fault])
    with pytest.raises(Crash):
        host.run(STEPS)
    before = list(host.logs["run"].events)
    assert len(before) == kept
    performed = len(host.performed)
    assert host.resume("run", STEPS).output == ["first!", "second!"]
    assert host.logs["run"].events[:kept] == before
    recorded = {event.path for event in before if event.kind == "tool.finished"}
    assert not [call for call in host.performed[performed:] if call.path in recorded]


def test_a_run_that_was_not_kept_does_not_exist() -> None:
    host = MemoryHost(echo, faults=[Fault("crash before", 1)])
    with pytest.raises(Crash):
        host.run(STEPS)
    assert host.logs == {}
    assert host.run(STEPS).status == "completed"


def test_a_run_that_was_only_just_kept_can_be_taken_up() -> None:
    host = MemoryHost(echo, faults=[Fault("crash after", 1)])
    with pytest.raises(Crash):
        host.run(STEPS)
    assert (host.performed, kinds(host)) == ([], ["run.created", "run.started"])
    assert host.resume("run", STEPS).status == "completed"
    assert "run.resumed" not in kinds(host)


def test_who_has_lost_the_lease_adds_nothing_any_more() -> None:
    """An old holder that wakes up cannot append."""
    host = MemoryHost(echo, faults=[Fault("lease lost", 2)])
    with pytest.raises(LeaseLost):
        host.run(STEPS)
    assert kinds(host) == ["run.created", "run.started"]
    assert host.resume("run", STEPS).output == ["first!", "second!"]


def test_a_run_that_somebody_works_on_cannot_be_taken_up() -> None:
    host = MemoryHost()
    host.run(ASKING)
    host.logs["run"].claim("run")
    with pytest.raises(Held, match="another worker"):
        host.resume("run", ASKING)


def test_a_run_that_has_ended_cannot_be_taken_up_and_an_id_is_used_once() -> None:
    host = MemoryHost(echo)
    host.run(STEPS)
    with pytest.raises(EngineError, match="completed"):
        host.resume("run", STEPS)
    with pytest.raises(EngineError, match="already"):
        host.run(STEPS)


def test_a_run_that_cannot_be_replayed_is_let_go_with_its_log_as_it_was() -> None:
    host = MemoryHost(echo, faults=[Fault("crash after", 2)])
    with pytest.raises(Crash):
        host.run(STEPS)
    before = list(host.logs["run"].events)

    async def changed(ctx: Context, arguments: Json) -> Json:
        return await ctx.model("first", 1)

    for _ in range(2):  # not held
        with pytest.raises(Diverged):
            host.resume("run", Program("steps", changed))
    assert host.logs["run"].events == before
    assert host.resume("run", STEPS).status == "completed"


def test_a_paused_run_holds_no_memory() -> None:
    alive: list[weakref.ref[object]] = []

    class Heavy:
        pass

    async def program(ctx: Context, arguments: Json) -> Json:
        heavy = Heavy()
        alive.append(weakref.ref(heavy))
        answer = await ctx.ask("ask", QUESTION)
        return [answer, str(heavy)]

    host = MemoryHost()
    assert host.run(Program("p", program)).status == "paused"
    gc.collect()
    assert alive[0]() is None


def test_a_sleep_counts_from_now_where_the_log_is_ahead_of_the_clock() -> None:
    """A clock that ran ahead and was put right makes nobody wait for the difference."""

    async def body(ctx: Context, arguments: Json) -> Json:
        await ctx.model("ask", 1)
        await ctx.sleep("nap", 1.0)
        return "awake"

    host = MemoryHost(now=86_400.0, faults=[Fault("crash after", 2)])
    napping = Program("p", body)
    with pytest.raises(Crash):
        host.run(napping)
    host.now = 10.0
    assert host.resume("run", napping).output == "awake"
    assert host.now == 11.0


def test_whoever_claims_a_run_that_is_held_is_told_at_any_append() -> None:
    async def body(ctx: Context, arguments: Json) -> Json:
        return await ctx.model("ask", 1)

    faults = [Fault("duplicate claim", append) for append in range(1, 10)]
    assert MemoryHost(faults=faults).run(Program("p", body)).status == "completed"
