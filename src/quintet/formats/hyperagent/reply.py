"""Replies: from what a model wrote to the payload of a turn.

A reply is JSON, alone or in a fence, and must fit the parser of its role.  What does not is asked for again.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from math import isfinite
from typing import Final

from quintet.engine.values import Json
from quintet.formats.hyperagent.javascript import trim
from quintet.formats.hyperagent.parser import Parser, parsed

ATTEMPTS: Final = 3
DEEPEST: Final = 100
"""So deep may a reply be nested."""
NO_TEXT: Final = '{"status":"error","summary":"opencode response contained no text parts"}'
"""What a reply without any text stands for."""

_OPENING = re.compile("```json", re.IGNORECASE)


class NotUsable(ValueError):
    """A reply that is no JSON, or does not fit; the message is the one that the run fails with."""


@dataclass(frozen=True, slots=True)
class Ear:
    """Who listens to a role."""

    role: str
    parser_name: str
    parser: Parser

    def hear(self, text: str) -> Json:
        """The parsed payload of a reply.  Raises NotUsable."""
        try:
            value = _json(payload(text))
        except (ValueError, RecursionError) as error:
            raise NotUsable(f"{self.role} returned invalid JSON: {error}") from None
        found, problems = parsed(self.parser, value)
        if problems:
            said = "; ".join(problems)
            raise NotUsable(f"[{self.role}] parser '{self.parser_name}' validation failed: {said}")
        return found


def payload(text: str) -> str:
    """The JSON text in a reply: what stands in the first fence marked `json`, else all of it."""
    if not text:
        return NO_TEXT
    if (opening := _OPENING.search(text)) and (end := text.find("```", opening.end())) >= 0:
        return trim(text[opening.end() : end])
    return trim(text)


def again(prompt: str, problem: str) -> str:
    """The prompt of the next attempt."""
    return (
        f"{prompt}\n\nIMPORTANT: Your previous response was invalid JSON ({problem}). "
        "Respond again with STRICT JSON only, without code fences or commentary."
    )


def _json(text: str) -> Json:
    value: Json = json.loads(text, parse_float=_float, parse_int=_int, parse_constant=_no_json)
    _check_depth(value)
    return value


def _float(text: str) -> float:
    number = float(text)
    if not isfinite(number):
        raise ValueError(f"the number {text[:40]} is too large")
    return int(number) if number.is_integer() and abs(number) <= 2**53 else number


def _int(text: str) -> float:
    return int(text) if len(text) <= 15 else _float(text)


def _no_json(constant: str) -> Json:
    raise ValueError(f"{constant} is not JSON")


def _check_depth(value: Json) -> None:
    level: list[Json] = [value]
    for _ in range(DEEPEST):
        level = [inner for one in level for inner in _within(one)]
    if level:
        raise ValueError(f"it is nested deeper than {DEEPEST}")


def _within(value: Json) -> list[Json]:
    match value:
        case dict():
            return list(value.values())
        case list():
            return value
        case _:
            return []
