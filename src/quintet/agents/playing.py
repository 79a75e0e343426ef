"""Playing: performers that have a cassette answer where models and tools would be asked.

Nothing else is ever asked: what is not on the cassette stops the run, whatever its format makes of failures.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, TypeVar, cast

from quintet.agents.acting import Act
from quintet.agents.answers import worth
from quintet.agents.cassette import Asked, Called, Cassette, NotRecorded, Recording, Request, Served, Tape
from quintet.agents.conversations import Conversations, Read
from quintet.agents.messages import Message, ToolCall, assistant
from quintet.agents.roster import Roster
from quintet.agents.taping import Taping, asked
from quintet.agents.turn import Agent
from quintet.engine.events import Event
from quintet.engine.failures import Failed, Failure
from quintet.engine.memory import Later, World
from quintet.engine.paths import Path, write
from quintet.engine.performing import Call
from quintet.engine.redaction import Redactor
from quintet.engine.values import Json, fingerprint

NEVER: Final = 1e9
"""Seconds after which an answer comes that was given up before it came."""
_GIVEN_UP: Final = Failure("timeout", "there is no answer on the cassette: it was given up before it came")
_R = TypeVar("_R", bound=Request)


class Player:
    """What a cassette has for each call of a run, however often that was taken up."""

    def __init__(self, cassette: Cassette, roster: Roster, redactor: Redactor) -> None:
        self._roster = roster
        self._redactor = redactor
        """A cassette holds no secret: neither does what is looked for on it."""
        self._models = Tape(cassette.models)
        self._tools = Tape(cassette.tools)
        self._services = Tape(cassette.services)
        self._begun: dict[str, dict[str, int]] = {}
        """The places at which each request was begun, and which of them each was."""

    def know(self, log: Sequence[Event]) -> None:
        """What the run has asked in earlier lives."""
        taping = Taping(self._roster)
        taping.hear(log)
        for recording in (*taping.models, *taping.tools, *taping.services):
            self._number(recording.request, recording.at)

    def model(self, call: Call, words: Sequence[Message]) -> Act:
        """What a model says; `words` are all that was said in its conversation.  Raises NotRecorded."""
        request = cast("Mapping[str, Any]", call.request)
        question = asked(request, self._clean(words), self._roster)
        recording = self._take(self._models, question, call)
        who = self._roster.known(Agent.from_json(request["agent"]))
        act = _act(recording, lambda said: _reply(said, question, who, call.path))
        return act._replace(said=_text(recording))

    def tool(self, call: Call) -> Act:
        """What a tool gives.  Raises NotRecorded."""
        request = self._clean(call.request)
        return _act(
            self._take(self._tools, Called(request["tool"], request["arguments"], request["agent"]), call)
        )

    def service(self, call: Call) -> Act | None:
        """What a service of the host gives, if that is on the cassette."""
        request = Served(call.name, self._clean(call.request))
        at = write(call.path)
        found = self._services.find(request, at, self._number(request, at))
        return None if found is None else _act(found)

    def _clean(self, value: Any) -> Any:
        return self._redactor.value(value)

    def _take(self, tape: Tape[_R], request: _R, call: Call) -> Recording[_R]:
        at = write(call.path)
        return tape.take(request, at, self._number(request, at))

    def _number(self, request: Request, at: str) -> int:
        begun = self._begun.setdefault(request.key, {})
        return begun.setdefault(at, len(begun) + 1)


class Players:
    """The agents and tools of one run, as a cassette has them; nobody waits as long as it once took."""

    def __init__(self, cassette: Cassette, roster: Roster, read: Read, redactor: Redactor) -> None:
        self._player = Player(cassette, roster, redactor)
        self._read = read
        self._conversations = Conversations(read)
        self._knowing: asyncio.Task[None] | None = None

    def hear(self, events: Sequence[Event]) -> None:
        """What was added to the log of the run."""
        self._conversations.hear(events)

    async def model(self, call: Call) -> Json:
        """Answer for an agent."""
        request = cast("Mapping[str, Any]", call.request)
        self._conversations.ask(call.path, request)
        words = await self._conversations.words(call.run_id, request["head"])
        await self._know(call.run_id)
        act = self._player.model(call, words)
        if act.said:
            call.say(act.said)
        return await _performed(act)

    async def tool(self, call: Call) -> Json:
        """Give what a tool gave."""
        await self._know(call.run_id)
        return await _performed(self._player.tool(call))

    async def service(self, call: Call) -> Json | None:
        """What a service of the host gave, if it is known."""
        await self._know(call.run_id)
        act = self._player.service(call)
        return None if act is None else await _performed(act)

    async def _know(self, run_id: str) -> None:
        if self._knowing is None:
            self._knowing = asyncio.create_task(self._learn(run_id))
        await asyncio.shield(self._knowing)

    async def _learn(self, run_id: str) -> None:
        self._player.know(await self._read(run_id))


def world(
    cassette: Cassette, roster: Roster, redactor: Redactor, log: Callable[[str], Sequence[Event]]
) -> World:
    """A cassette played for runs in memory: all takes as long as it took, of the time that there is."""
    player, heard = Player(cassette, roster, redactor), 0
    conversations = Conversations(_nothing)

    def perform(call: Call) -> object:
        nonlocal heard
        if call.kind == "effect":
            act = player.service(call)
        elif call.kind == "tool":
            act = player.tool(call)
        else:
            request = cast("Mapping[str, Any]", call.request)
            events = log(call.run_id)
            conversations.hear(events[heard:])
            heard = len(events)
            conversations.ask(call.path, request)
            act = player.model(call, conversations.said(request["head"]))
        if act is None:
            raise NotRecorded(f"at {write(call.path)}, {call.name!r} is asked what is not on the cassette")
        return Later(act.delay, act.value if act.failure is None else act.failure)

    return perform


def _act(recording: Recording[Any], told: Callable[[Any], Json] = lambda value: value) -> Act:
    if not recording.answered:
        return Act(NEVER, failure=_GIVEN_UP)
    if recording.failure is not None:
        return Act(recording.took, failure=recording.failure)
    return Act(recording.took, told(recording.value))


def _reply(said: Mapping[str, Any], question: Asked, who: Agent, path: Path) -> Json:
    """A reply as a model gives it."""
    calls = [
        ToolCall(f"call_{fingerprint(write(path), str(number))[:24]}", call["tool"], call["arguments"])
        for number, call in enumerate(said["calls"])
    ]
    reply: dict[str, Json] = {"agent": who.to_json(), "message": assistant(said["text"], calls)}
    reply |= {key: value for key, value in said.items() if key not in ("text", "calls")}
    if question.schema is not None and not calls:
        reply |= worth(said["text"], question.schema)
    return reply


def _text(recording: Recording[Asked]) -> str:
    said = cast("Mapping[str, str] | None", recording.value)
    return "" if said is None else said["text"]


async def _performed(act: Act) -> Json:
    """At once, unless it never came."""
    if act.delay == NEVER:
        await asyncio.Event().wait()
    if act.failure is not None:
        raise Failed(act.failure)
    return act.value


async def _nothing(run_id: str) -> Sequence[Event]:
    return ()
