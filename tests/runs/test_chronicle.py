"""A run is told from its log alone, at any time of it, and each of its steps is one entry."""

from __future__ import annotations

import pytest

from quintet.agents.turn import Agent, call_tool, turn
from quintet.engine.combinators import attempts, deadline, gather
from quintet.engine.context import Context
from quintet.engine.failures import Failed, Failure
from quintet.engine.programs import Program, ProgramBody
from quintet.engine.questions import Field, Question
from quintet.engine.retry import Policy
from quintet.engine.scopes import Body
from quintet.engine.values import Json
from quintet.record import Run
from quintet.runs.chronicle import Chronicle, NoSuchStep
from quintet.testing import NOBODY, MemoryHost, scripted
from tests.runs.workflows import says


def told(body: ProgramBody, script: dict[str, object], host: MemoryHost | None = None) -> Chronicle:
    host = host or MemoryHost(scripted(script), person=lambda asked: NOBODY)
    host.run(Program("p", body))
    whole, single = Chronicle("run"), Chronicle("run")
    whole.hear(host.logs["run"].events)
    for event in host.logs["run"].events:
        single.hear([event])
        single.run()
    assert single.run() == whole.run()
    return whole


def shown(run: Run) -> list[tuple[str, str, str, int]]:
    return [(step.path, step.kind, step.status, step.attempts) for step in run.steps]


async def _one(ctx: Context) -> Json:
    return (await turn(ctx, Agent("a"), "p")).text


def test_attempts_are_one_entry_with_the_prompt_of_the_first() -> None:
    async def body(ctx: Context, arguments: Json) -> Json:
        async def attempt(ctx: Context) -> Json:
            return (await turn(ctx, Agent("a"), "p")).text

        return await ctx.branch("s", lambda ctx: attempts(ctx, "again", Policy(3), attempt))

    script = says(
        a=[{"error": "x", "tokens": {"input": 9}}, {"reply": "y", "tokens": {"input": 1, "output": 2}}]
    )
    run = told(body, script).run()
    assert shown(run) == [("s", "agent", "completed", 2)]
    (only,) = run.steps
    assert (only.prompt, only.output, only.error, only.input_tokens, only.output_tokens) == (
        "p",
        "y",
        None,
        1,
        2,
    )
    assert (run.usage.input_tokens, run.usage.output_tokens) == (1, 2)


def test_steps_stand_in_the_order_in_which_they_ended() -> None:
    async def body(ctx: Context, arguments: Json) -> Json:
        def asks(name: str) -> tuple[str, Body[object]]:
            return name, lambda ctx: turn(ctx, Agent(name), "")

        await gather(ctx, [asks("slow"), asks("fast")])
        return None

    run = told(body, says(slow=[{"reply": "x", "delay": 2}], fast=["y"])).run()
    assert [step.path for step in run.steps] == ["fast", "slow"]
    assert [step.duration_ms for step in run.steps] == [0, 2000]


def test_a_time_limit_around_several_turns_fails_each_that_it_cuts() -> None:
    async def body(ctx: Context, arguments: Json) -> Json:
        async def both(ctx: Context) -> Json:
            await gather(ctx, [("x", _one), ("y", _one)])
            return None

        try:
            return await ctx.branch("block", lambda ctx: deadline(ctx, "limit", 5, both))
        except Failed as failed:
            raise Failed(Failure("timeout", "the block was late", at=failed.failure.at)) from failed

    run = told(body, says(a=["quick", {"reply": "late", "delay": 9}])).run()
    assert shown(run) == [("block/x", "agent", "completed", 1), ("block/y", "agent", "failed", 1)]
    late = run.steps[1].error
    assert late is not None
    assert (late.kind, late.message) == ("timeout", "timed out after 5s")
    assert run.error is not None
    assert (run.error.step, run.error.message) == ("block/y", "the block was late")


def test_a_tool_that_the_workflow_itself_calls_has_no_agent() -> None:
    async def body(ctx: Context, arguments: Json) -> Json:
        return await ctx.branch("stage", lambda ctx: call_tool(ctx, "notify", {"to": "x"}))

    run = told(body, {"tools": {"notify": [{"result": "sent"}]}}).run()
    (tool,) = run.steps
    assert tool.to_json() == {
        "path": "stage/notify",
        "agent": None,
        "kind": "tool",
        "status": "completed",
        "error": None,
        "prompt": None,
        "output": "sent",
        "attempts": 1,
        "duration_ms": 0,
        "input_tokens": 0,
        "output_tokens": 0,
        "tool": "notify",
        "arguments": {"to": "x"},
    }


def test_what_a_run_waits_for_is_told_until_it_is_answered() -> None:
    async def body(ctx: Context, arguments: Json) -> Json:
        await ctx.branch("draft", _one)
        question = Question("Publish?", (Field("ok", "boolean"),))
        return await ctx.branch("gate", lambda ctx: ctx.ask("approval", question))

    host = MemoryHost(scripted(says(a=["x"])), person=lambda asked: NOBODY)
    chronicle = told(body, {}, host)
    run = chronicle.run()
    assert run.status == "paused"
    (question,) = run.questions
    assert (question.target, question.path, question.prompt) == ("gate/approval", "gate/approval", "Publish?")
    assert run.to_json()["questions"] == [question.to_json()]
    before = len(host.logs["run"].events)
    host.answer("run", Program("p", body), "gate/approval", {"ok": True})
    chronicle.hear(host.logs["run"].events[before:])
    assert (chronicle.run().status, chronicle.questions, chronicle.run().output) == (
        "completed",
        (),
        {"ok": True},
    )


def test_what_is_under_way_is_told_apart_from_what_has_ended() -> None:
    async def body(ctx: Context, arguments: Json) -> Json:
        await ctx.branch("one", _one)
        return await ctx.branch("two", _one)

    host = MemoryHost(scripted(says(a=["x"])))
    host.run(Program("p", body))
    events = host.logs["run"].events
    chronicle = Chronicle("run")
    chronicle.hear(event for event in events if event.seq < len(events) - 1)
    run = chronicle.run("interrupted")
    assert run.status == "interrupted"
    assert [step.path for step in run.steps] == ["one"]
    assert [(step.path, step.status, step.prompt) for step in run.under_way] == [("two", "running", "p")]


def test_a_step_is_found_by_its_path() -> None:
    async def body(ctx: Context, arguments: Json) -> Json:
        for _ in range(2):
            await ctx.branch("same", lambda ctx: deadline(ctx, "limit", 9, _one))
        return None

    chronicle = told(body, says(a=["x"]))
    assert [segment.occurrence for segment in chronicle.place("same #2")] == [2]
    assert [segment.name for segment in chronicle.place("same")] == ["same"]
    with pytest.raises(NoSuchStep, match="'same', 'same #2'"):
        chronicle.place("other")
