"""Messages: what an agent and its model say to each other, as a chain.

Each message is in the log once: what a program says in the request that sends it, what a model says in the
outcome of that request.  A request does not repeat the conversation; it names its head, the hash of the last
message before it, and each message's hash covers the one before.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias, cast

from quintet.engine.values import Json, encode, fingerprint

Message: TypeAlias = Mapping[str, Json]
"""A message as it is recorded: its `role`, its `text`, and what belongs to the role."""


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A tool that a model asks for."""

    id: str
    """What the result is told by: models give each call an id of their own."""
    tool: str
    arguments: Json


def system(text: str) -> Message:
    return {"role": "system", "text": text}


def user(text: str) -> Message:
    return {"role": "user", "text": text}


def assistant(text: str, calls: Iterable[ToolCall] = ()) -> Message:
    message: dict[str, Json] = {"role": "assistant", "text": text}
    asked = [{"id": call.id, "tool": call.tool, "arguments": call.arguments} for call in calls]
    return {**message, "calls": asked} if asked else message


def result(call: ToolCall, value: Json) -> Message:
    return {"role": "tool", "id": call.id, "tool": call.tool, "result": value}


def failed(call: ToolCall, error: str) -> Message:
    return {"role": "tool", "id": call.id, "tool": call.tool, "error": error}


def text(message: Message) -> str:
    return cast(str, message["text"])


def calls(message: Message) -> list[ToolCall]:
    """The tools that an assistant's message asks for."""
    asked = cast("Sequence[Mapping[str, Json]]", message.get("calls", ()))
    return [ToolCall(cast(str, call["id"]), cast(str, call["tool"]), call["arguments"]) for call in asked]


def head(before: str | None, messages: Iterable[Message]) -> str | None:
    """The head of a conversation, with some more messages at its end."""
    for message in messages:
        before = fingerprint(before or "", encode(message))
    return before


def whole(text: str) -> str:
    """A text with a replacement for halves of surrogate pairs, which no file and no request can hold."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode()


def all_whole(value: Json) -> Json:
    """The same for all texts in a value."""
    match value:
        case str():
            return whole(value)
        case Mapping():
            return {whole(key): all_whole(item) for key, item in value.items()}
        case list() | tuple():
            return [all_whole(item) for item in value]
        case _:
            return value
