"""Conversations: what was said in a run, found again by the hash of its last message.

A request to a model names the head of the conversation before it instead of repeating that.  Whoever performs
the request needs the words, so this keeps what the log holds of them: each message once, linked to the one
before it.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias, cast

from quintet.agents import turn
from quintet.agents.messages import Message, head
from quintet.agents.sessions import EARLIER, Splice
from quintet.engine.events import OUTCOMES, Event
from quintet.engine.failures import EngineError
from quintet.engine.paths import Path
from quintet.engine.values import Json, decode

Read: TypeAlias = Callable[[str], Awaitable[Sequence[Event]]]
"""Reads the log of a run, or as much of it as tells what was said."""


class Lost(EngineError):
    """A conversation that the log does not hold."""

    code = "conversation-lost"


class _Link(NamedTuple):
    before: str | None
    messages: Sequence[Message]


class Conversations:
    """All that was said in one run."""

    def __init__(self, read: Read) -> None:
        self._read = read
        self._links: dict[str, _Link | Splice] = {}
        self._asked: dict[Path, str] = {}
        """The heads of requests under way."""
        self._has_read = False

    def hear(self, events: Iterable[Event]) -> None:
        """The log goes on."""
        for event in events:
            match event.kind:
                case "model.requested":
                    self.ask(event.path, decode(event.data))
                case "model.answered":
                    self._answer(event.path, decode(event.data))
                case "effect.done":
                    self._earlier(decode(event.data))
                case turn.COMPLETED:
                    self._splice(cast("Mapping[str, Any]", decode(event.data)))
                case _:
                    pass

    def ask(self, path: Path, request: Json) -> None:
        """A request, which the log need not hold yet."""
        said = cast("Mapping[str, Any]", request)
        for splice in map(Splice.from_json, said.get("splices", ())):
            self._links[splice.head] = splice
        self._links[said["head"]] = _Link(said["before"], said["messages"])
        self._asked[path] = said["head"]

    async def words(self, run_id: str, end: str | None) -> list[Message]:
        """All that was said in a conversation, up to its end.  Raises Lost."""
        if end is not None and not self._has_read and not self._reaches(end):
            self._has_read = True
            self.hear(await self._read(run_id))
        return self.said(end)

    def said(self, end: str | None, start: str | None = None) -> list[Message]:
        """What was said after `start`, and up to `end`.  Raises Lost."""
        pieces: list[Sequence[Message]] = []
        while end is not None and end != start:
            link = self._links.get(end)
            match link:
                case None:
                    raise Lost(f"the log does not hold the conversation {end}")
                case Splice():
                    pieces.append(self.said(link.end, link.start))
                    end = link.after
                case _Link():
                    pieces.append(link.messages)
                    end = link.before
        return [message for piece in reversed(pieces) for message in piece]

    def _reaches(self, end: str | None) -> bool:
        """Whether everything is known that was said."""
        try:
            self.said(end)
        except Lost:
            return False
        return True

    def _answer(self, path: Path, data: Any) -> None:
        asked = self._asked.pop(path, None)
        if asked is not None and "failure" not in data:
            message = data["value"]["message"]
            self._links[str(head(asked, [message]))] = _Link(asked, [message])

    def _earlier(self, data: Any) -> None:
        for session in _begun_with(data).values():
            self._links[session["head"]] = _Link(None, session["messages"])

    def _splice(self, data: Mapping[str, Any]) -> None:
        if "splice" in data:
            splice = Splice.from_json(data["splice"])
            self._links[splice.head] = splice


def _begun_with(data: Any) -> Mapping[str, Any]:
    """Sessions of an earlier run, if that is what an effect gave."""
    value = data.get("value")
    return cast("Mapping[str, Any]", value).get(EARLIER, {}) if isinstance(value, Mapping) else {}


class Ended(NamedTuple):
    """Where a session ended."""

    head: str
    messages: Sequence[Message]


def sessions(log: Sequence[Event]) -> dict[str, Ended]:
    """The sessions of a run, by their names, as its log leaves them; those it began with among them."""

    async def nothing(run_id: str) -> Sequence[Event]:
        return ()

    heads: dict[str, str] = {}
    for event in log:
        if event.kind == turn.COMPLETED:
            data = cast("Mapping[str, Any]", decode(event.data))
            heads[data["session"]] = data["head"]
        elif event.kind == OUTCOMES["effect"]:
            heads |= {name: session["head"] for name, session in _begun_with(decode(event.data)).items()}
    told = Conversations(nothing)
    told.hear(log)
    return {name: Ended(end, told.said(end)) for name, end in heads.items()}
