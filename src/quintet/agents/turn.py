"""The turn: an agent is asked something, calls the tools it wants, and answers.

It is a small program that every format awaits, so each request to a model and each call of a tool is a touch
of its own: a turn that was cut at its twelfth tool call goes on at the twelfth.  Who answers for the model is
no business of the turn: a stand-in stands at the same place.

    answer = await turn(ctx, Agent("writer"), "Write a line about tea.")

A turn has the scope to itself that it is given, and is named by it: `ctx.branch("review", …)` makes a turn
whose path is `review`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, TypeAlias, cast

from quintet.agents.answers import repair
from quintet.agents.messages import Message, ToolCall, calls, failed, head, result, system, text, user
from quintet.agents.sessions import Session, Splice
from quintet.engine.combinators import gather
from quintet.engine.context import Context
from quintet.engine.failures import Cancelled, Failed, Failure
from quintet.engine.programs import Version
from quintet.engine.scopes import Body
from quintet.engine.values import Json, encode

VERSION: Final = Version("turn")
"""Recorded with every run: old turns stay replayable."""

NOT_FOUND: Final = "agent_not_found"
"""The kind of failure that says that there is no such agent; the turn has not taken place then."""

STARTED: Final = "turn.started"
COMPLETED: Final = "turn.completed"
FAILED: Final = "turn.failed"
CANCELLED: Final = "turn.cancelled"
TOOL_REFUSED: Final = "turn.tool_refused"
"""Noted, in the scope of the call, where an agent asks for a tool that it may not call."""


@dataclass(frozen=True, slots=True)
class Agent:
    """Who is to take a turn, as a workflow names it.  What else the agent is, the place it runs in knows."""

    name: str | None = None
    id: str | None = None
    """Where a workflow knows it by its id only."""
    copy_of: str | None = None
    """The agent whose copy this is, where a format gives copies names of their own."""
    model: str | None = None
    """The model that the workflow wants for it."""
    parameters: Mapping[str, Json] = field(default_factory=dict[str, Json], hash=False)
    """How that is to be asked: `temperature`, `max_tokens`, …"""
    own: bool = False
    """Whether the workflow itself says who it is, so that nobody else has to define it."""
    history: int | None = None
    """So many messages of a session is its model told, at most; None: all."""
    instructions: str | None = field(default=None, compare=False)
    """What it is told before all else, where the workflow says that.  It is a message of the conversation."""

    @property
    def shown(self) -> str:
        """What to call it as long as its name is not known."""
        return self.name or self.id or ""

    def to_json(self) -> dict[str, Json]:
        given: dict[str, Json] = {
            "name": self.name,
            "id": self.id,
            "copy_of": self.copy_of,
            "own": self.own or None,
            "model": self.model,
            "parameters": self.parameters or None,
            "history": self.history,
        }
        return {key: value for key, value in given.items() if value is not None}

    @classmethod
    def from_json(cls, data: Mapping[str, Json]) -> Agent:
        return cls(**cast("dict[str, Any]", data))


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool that the workflow itself offers an agent, beside those that the agent has of its own."""

    name: str
    description: str
    parameters: Mapping[str, Json]
    """JSON Schema of its arguments."""

    def to_json(self) -> dict[str, Json]:
        return {"name": self.name, "description": self.description, "parameters": self.parameters}


@dataclass(frozen=True, slots=True)
class Limits:
    """How long a turn may go on."""

    requests: int = 100
    """So often may it ask its model; an agent that still calls tools then is going in circles."""
    same: int = 5
    """So often in a row may it ask for the very same calls."""
    repairs: int = 2
    """So often may an answer that does not fit its schema be given anew."""


