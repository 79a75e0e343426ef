"""Parsers: the compact schemas that say what a role's reply, or an input, must look like.

"Define parser shapes in `parsers` using a compact JSON schema that supports `string`, `number`, `boolean`,
`unknown`, `array`, and `object` types."  Nothing is converted: a number in quotes is a text.  What a parser
gives holds only what it declares; a default stands in for what is missing, never for null.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Final, TypeAlias

from quintet.engine.values import Json
from quintet.formats.hyperagent.javascript import length


class Absent(Enum):
    """What is not there, where null is something."""

    ABSENT = "absent"


ABSENT: Final = Absent.ABSENT
Default: TypeAlias = "Json | Absent"
MOST_PROBLEMS: Final = 10
"""So many problems are told at a time."""


@dataclass(frozen=True, slots=True)
class Unknown:
    """Anything."""

    default: Default = ABSENT


@dataclass(frozen=True, slots=True)
class Text:
    enum: tuple[str, ...] | None = None
    min_length: int | None = None
    max_length: int | None = None
    default: Default = ABSENT


@dataclass(frozen=True, slots=True)
class Number:
    enum: tuple[float, ...] | None = None
    minimum: float | None = None
    maximum: float | None = None
    integer: bool = False
    default: Default = ABSENT


@dataclass(frozen=True, slots=True)
class Boolean:
    default: Default = ABSENT


@dataclass(frozen=True, slots=True)
class Array:
    items: Parser
    default: Default = ABSENT


@dataclass(frozen=True, slots=True)
class Object:
    properties: Mapping[str, Parser]
    required: frozenset[str] = frozenset()
    is_closed: bool = False
    """Whether other keys are refused; else they are left out."""
    default: Default = ABSENT


Parser: TypeAlias = Unknown | Text | Number | Boolean | Array | Object


@dataclass(slots=True)
class Problems:
    """What is wrong with a value, each with the path to it."""

    found: list[str] = field(default_factory=list[str])

    def add(self, at: Sequence[str | int], message: str) -> None:
        if len(self.found) < MOST_PROBLEMS:
            self.found.append(f"{_path(at)}: {message}" if at else message)


def parsed(parser: Parser, value: Json) -> tuple[Json, Sequence[str]]:
    """What a value comes to, and what is wrong with it."""
    problems = Problems()
    return _parsed(parser, value, (), problems), problems.found


def inputs_parsed(declared: Mapping[str, Parser], given: Mapping[str, Json]) -> tuple[Json, Sequence[str]]:
    """The same of inputs: "keys without a `default` are required"."""
    return parsed(Object(declared, frozenset(declared)), given)


def _parsed(parser: Parser, value: Json, at: tuple[str | int, ...], problems: Problems) -> Json:
    match parser:
        case Unknown():
            return value
        case Text():
            return _text(parser, value, at, problems)
        case Number():
            return _number(parser, value, at, problems)
        case Boolean():
            if not isinstance(value, bool):
                problems.add(at, f"expected boolean, received {_kind(value)}")
            return value
        case Array(items):
            return _array(items, value, at, problems)
        case Object():
            return _object(parser, value, at, problems)


def _text(parser: Text, value: Json, at: tuple[str | int, ...], problems: Problems) -> Json:
    if not isinstance(value, str):
        problems.add(at, f"expected string, received {_kind(value)}")
    elif parser.enum is not None:  # then the length counts for nothing
        if value not in parser.enum:
            problems.add(at, f"expected one of {', '.join(parser.enum)}")
    elif parser.min_length is not None and length(value) < parser.min_length:
        problems.add(at, f"expected at least {parser.min_length:,} characters")
    elif parser.max_length is not None and length(value) > parser.max_length:
        problems.add(at, f"expected at most {parser.max_length:,} characters")
    return value


def _number(parser: Number, value: Json, at: tuple[str | int, ...], problems: Problems) -> Json:
    if isinstance(value, bool) or not isinstance(value, int | float):
        problems.add(at, f"expected number, received {_kind(value)}")
    elif parser.enum is not None:  # then the limits count for nothing
        if value not in parser.enum:
            problems.add(at, f"expected one of {', '.join(map(str, parser.enum))}")
    elif parser.integer and value != int(value):
        problems.add(at, "expected a whole number")
    elif parser.minimum is not None and value < parser.minimum:
        problems.add(at, f"expected at least {parser.minimum}")
    elif parser.maximum is not None and value > parser.maximum:
        problems.add(at, f"expected at most {parser.maximum}")
    return value


def _array(items: Parser, value: Json, at: tuple[str | int, ...], problems: Problems) -> Json:
    if isinstance(value, str | Mapping) or not isinstance(value, Sequence):
        problems.add(at, f"expected array, received {_kind(value)}")
        return value
    return [_parsed(items, item, (*at, number), problems) for number, item in enumerate(value)]


def _object(parser: Object, value: Json, at: tuple[str | int, ...], problems: Problems) -> Json:
    if not isinstance(value, Mapping):
        problems.add(at, f"expected object, received {_kind(value)}")
        return value
    found: dict[str, Json] = {}
    for name, one in parser.properties.items():
        if name in value:
            found[name] = _parsed(one, value[name], (*at, name), problems)
        elif not isinstance(one.default, Absent):
            found[name] = one.default  # as it is: nothing checks it again
        elif name in parser.required:
            problems.add((*at, name), f"expected {_named(one)}, received undefined")
    if parser.is_closed and (others := [name for name in value if name not in parser.properties]):
        problems.add(at, f"unrecognized keys: {', '.join(others)}")
    return found


def _named(parser: Parser) -> str:
    match parser:
        case Unknown():
            return "a value"
        case Text():
            return "string"
        case Number():
            return "number"
        case Boolean():
            return "boolean"
        case Array():
            return "array"
        case Object():
            return "object"


def _kind(value: Json) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return "boolean"
        case str():
            return "string"
        case int() | float():
            return "number"
        case Mapping():
            return "object"
        case _:
            return "array"


def _path(at: Sequence[str | int]) -> str:
    return ".".join(map(str, at))
