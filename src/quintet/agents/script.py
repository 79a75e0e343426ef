"""Scripts: what stand-ins say in place of models and tools, one entry a call.

A script is a value: which entry answers which call follows from the name and the number of the call alone,
so a run that is resumed, answered or forked goes on where it was.  `script_file` reads one, `standins` acts
it out.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, TypeVar

from quintet.agents.messages import ToolCall
from quintet.agents.turn import Agent
from quintet.engine.values import Json, encode

ANYONE: Final = "*"
"""The name that stands for every agent that is not listed."""

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer: a text, or a value that is sent as its JSON text."""

    value: Json


@dataclass(frozen=True, slots=True)
class Error:
    """The call fails."""

    message: str
    kind: str = "provider"


@dataclass(frozen=True, slots=True)
class Tools:
    """The model asks for tools; the next entry answers after their results."""

    calls: tuple[tuple[str, Json], ...]
    """Names and arguments."""


@dataclass(frozen=True, slots=True)
class Line:
    """One entry of an agent: what happens at one call of its model."""

    act: Reply | Error | Tools
    delay: float = 0.0
    """Seconds before that."""
    input_tokens: int = 0
    output_tokens: int = 0


@dataclass(frozen=True, slots=True)
class ToolLine:
    """One entry of a tool."""

    act: Reply | Error
    delay: float = 0.0


OK: Final = (Line(Reply("ok")),)
"""What an agent says that is not listed, where `default_agents` lets it exist."""


@dataclass(frozen=True, slots=True)
class Script:
    """Who says what."""

    agents: Mapping[str, Sequence[Line]] = field(default_factory=dict[str, Sequence[Line]])
    tools: Mapping[str, Sequence[ToolLine]] = field(default_factory=dict[str, Sequence[ToolLine]])
    default_agents: bool = False

    def lines(self, agent: Agent, name: str) -> Sequence[Line] | None:
        """What an agent says, known here by a name; None if it does not exist."""
        for known in (name, agent.id, agent.copy_of, ANYONE):
            if known is not None and known in self.agents:
                return self.agents[known]
        return OK if self.default_agents else None


def nth(entries: Sequence[T], call: int) -> T:
    """The entry for a call, counted from 1: "after the last one, the last one repeats"."""
    return entries[min(call, len(entries)) - 1]


_PLACEHOLDER = re.compile(r"\{\{(prompt|call)\}\}")


def filled(value: Json, prompt: str, call: int) -> Json:
    """A value with `{{prompt}}` and `{{call}}` filled in, wherever a text stands in it; each once."""
    match value:
        case str():
            said = {"prompt": prompt, "call": str(call)}
            return _PLACEHOLDER.sub(lambda found: said[found[1]], value)
        case Mapping():
            return {key: filled(item, prompt, call) for key, item in value.items()}
        case list() | tuple():
            return [filled(item, prompt, call) for item in value]
        case _:
            return value


def sent(value: Json) -> str:
    """A reply as the text that is sent."""
    return value if isinstance(value, str) else encode(value)


def tool_calls(tools: Tools, prompt: str, call: int) -> list[ToolCall]:
    """What a model asks for at a call."""
    return [
        ToolCall(f"{call}.{number}", name, filled(arguments, prompt, call))
        for number, (name, arguments) in enumerate(tools.calls, 1)
    ]