@dataclass(frozen=True, slots=True)
class Wish:
    """What a turn is to come to, beyond a text."""

    schema: Mapping[str, Json] | None = None
    """JSON Schema that the answer must satisfy."""
    tools: Sequence[Tool] = ()
    closed: bool = False
    """Whether these are all the tools that may be called; another one is refused, and the agent told."""
    context: Mapping[str, Json] | None = None
    """What every tool that is called receives beside its arguments, and no model does."""
    limits: Limits = field(default_factory=Limits)
    accept: Callable[[str], Json] | None = None
    """What makes a value of its text, where the format itself says how.  Raises Failed where it is refused:
    then the turn has failed, and what was said stays said."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What came of a turn."""

    text: str
    agent: Agent
    """Who has answered: with the name and the id under which it is known there."""
    input_tokens: int
    output_tokens: int
    value: Json = None
    """The answer as a value, where it was given as one."""


Reply: TypeAlias = Mapping[str, Json]
"""What a model gives: its `message`, the `agent` it answered for, its `usage`, and `cost_usd` where that is
known; a `value` if the message has one, or the `problem` with it if it was to be one and is none."""

ANY: Final = Wish()


async def turn(
    ctx: Context, agent: Agent, prompt: str, *, session: Session | None = None, wish: Wish = ANY
) -> Answer:
    """One turn of an agent, in a session, or in a conversation of its own."""
    talk = _Talk(agent, session or Session(agent.shown), wish)
    ctx.note(STARTED, {"agent": agent.shown})
    try:
        answer = talk.accepted(await _converse(ctx, talk, prompt))
    except Failed as failed:
        ctx.note(FAILED, failed.failure.to_json())
        raise
    except Cancelled:
        ctx.note(CANCELLED)
        raise
    ctx.note(COMPLETED, talk.end())
    return answer


async def call_tool(ctx: Context, tool: str, arguments: Json, agent: str | None = None) -> Json:
    """One call of a tool, in a scope that is named by it; `agent` is who asks, unless the workflow does."""
    call: dict[str, Json] = {"tool": tool, "arguments": arguments, "agent": agent}
    return await ctx.branch(tool, lambda ctx: ctx.tool("call", call))


class _Talk:
    """A conversation under way."""

    def __init__(self, agent: Agent, session: Session, wish: Wish) -> None:
        self.agent = agent
        """As the workflow names it."""
        self.who = Agent()
        """As it is known to whoever answers for it."""
        self.wish = wish
        self.input_tokens = self.output_tokens = 0
        self._session, self._splices = session, session.take_splices()
        self._start = self._head = session.head
        self._same, self._last = 0, ""

    def opening(self, prompt: str) -> Sequence[Message]:
        """What is said first; instructions only where the session does not have them yet."""
        instructions = self.agent.instructions
        if instructions is None or instructions == self._session.instructions:
            return [user(prompt)]
        return [system(instructions), user(prompt)]

    def request(self, messages: Sequence[Message]) -> dict[str, Json]:
        """What the model is asked."""
        before, self._head = self._head, head(self._head, messages)
        request: dict[str, Json] = {
            "agent": self.agent.to_json(),
            "before": before,
            "head": self._head,
            "messages": messages,
        }
        if self._splices:
            request["splices"] = [splice.to_json() for splice in self._splices]
            self._splices = []
        if self.wish.schema is not None:
            request["schema"] = self.wish.schema
        if self.wish.tools:
            request["tools"] = [tool.to_json() for tool in self.wish.tools]
        return request

    def hear(self, reply: Reply) -> Message:
        """What the model says."""
        message = cast(Message, reply["message"])
        usage = cast("Mapping[str, int]", reply["usage"])
        self.input_tokens += usage["input"]
        self.output_tokens += usage["output"]
        self.who = Agent.from_json(cast("Mapping[str, Json]", reply["agent"]))
        self._head = head(self._head, [message])
        return message

    def heed(self, wanted: Sequence[ToolCall]) -> None:
        """It asks for tools.  Raises Failed if it has asked for the same too often."""
        asked = encode([[call.tool, call.arguments] for call in wanted])
        self._same = self._same + 1 if asked == self._last else 1
        self._last = asked
        if self._same > self.wish.limits.same:
            tools = ", ".join(call.tool for call in wanted)
            raise Failed(Failure("limit", f"it asked for the same {self._same} times in a row: {tools}"))

    def accepted(self, answer: Answer) -> Answer:
        """The answer, with its value.  Raises Failed where it is refused; it was said all the same."""
        if self.wish.accept is None:
            return answer
        try:
            return replace(answer, value=self.wish.accept(answer.text))
        except Failed:
            self.end()
            raise

    def end(self) -> Json:
        """The session goes on from here; says how."""
        assert self._head is not None
        splice: Splice | None = self._session.extend(self._start, self._head)
        if self.agent.instructions is not None:
            self._session.instructions = self.agent.instructions
        ended: dict[str, Json] = {"session": self._session.name, "head": self._session.head}
        return ended if splice is None else {**ended, "splice": splice.to_json()}


