"""Cassettes: what models and tools said in a run, each answer by the request that it is the answer to.

A request to a model is known by all that it says: who is asked, the whole conversation, the schema, the tools
that are offered.  Which model it goes to, and how warm that is, is no part of it.  What is not on a cassette
is never asked of anybody: `NotRecorded` tells how it differs from what is.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher, unified_diff
from typing import Any, Final, Generic, Protocol, TypeVar, cast

from quintet.agents.messages import Message, all_whole
from quintet.engine.failures import EngineError, Failure
from quintet.engine.paths import display, parse
from quintet.engine.values import Json, encode, fingerprint

LONGEST_DIFFERENCE: Final = 60
"""Lines; nobody reads more."""


class NotRecorded(EngineError):
    """A run that plays a cassette asks what is not on it."""

    code = "not-recorded"


class Request(Protocol):
    """What can be on a cassette."""

    @property
    def whom(self) -> str:
        """Who is asked, in words."""
        ...

    @property
    def key(self) -> str:
        """The same for the same request."""
        ...

    def lines(self) -> list[str]:
        """All that it says, to be compared."""
        ...


@dataclass(frozen=True, slots=True)
class Asked:
    """A request to a model, whole."""

    agent: str
    words: Sequence[Message]
    """The conversation, from what the agent is told before all else."""
    schema: Mapping[str, Json] | None = None
    tools: Sequence[Json] = ()

    @property
    def whom(self) -> str:
        return f"the agent {self.agent!r}"

    @property
    def key(self) -> str:
        words = [without_ids(message) for message in self.words]
        return fingerprint("model", _text(self.agent), _text([words, self.schema, self.tools]))

    def lines(self) -> list[str]:
        lines = [line for message in self.words for line in _message_lines(message)]
        if self.schema is not None:
            lines += _lines("schema", self.schema)
        return lines + [line for tool in self.tools for line in _lines("tool", tool)]


@dataclass(frozen=True, slots=True)
class Called:
    """A call of a tool."""

    tool: str
    arguments: Json
    agent: str | None = None

    @property
    def whom(self) -> str:
        return f"the tool {self.tool!r}"

    @property
    def key(self) -> str:
        return fingerprint("tool", _text([self.tool, self.agent, self.arguments]))

    def lines(self) -> list[str]:
        return [f"agent: {self.agent}", *_lines("arguments", self.arguments)]


@dataclass(frozen=True, slots=True)
class Served:
    """What a service of the host is asked."""

    name: str
    data: Json

    @property
    def whom(self) -> str:
        return f"the service {self.name!r}"

    @property
    def key(self) -> str:
        return fingerprint("effect", _text([self.name, self.data]))

    def lines(self) -> list[str]:
        return _lines("with", self.data)


R = TypeVar("R", bound=Request)


@dataclass(frozen=True, slots=True)
class Recording(Generic[R]):
    """A request, and what became of it."""

    request: R
    value: Json = None
    """What it gave; of a model the reply, without who has answered."""
    failure: Failure | None = None
    answered: bool = True
    """False of what was given up before there was an answer."""
    at: str = ""
    """Where it was asked, as the log writes it."""
    took: float = 0.0
    """Seconds."""


@dataclass(frozen=True, slots=True)
class Answered:
    """What a person answered."""

    at: str
    """The question, as an answer is addressed to it."""
    answer: Json


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of the run."""

    status: str
    output: Json = None
    error: Mapping[str, Json] | None = None
    """Its kind and its message."""


@dataclass(frozen=True, slots=True)
class Cassette:
    """A run as it was recorded."""

    workflow: str = ""
    format: str = ""
    arguments: Json = None
    """What the run began with."""
    outcome: Outcome | None = None
    models: Sequence[Recording[Asked]] = ()
    tools: Sequence[Recording[Called]] = ()
    services: Sequence[Recording[Served]] = ()
    answers: Sequence[Answered] = ()


@dataclass(slots=True)
class Tape(Generic[R]):
    """Recordings of one kind, by their requests."""

    recordings: Sequence[Recording[R]]
    _by_key: dict[str, list[Recording[R]]] = field(default_factory=dict[str, "list[Recording[R]]"])

    def __post_init__(self) -> None:
        for recording in self.recordings:
            self._by_key.setdefault(recording.request.key, []).append(recording)

    def find(self, request: R, at: str, number: int) -> Recording[R] | None:
        """The answer to a request: of those to the same one that of the same place, else the next in order.

        `number` says the how-manieth it is that asks just this, from 1.
        """
        same = self._by_key.get(request.key, [])
        for recording in same:
            if recording.at == at:
                return recording
        return same[number - 1] if number <= len(same) else None

    def take(self, request: R, at: str, number: int) -> Recording[R]:
        """The same.  Raises NotRecorded."""
        found = self.find(request, at, number)
        if found is None:
            raise NotRecorded(self._missing(request, at, number))
        return found

    def _missing(self, request: R, at: str, number: int) -> str:
        recorded = self._by_key.get(request.key)
        said = f"at {_shown(at)}, {request.whom} is asked what is not on the cassette"
        if recorded:
            return f"{said}: this is asked for the {_nth(number)} time, and recorded {_times(len(recorded))}"
        near = self._nearest(request, at)
        if near is None:
            others = ", ".join(dict.fromkeys(one.request.whom for one in self.recordings))
            return f"{said}, which has nothing of {request.whom}, only of {others or 'nobody'}"
        names = f"recorded at {_shown(near.at)}", f"asked at {_shown(at)}"
        difference = unified_diff(near.request.lines(), request.lines(), *names, lineterm="")
        return "\n".join((f"{said}; record it anew, or mend it:", *_cut(list(difference))))

    def _nearest(self, request: R, at: str) -> Recording[R] | None:
        """What was asked of the same: at the same place, or else what is most like it."""
        same = [one for one in self.recordings if one.request.whom == request.whom]
        here = [one for one in same if one.at == at]
        return max(here or same, key=lambda one: _likeness(one.request, request), default=None)


def without_ids(message: Message) -> Message:
    """A message without the names that calls of tools have: models make them up."""
    shown = {key: value for key, value in message.items() if key != "id"}
    if "calls" in shown:
        calls = cast("Sequence[Mapping[str, Json]]", shown["calls"])
        shown["calls"] = [{key: value for key, value in call.items() if key != "id"} for call in calls]
    return shown


def _text(value: Json) -> str:
    return encode(all_whole(value))


def _message_lines(message: Message) -> list[str]:
    shown: dict[str, Any] = dict(without_ids(message))
    role, text = shown.pop("role"), shown.pop("text", "")
    return [*_lines(role, text), *(line for key, value in shown.items() for line in _lines(key, value))]


def _lines(label: str, value: Json) -> list[str]:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=2)
    if "\n" not in text:
        return [f"{label}: {text}"]
    return [f"{label}:", *(f"  {line}" for line in text.split("\n"))]


def _likeness(one: Request, other: Request) -> float:
    return SequenceMatcher(None, "\n".join(one.lines()), "\n".join(other.lines())).quick_ratio()


def _cut(lines: list[str]) -> Iterable[str]:
    more = len(lines) - LONGEST_DIFFERENCE
    return lines if more <= 0 else [*lines[:LONGEST_DIFFERENCE], f"… and {more:,} lines more"]


def _shown(at: str) -> str:
    """A place as people read it."""
    return display(parse(at)[:-1]) or "the start"


def _nth(number: int) -> str:
    return {1: "1st", 2: "2nd", 3: "3rd"}.get(number, f"{number}th")


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count:,} times"
