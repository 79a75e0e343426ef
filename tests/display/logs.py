"""Logs of real runs: a few turns in a world that is made up, with a clock that jumps."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from quintet.agents.turn import Agent, Answer, call_tool, turn
from quintet.engine.combinators import attempts, gather
from quintet.engine.context import Context
from quintet.engine.events import Event
from quintet.engine.failures import Failed, Failure
from quintet.engine.performing import Call
from quintet.engine.programs import Program
from quintet.engine.questions import Field, Question
from quintet.engine.retry import Policy
from quintet.engine.scopes import Body
from quintet.engine.values import Json
from quintet.testing import NOBODY, Later, MemoryHost


def _review(name: str) -> Body[Answer]:
    return lambda ctx: turn(ctx, Agent(name), "Review.")


async def _story(ctx: Context, arguments: Json) -> Json:
    """A draft, two reviews at once, a step that is tried again, a tool, a skipped step, a question."""
    await ctx.branch("draft", lambda ctx: turn(ctx, Agent("writer"), "Write."))
    await gather(ctx, [(name, _review(name)) for name in ("ann", "bob")])

    async def check(ctx: Context) -> Any:
        return await attempts(
            ctx, "attempts", Policy(3, delay=2.0), lambda ctx: turn(ctx, Agent("checker"), "Check.")
        )

    await ctx.branch("check", check)
    await call_tool(ctx, "publish", {"to": "everybody"})
    ctx.note("step.skipped", {"name": "fix", "why": "condition"})
    question = Question("Send it?", (Field("decision", "choice", choices=("yes", "no")),))
    return await ctx.branch("gate", lambda ctx: ctx.ask("answer", question))


def log() -> Sequence[Event]:
    """The log of the story, up to the question."""
    tries: list[str] = []

    def world(call: Call) -> object:
        who = call.path[0].name
        if call.name == "publish" or who == "publish":
            return Later(0.5, "published")
        tries.append(who)
        if tries.count("check") == 1 and who == "check":
            return Failed(Failure("rate_limit", "slow down"))
        said: dict[str, Json] = {"role": "assistant", "text": f"This is {who}.", "calls": []}
        return Later(2.0, {"message": said, "agent": {"name": who}, "usage": {"input": 400, "output": 30}})

    def guarded(call: Call) -> object:
        given = world(call)
        if isinstance(given, Failed):
            raise given
        return given

    host = MemoryHost(guarded, person=lambda asked: NOBODY)
    assert host.run(Program("story", _story), None).status == "paused"
    return host.logs["run"].events
