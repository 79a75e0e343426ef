"""Acting: what becomes of a call, as a script has it; pure, so that any host can have it acted out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, cast

from quintet.agents.answers import worth
from quintet.agents.messages import Message, assistant, text
from quintet.agents.roster import Roster
from quintet.agents.script import Error, Reply, Script, Tools, filled, nth, sent, tool_calls
from quintet.agents.turn import NOT_FOUND, Agent
from quintet.engine.events import Kind
from quintet.engine.failures import Failure
from quintet.engine.memory import Later, World
from quintet.engine.paths import Path
from quintet.engine.performing import Call
from quintet.engine.values import Json


def name_of(kind: Kind, request: Json, roster: Roster) -> str:
    """What a call is counted under: `agent writer`, `tool search`.

    An agent is one agent, whether a workflow calls it by its name or by its id.
    """
    data: Any = request
    if kind == "tool":
        return f"tool {data['tool']}"
    agent = data["agent"]
    return f"agent {agent.get('name') or roster.known(Agent.from_json(agent)).shown}"


class Act(NamedTuple):
    """What becomes of a call."""

    delay: float = 0.0
    value: Json = None
    failure: Failure | None = None
    said: str = ""
    """What people may read of it while it comes."""


class Prompts:
    """The user's message of each turn that is under way: a turn says it once, in its first request."""

    def __init__(self) -> None:
        self._said: dict[Path, str] = {}

    def hear(self, path: Path, request: Json) -> None:
        """A request for a model."""
        messages = cast("Mapping[str, Sequence[Message]]", request)["messages"]
        for message in messages:
            if message["role"] == "user":
                self._said[path[:-1]] = text(message)

    def of(self, path: Path) -> str | None:
        """The message of the turn that a request belongs to."""
        return self._said.get(path[:-1])

    def forget(self, path: Path) -> None:
        self._said.pop(path[:-1], None)


def model_act(script: Script, roster: Roster, call: Call, number: int, prompt: str) -> Act:
    """What an agent's model says at a call."""
    agent = Agent.from_json(cast("Mapping[str, Any]", call.request)["agent"])
    who = roster.known(agent)
    lines = script.lines(agent, who.shown)
    if not lines:
        return Act(failure=Failure(NOT_FOUND, f"there is no agent {agent.shown!r}", definite=True))
    line = nth(lines, number)
    reply: dict[str, Json] = {
        "agent": who.to_json(),
        "usage": {"input": line.input_tokens, "output": line.output_tokens},
    }
    match line.act:
        case Error(message, kind):
            return Act(line.delay, failure=Failure(kind, str(filled(message, prompt, number))))
        case Tools() as tools:
            return Act(line.delay, {**reply, "message": assistant("", tool_calls(tools, prompt, number))})
        case Reply(value):
            said = filled(value, prompt, number)
            reply["message"] = assistant(sent(said))
            return Act(line.delay, {**reply, **_worth(said, call.request)}, said=sent(said))


def _worth(said: Json, request: Json) -> dict[str, Json]:
    """The value of an answer: checked where the turn asked for one, as any model's is."""
    schema = cast("Mapping[str, Any]", request).get("schema")
    if schema is not None:
        return worth(sent(said), schema)
    return {} if isinstance(said, str) else {"value": said}


def tool_act(script: Script, call: Call, number: int) -> Act:
    """What a tool gives at a call."""
    name = cast("Mapping[str, str]", call.request)["tool"]
    lines = script.tools.get(name)
    if not lines:
        return Act(failure=Failure("tool", f"the script has no tool {name!r}", definite=True))
    line = nth(lines, number)
    if isinstance(line.act, Error):
        return Act(line.delay, failure=Failure(line.act.kind, line.act.message))
    return Act(line.delay, line.act.value)


def world(script: Script, roster: Roster) -> World:
    """A script acted out for runs in memory, where nothing really waits."""
    numbers: dict[tuple[str, object], int] = {}
    counts: dict[str, int] = {}
    prompts = Prompts()

    def perform(call: Call) -> object:
        name = name_of(call.kind, call.request, roster)
        key = (call.run_id, call.path)
        if key not in numbers:
            numbers[key] = counts[name] = counts.get(name, 0) + 1
        if call.kind == "tool":
            act = tool_act(script, call, numbers[key])
        else:
            prompts.hear(call.path, call.request)
            act = model_act(script, roster, call, numbers[key], prompts.of(call.path) or "")
        return Later(act.delay, act.value if act.failure is None else act.failure)

    return perform
