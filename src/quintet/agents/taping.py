"""Taping: a run's log becomes a cassette.

The log holds every request with its conversation, and every outcome without its secrets.  So any run can be
recorded when it is over, also one that was killed and resumed, and recording changes nothing about a run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeAlias, TypeVar, cast

from quintet.agents.cassette import Answered, Asked, Called, Recording, Request, Served
from quintet.agents.conversations import Conversations
from quintet.agents.messages import Message
from quintet.agents.roster import Roster
from quintet.agents.sessions import EARLIER
from quintet.agents.speakers import instructed, recent
from quintet.agents.turn import Agent
from quintet.engine.events import TOUCH_CANCELLED, Event
from quintet.engine.failures import Failure
from quintet.engine.paths import Path, write
from quintet.engine.values import Json, decode

_R = TypeVar("_R", bound=Request)

Rosters: TypeAlias = Callable[[Event], Roster | None]
"""The agents that a run has from an event on, where that is told."""


def asked(request: Mapping[str, Any], words: Sequence[Message], roster: Roster) -> Asked:
    """A request as the model is told it; `words` are all that was said in its conversation."""
    agent = Agent.from_json(request["agent"])
    told, manifest = recent(words, agent.history), roster.find(agent)
    if manifest is not None:
        told = instructed(told, agent, manifest)
    return Asked(agent.shown, told, request.get("schema"), request.get("tools", ()))


class Taping:
    """What a log holds that belongs on a cassette."""

    def __init__(self, roster: Roster, rosters: Rosters = lambda event: None) -> None:
        self._roster = roster
        self._rosters = rosters
        self._conversations = Conversations(_nothing)
        self._began: dict[Path, float] = {}
        self._models: dict[Path, Recording[Asked]] = {}
        self._tools: dict[Path, Recording[Called]] = {}
        self._services: dict[Path, Recording[Served]] = {}
        self.answers: list[Answered] = []

    @property
    def models(self) -> Sequence[Recording[Asked]]:
        """In the order in which they were asked."""
        return tuple(self._models.values())

    @property
    def tools(self) -> Sequence[Recording[Called]]:
        return tuple(self._tools.values())

    @property
    def services(self) -> Sequence[Recording[Served]]:
        return tuple(self._services.values())

    def hear(self, events: Iterable[Event]) -> None:
        """The log goes on."""
        for event in events:
            self._conversations.hear([event])
            self._roster = self._rosters(event) or self._roster
            data: Any = decode(event.data)
            match event.kind:
                case "model.requested":
                    words = self._conversations.said(data["head"])
                    self._begin(self._models, event, asked(data, words, self._roster))
                case "tool.called":
                    self._begin(self._tools, event, Called(data["tool"], data["arguments"], data["agent"]))
                case "effect.requested" if data["name"] == EARLIER:
                    self._begin(self._services, event, Served(data["name"], data["data"]))
                case "model.answered":
                    self._end(self._models, event, data, _said)
                case "tool.finished":
                    self._end(self._tools, event, data)
                case "effect.done":
                    self._end(self._services, event, data)
                case "question.answered" if "failure" not in data:
                    self.answers.append(Answered(write(event.path), data["value"]))
                case "gate.answered":
                    self.answers.append(Answered(data["gate"], data["answer"]))
                case kind if kind == TOUCH_CANCELLED:
                    self._began.pop(event.path, None)  # what comes of it still, comes too late
                case _:
                    pass

    def _begin(self, recordings: dict[Path, Recording[_R]], event: Event, request: _R) -> None:
        self._began[event.path] = event.time
        recordings[event.path] = Recording(request, answered=False, at=write(event.path))

    def _end(
        self,
        recordings: dict[Path, Recording[_R]],
        event: Event,
        data: Mapping[str, Any],
        told: Callable[[Any], Json] = lambda value: value,
    ) -> None:
        began = self._began.pop(event.path, None)
        if began is None or event.path not in recordings:
            return
        failure = Failure.from_json(data["failure"]) if "failure" in data else None
        recordings[event.path] = replace(
            recordings[event.path],
            value=None if failure else told(data["value"]),
            failure=None if failure is None else replace(failure, at=()),
            answered=True,
            took=0.0 if "taken" in data else round(max(0.0, event.time - began), 3),
        )


def _said(reply: Mapping[str, Json]) -> Json:
    """What belongs on a cassette of a reply: who has answered, and whether it fits, is found anew."""
    said = {key: reply[key] for key in _KEPT if key in reply}
    message = cast("Mapping[str, Json]", reply["message"])
    return {"text": message["text"], "calls": message.get("calls", ()), **said}


_KEPT = ("value", "model", "answered", "usage", "cost_usd")


async def _nothing(run_id: str) -> Sequence[Event]:
    return ()
