"""Wording: conditions as people read them, in pictures and outlines."""

from __future__ import annotations

from collections.abc import Iterator

from quintet.engine.values import Json
from quintet.formats.hyperagent.condition import AllOf, Always, AnyOf, Condition, Field
from quintet.formats.hyperagent.document import Step
from quintet.formats.hyperagent.javascript import scalar_text
from quintet.formats.hyperagent.parser import Object, Parser, Text
from quintet.formats.hyperagent.template import read

_LONGEST = 60


def told(condition: Condition) -> str:
    """`verdict is approve`, `status is done and tests exists`; empty for what always holds."""
    text = _told(condition)
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"


def verdict(step: Step, parser: Parser, parsed: Json) -> str:
    """What a reply comes to in a word: what the step's conditions look at, or else its first enum."""
    ways = [one.condition for one in (*step.transitions, *step.exits)]
    asked = [one.names for way in ways for one in _compared(way) if not one.is_global]
    if isinstance(parser, Object):
        words = [name for name, one in parser.properties.items() if isinstance(one, Text) and one.enum]
        asked += [("parsed", name) for name in words]
    for names in asked:
        text = scalar_text(read({"parsed": parsed}, names))
        if text and len(text) <= _LONGEST:
            return text
    return ""


def _compared(condition: Condition) -> Iterator[Field]:
    match condition:
        case AnyOf(conditions) | AllOf(conditions):
            for one in conditions:
                yield from _compared(one)
        case Field():
            yield condition
        case _:
            pass


def _told(condition: Condition) -> str:
    match condition:
        case Always():
            return ""
        case AnyOf(conditions):
            return " or ".join(_told(one) or "always" for one in conditions)
        case AllOf(conditions):
            return " and ".join(_nested(one) for one in conditions)
        case Field():
            return _comparison(condition)


def _nested(condition: Condition) -> str:
    text = _told(condition) or "always"
    return f"({text})" if isinstance(condition, AnyOf) and len(condition.conditions) > 1 else text


def _comparison(one: Field) -> str:
    name = one.field.removeprefix("parsed.").removeprefix("@")
    said: list[str] = []
    if one.equals is not None:
        said.append(f"is {scalar_text(one.equals)}")
    if one.not_equals is not None:
        said.append(f"is not {scalar_text(one.not_equals)}")
    if one.includes is not None:
        said.append(f'contains "{one.includes}"')
    if one.within is not None:
        said.append(f"is one of {', '.join(str(scalar_text(each)) for each in one.within)}")
    if one.not_within is not None:
        said.append(f"is none of {', '.join(str(scalar_text(each)) for each in one.not_within)}")
    if one.matches is not None:
        said.append(f"matches /{one.matches}/")
    if one.exists is not None:
        said.append("is there" if one.exists else "is not there")
    return f"{name} {' and '.join(said)}"
