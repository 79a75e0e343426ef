"""Context: what each verb asks of the world."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from quintet.engine.context import Context
from quintet.engine.failures import ProgramError
from quintet.engine.machine import Machine
from quintet.engine.paths import parse
from quintet.engine.questions import Field, Question
from quintet.engine.scopes import Returned
from quintet.engine.values import Json
from tests.engine.play import Play

QUESTION = Question("go on?", (Field("go", "boolean"),))
VERBS: dict[str, tuple[Callable[[Context], Awaitable[Json]], Json]] = {
    "model": (lambda ctx: ctx.model("key", {"messages": []}), {"messages": []}),
    "tool": (lambda ctx: ctx.tool("key", ["call"]), ["call"]),
    "question": (lambda ctx: ctx.ask("key", QUESTION), QUESTION.to_json()),
    "timer": (lambda ctx: ctx.sleep("key", 2.5), 2.5),
    "effect": (lambda ctx: ctx.effect("key", "memory", {"a": 1}), {"name": "memory", "data": {"a": 1}}),
}


@pytest.mark.parametrize("kind", VERBS)
def test_a_verb_asks_what_it_says_and_gives_what_came_of_it(kind: str) -> None:
    verb, request = VERBS[kind]
    play = Play(verb)
    touch = play.open["key"]
    assert touch.kind == kind
    if kind == "question":
        assert Question.from_json(touch.request) == QUESTION
    else:
        assert touch.request == request
    play.give("key", {"answer": 1})
    assert play.result == Returned({"answer": 1})


@pytest.mark.parametrize("request_", [object(), {1, 2}, float("nan"), [b"x"]])
def test_what_is_no_json_cannot_be_asked(request_: Any) -> None:
    async def program(ctx: Context) -> None:
        await ctx.model("ask", request_)

    with pytest.raises(ProgramError):
        Machine(program)


def test_a_note_carries_its_scope_and_its_data() -> None:
    async def program(ctx: Context) -> None:
        ctx.note("step.skipped", {"why": "no need"})

    assert Play(program).notes == ['step.skipped {"why":"no need"}']


def test_a_context_tells_its_path_its_run_and_the_versions_of_the_recording() -> None:
    async def inner(ctx: Context) -> Any:
        return ctx.path, ctx.version["turn"], ctx.run_id

    async def program(ctx: Context) -> Any:
        return await ctx.branch("child", inner)

    machine = Machine(program, version={"turn": 3}, run_id="r")
    assert machine.result == Returned((parse("child"), 3, "r"))


def test_a_silent_scope_is_one_that_people_do_not_read() -> None:
    async def inner(ctx: Context) -> Any:
        return ctx.path[0]

    async def program(ctx: Context) -> Any:
        return await ctx.silent("n", inner, attempt=True)

    result = Machine(program).result
    assert isinstance(result, Returned)
    assert (result.value.silent, result.value.attempt) == (True, True)


def test_a_branch_can_be_silent() -> None:
    async def inner(ctx: Context) -> Any:
        return ctx.path[0]

    async def program(ctx: Context) -> Any:
        return await ctx.branch("n", inner, silent=True)

    result = Machine(program).result
    assert isinstance(result, Returned)
    assert (result.value.name, result.value.silent) == ("n", True)
