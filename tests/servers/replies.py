"""Replies: what a test has a provider say, whichever wire it speaks."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from tests.servers.web import Request

Ending: TypeAlias = Literal["complete", "dropped", "cut", "hanging", "garbled", "failing"]
"""Complete; the connection drops; the stream closes too early, but properly; silence; no JSON; an error."""

Finish: TypeAlias = Literal["stop", "tools", "length", "content_filter", "refused"]


@dataclass(frozen=True, slots=True)
class Call:
    """A tool that the model asks for; arguments that are a text go out as they are."""

    tool: str
    arguments: Mapping[str, Any] | str
    id: str = "call_1"

    @property
    def text(self) -> str:
        return self.arguments if isinstance(self.arguments, str) else json.dumps(self.arguments)


@dataclass(frozen=True, slots=True)
class Says:
    """An answer, streamed where the request asks for a stream."""

    pieces: Sequence[str | asyncio.Event] = ("Hello.",)
    """Texts, and gates that keep back what follows until a test opens them."""
    calls: Sequence[Call] = ()
    finish: Finish | None = None
    """Otherwise what the content says."""
    thinking: str = ""
    input: int = 3
    output: int = 2
    cached: int = 0
    model: str | None = None
    """Which model it says it is; otherwise the one asked for."""
    delay: float = 0
    """Seconds before each piece."""
    ending: Ending = "complete"
    error: str = "overloaded"
    """What an error event says."""

    @property
    def text(self) -> str:
        return "".join(piece for piece in self.pieces if isinstance(piece, str))

    @property
    def why(self) -> Finish:
        return self.finish or ("tools" if self.calls else "stop")


@dataclass(frozen=True, slots=True)
class Refuses:
    """An answer with the status of an error."""

    status: int
    message: str = "no"
    code: str | None = None
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    body: str | None = None
    """What is sent instead of the provider's own form."""


@dataclass(frozen=True, slots=True)
class Vanishes:
    """The connection drops before a byte of the answer."""


@dataclass(frozen=True, slots=True)
class Hangs:
    """Nothing ever comes."""


Reply: TypeAlias = Says | Refuses | Vanishes | Hangs
Replies: TypeAlias = Sequence[Reply] | Callable[[Request], Reply]


@dataclass(slots=True)
class Prompter:
    """Gives the next reply; a list that has been used up is a mistake of the test."""

    replies: Replies
    given: int = 0

    def next(self, request: Request) -> Reply:
        if callable(self.replies):
            return self.replies(request)
        if self.given >= len(self.replies):
            return Refuses(501, f"no reply is left for request {self.given + 1}")
        self.given += 1
        return self.replies[self.given - 1]


def example(schema: Mapping[str, Any]) -> Any:
    """A small value that satisfies most schemas: what a model without a thought of its own would say."""
    match schema:
        case {"const": value} | {"default": value} | {"enum": [value, *_]}:
            return value
        case {"anyOf": [first, *_]} | {"oneOf": [first, *_]} | {"allOf": [first, *_]}:
            return example(first)
        case {"properties": properties}:
            return {name: example(inner) for name, inner in properties.items()}
        case {"type": [first, *_]}:
            return example({**schema, "type": first})
        case {"type": "array"}:
            items = [example(inner) for inner in schema.get("prefixItems", ())]
            while len(items) < schema.get("minItems", 1):
                items.append(example(schema.get("items") or {}))
            return items
        case {"type": kind}:
            least = schema.get("minimum", 0)
            word = "word".ljust(schema.get("minLength", 0), ".")[: schema.get("maxLength")]
            values: dict[str, Any] = {"string": word, "integer": least, "number": least, "boolean": True}
            return {} if kind == "object" else values.get(kind)
        case _:
            return "word"
