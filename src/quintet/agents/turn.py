"""The turn: an agent is asked something, calls the tools it wants, and answers.

It is a small program that every format awaits, so each request to a model and each call of a tool is a touch
of its own: a turn that was cut at its twelfth tool call goes on at the twelfth.  Who answers for the model is
no business of the turn: a stand-in stands at the same place.

    answer = await turn(ctx, Agent("writer"), "Write a line about tea.")

A turn has the scope to itself that it is given, and is named by it: `ctx.branch("review", …)` makes a turn
whose path is `review`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, TypeAlias, cast

from quintet.agents.messages import Message, ToolCall, calls, failed, head, result, text, user
from quintet.engine.combinators import gather
from quintet.engine.context import Context
from quintet.engine.failures import Cancelled, Failed, Failure
from quintet.engine.programs import Version
from quintet.engine.scopes import Body
from quintet.engine.values import Json

VERSION: Final = Version("turn")
"""Recorded with every run: old turns stay replayable."""

MOST_REQUESTS = 100
"""So often may one turn ask its model; an agent that still calls tools then is going in circles."""

NOT_FOUND: Final = "agent_not_found"
"""The kind of failure that says that there is no such agent; the turn has not taken place then."""

STARTED: Final = "turn.started"
COMPLETED: Final = "turn.completed"
FAILED: Final = "turn.failed"
CANCELLED: Final = "turn.cancelled"


@dataclass(frozen=True, slots=True)
class Agent:
    """Who is to take a turn, as a workflow names it.  What the agent is, the place it runs in knows."""

    name: str | None = None
    id: str | None = None
    """Where a workflow knows it by its id only."""
    copy_of: str | None = None
    """The agent whose copy this is, where a format gives copies names of their own."""

    @property
    def shown(self) -> str:
        """What to call it as long as its name is not known."""
        return self.name or self.id or ""

    def to_json(self) -> dict[str, Json]:
        given = {"name": self.name, "id": self.id, "copy_of": self.copy_of}
        return {key: value for key, value in given.items() if value is not None}

    @classmethod
    def from_json(cls, data: Mapping[str, Json]) -> Agent:
        return cls(**cast("dict[str, str]", data))


@dataclass(frozen=True, slots=True)
class Answer:
    """What came of a turn."""

    text: str
    agent: Agent
    """Who has answered: with the name and the id under which it is known there."""
    input_tokens: int
    output_tokens: int
    head: str | None
    """The end of the conversation: another turn may go on from it."""
    value: Json = None
    """The answer as a value, where it was given as one."""


@dataclass(slots=True)
class _Talk:
    """A conversation under way."""

    agent: Agent
    """As the workflow names it."""
    head: str | None
    who: Agent = field(default_factory=Agent)
    """As it is known to whoever answers for it."""
    input_tokens: int = 0
    output_tokens: int = 0


Reply: TypeAlias = Mapping[str, Json]
"""What a model gives: its `message`, the `agent` it answered for, `usage`, and a `value` if it has one."""


async def turn(ctx: Context, agent: Agent, prompt: str, *, before: str | None = None) -> Answer:
    """One turn of an agent, in a conversation that ends at `before` or begins here."""
    ctx.note(STARTED, {"agent": agent.shown})
    try:
        answer = await _converse(ctx, _Talk(agent, before), prompt)
    except Failed as failed:
        ctx.note(FAILED, failed.failure.to_json())
        raise
    except Cancelled:
        ctx.note(CANCELLED)
        raise
    ctx.note(COMPLETED)
    return answer


async def call_tool(ctx: Context, tool: str, arguments: Json, agent: str | None = None) -> Json:
    """One call of a tool, in a scope that is named by it; `agent` is who asks, unless the workflow does."""
    call: dict[str, Json] = {"tool": tool, "arguments": arguments, "agent": agent}
    return await ctx.branch(tool, lambda ctx: ctx.tool("call", call))


async def _converse(ctx: Context, talk: _Talk, prompt: str) -> Answer:
    messages: Sequence[Message] = [user(prompt)]
    for _ in range(MOST_REQUESTS):
        reply = await _ask(ctx, talk, messages)
        message = cast(Message, reply["message"])
        wanted = calls(message)
        if not wanted:
            return Answer(
                text(message), talk.who, talk.input_tokens, talk.output_tokens, talk.head, reply.get("value")
            )
        messages = await _perform(ctx, talk.who, wanted)
    raise Failed(Failure("limit", f"no answer after {MOST_REQUESTS} requests to the model"))


async def _ask(ctx: Context, talk: _Talk, messages: Sequence[Message]) -> Reply:
    request: dict[str, Json] = {"agent": talk.agent.to_json(), "before": talk.head, "messages": messages}
    reply = cast(Reply, await ctx.model("model", request))
    usage = cast("Mapping[str, int]", reply["usage"])
    talk.input_tokens += usage["input"]
    talk.output_tokens += usage["output"]
    talk.who = Agent.from_json(cast("Mapping[str, Json]", reply["agent"]))
    talk.head = head(talk.head, [*messages, cast(Message, reply["message"])])
    return reply


async def _perform(ctx: Context, agent: Agent, wanted: Sequence[ToolCall]) -> Sequence[Message]:
    """The tools that a model asks for, together; a tool that fails is told to the model."""
    results = await gather(ctx, [(call.tool, _tool(call, agent)) for call in wanted], on_error="collect")
    return [
        failed(call, came.message) if isinstance(came, Failure) else result(call, came.value)
        for call, came in zip(wanted, results, strict=True)
    ]


def _tool(call: ToolCall, agent: Agent) -> Body[Json]:
    request: dict[str, Json] = {"tool": call.tool, "arguments": call.arguments, "agent": agent.shown}
    return lambda ctx: ctx.tool("call", request)