async def _converse(ctx: Context, talk: _Talk, prompt: str) -> Answer:
    messages, limits, repairs = talk.opening(prompt), talk.wish.limits, 0
    for _ in range(limits.requests):
        reply = cast(Reply, await ctx.model("model", talk.request(messages)))
        message = talk.hear(reply)
        if wanted := calls(message):
            talk.heed(wanted)
            messages = await _perform(ctx, talk, wanted)
        elif "problem" not in reply:
            value = reply.get("value")
            return Answer(text(message), talk.who, talk.input_tokens, talk.output_tokens, value)
        elif repairs == limits.repairs:
            raise Failed(_unusable(message, cast(str, reply["problem"]), repairs))
        else:
            repairs += 1
            messages = [user(repair(cast(str, reply["problem"])))]
    raise Failed(Failure("limit", f"no answer after {limits.requests} requests to the model"))


def _unusable(message: Message, problem: str, repairs: int) -> Failure:
    again = f", also after it was asked {repairs} more times" if repairs else ""
    return Failure(
        "invalid_answer", f"the answer does not fit{again}: {problem}", detail={"text": text(message)}
    )


async def _perform(ctx: Context, talk: _Talk, wanted: Sequence[ToolCall]) -> Sequence[Message]:
    """The tools that a model asks for, together; a tool that fails is told to the model."""
    bodies = [(call.tool, _tool(call, talk.who, talk.wish)) for call in wanted]
    results = await gather(ctx, bodies, on_error="collect")
    return [
        failed(call, came.message) if isinstance(came, Failure) else result(call, came.value)
        for call, came in zip(wanted, results, strict=True)
    ]


def _tool(call: ToolCall, agent: Agent, wish: Wish) -> Body[Json]:
    if isinstance(call.arguments, str):
        return lambda ctx: _no_arguments(call)
    request: dict[str, Json] = {"tool": call.tool, "arguments": call.arguments, "agent": agent.shown}
    if wish.closed and call.tool not in {tool.name for tool in wish.tools}:
        return lambda ctx: _not_offered(ctx, request, wish)
    if wish.context is not None:
        request["context"] = wish.context
    return lambda ctx: ctx.tool("call", request)


async def _no_arguments(call: ToolCall) -> Json:
    """A model may write arguments that are no JSON; they are left as the text that they are."""
    raise Failed(Failure("tool", f"not called: its arguments are no JSON object: {call.arguments}"))


async def _not_offered(ctx: Context, request: Mapping[str, Json], wish: Wish) -> Json:
    """A tool beyond those that the agent was given: nothing happens, and the log says so."""
    offered = ", ".join(tool.name for tool in wish.tools) or "none"
    message = f"not called: the agent may not call {request['tool']!r}; it may call: {offered}"
    failure = Failure("tool", message, definite=True)
    ctx.note(TOOL_REFUSED, {**request, "failure": failure.to_json()})
    raise Failed(failure)
