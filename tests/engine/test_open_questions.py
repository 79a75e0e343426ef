"""What a run waits to be answered, from its log alone."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from quintet.engine.context import Context
from quintet.engine.events import Event
from quintet.engine.gates import Gate, Go
from quintet.engine.open_questions import open_questions
from quintet.engine.questions import Field, Question
from quintet.engine.rules import Rules
from quintet.engine.touches import Touch
from quintet.engine.values import Json
from tests.engine.desk import Desk

QUESTION = Question("well?", (Field("choice", "choice", choices=("a", "b"), description="which"),))


def gatekeeper(touch: Touch, answers: Mapping[str, Json]) -> Gate | None:
    if touch.kind not in ("tool", "model"):
        return None
    return Gate("gate", Question("may it?"), lambda answer: Go(), shared=touch.kind == "model")


async def program(ctx: Context, arguments: Json) -> Json:
    branches = [
        ctx.branch("a", lambda ctx: ctx.ask("ask", QUESTION)),
        ctx.branch("b", lambda ctx: ctx.tool("call", 1)),
        ctx.branch("c", lambda ctx: ctx.model("model", 1)),
    ]
    await ctx.ask("go on", Question("go on?"))
    for branch in branches[:2]:
        branch.cancel()
    return "done"


def desk() -> Desk:
    desk = Desk(program, rules=Rules(gatekeepers=(gatekeeper,)))
    desk.keep()
    return desk


def targets(log: list[Event]) -> list[str]:
    return [asked.target for asked in open_questions(log)]


def test_questions_and_gates_are_listed_as_they_were_asked() -> None:
    kept = desk()
    assert targets(kept.log) == ["go on", "a/ask", "b/call?gate", "?gate"]
    assert sorted(targets(kept.log)) == sorted(kept.asked)
    assert open_questions(kept.log)[1].question == QUESTION


def test_what_was_answered_is_not_asked_any_more() -> None:
    kept = desk()
    kept.execution.answer("a/ask", {"choice": "a"})
    kept.execution.answer("?gate", True)
    kept.keep()
    assert targets(kept.log) == kept.asked == ["go on", "b/call?gate"]


def test_what_was_cancelled_is_not_asked_any_more_nor_are_its_gates() -> None:
    kept = desk()
    kept.execution.answer("go on", "yes")
    kept.keep()
    kept.keep()
    assert targets(kept.log) == kept.asked == ["?gate"]


def test_a_shared_gate_is_asked_for_as_long_as_anything_may_wait_there() -> None:
    async def program(ctx: Context, arguments: Json) -> Json:
        model = ctx.branch("model", lambda ctx: ctx.model("model", 1))
        ctx.branch("tool", lambda ctx: ctx.tool("call", 1))
        await ctx.ask("one", QUESTION)
        model.cancel()
        await ctx.ask("two", QUESTION)
        return await ctx.model("again", 1)

    kept = Desk(program, rules=Rules(gatekeepers=(gatekeeper,)))
    kept.keep()
    assert targets(kept.log) == ["one", "?gate", "tool/call?gate"]
    kept.execution.answer("one", {"choice": "a"})
    kept.keep()
    kept.keep()
    assert targets(kept.log) == ["tool/call?gate", "two"]  # the tool waits at a gate of its own
    without_starts = [event for event in kept.log if event.kind != "model.requested"]
    assert "?gate" in targets([event for event in without_starts if event.kind != "tool.called"])
    kept.execution.answer("two", {"choice": "a"})
    kept.keep()
    kept.keep()
    assert sorted(targets(kept.log)) == sorted(kept.asked) == ["?gate", "tool/call?gate"]


@pytest.mark.parametrize("kind", ["run.completed", "run.failed", "run.cancelled"])
def test_a_run_that_has_ended_asks_nothing(kind: str) -> None:
    kept = desk()
    assert targets([*kept.log, Event(99, 0.0, kind, (), 0, "null")]) == []
