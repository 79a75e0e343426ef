"""The shape of parsers: how a file writes the compact schemas of replies and inputs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from quintet.engine.values import Json
from quintet.formats.codes import MISSING_KEY
from quintet.formats.hyperagent.kinds import FIGURE, Filled
from quintet.formats.hyperagent.parser import (
    ABSENT,
    Array,
    Boolean,
    Default,
    Number,
    Object,
    Parser,
    Text,
    Unknown,
)
from quintet.formats.kinds import ANYTHING, TRUTH
from quintet.formats.report import Report
from quintet.formats.shape import TEXT, Choice, Fields, Key, ListOf, Schema, Shape, Whole, wrong_type
from quintet.formats.tables import Table
from quintet.formats.tree import List, Map, Scalar, Value, head, plain

TYPES: Final = ("string", "number", "boolean", "unknown", "array", "object")
REF: Final = "#/$defs/parser"


class ParserKind:
    """A parser, whatever its type."""

    def read(self, value: Value, name: str, report: Report) -> Parser:
        if not isinstance(value, Map):
            raise wrong_type(value, name, 'a parser, such as {"type": "string"}', report)
        kind = value.get("type")
        if kind is None:
            report.add(
                MISSING_KEY, "a parser needs the key 'type'", head(value), f"one of {', '.join(TYPES)}"
            )
            return Unknown()
        word = Choice(TYPES).read(kind, "type", report)
        return _made(word, SHAPES[word].read(value, name, report))

    def schema(self) -> Schema:
        return {"$ref": REF}


class InputKind(ParserKind):
    """A parser of an input; a bare text declares a text that is that by default."""

    def read(self, value: Value, name: str, report: Report) -> Parser:
        if isinstance(value, Scalar) and isinstance(value.value, str):
            return Text(default=value.value)
        return super().read(value, name, report)

    def schema(self) -> Schema:
        return {"anyOf": [{"$ref": REF}, {"type": "string"}]}


@dataclass(frozen=True, slots=True)
class Composite:
    """A default that is a list, or a map."""

    node: type[List] | type[Map]

    def read(self, value: Value, name: str, report: Report) -> Json:
        if not isinstance(value, self.node):
            raise wrong_type(value, name, "a list" if self.node is List else "a map", report)
        return plain(value)

    def schema(self) -> Schema:
        return {"type": "array" if self.node is List else "object"}


PARSER: Final = ParserKind()
INPUT: Final = InputKind()

_COUNT = Whole(0, 2**53)
_ABSENT: Any = ABSENT
TYPE = Key("type", Choice(TYPES), "unknown", "What kind of value it is.", required=True)
MIN_LENGTH: Key[int | None] = Key("minLength", _COUNT, None, "How many characters at least.")
MAX_LENGTH: Key[int | None] = Key("maxLength", _COUNT, None, "How many characters at most.")
WORDS: Key[tuple[str, ...] | None] = Key(
    "enum", Filled(ListOf(TEXT, "a value")), None, "The texts it may be."
)
FIGURES: Key[tuple[float, ...] | None] = Key(
    "enum", Filled(ListOf(FIGURE, "a value")), None, "The numbers it may be."
)
MINIMUM: Key[float | None] = Key("minimum", FIGURE, None, "How large it is at least.")
MAXIMUM: Key[float | None] = Key("maximum", FIGURE, None, "How large it is at most.")
INTEGER = Key("integer", TRUTH, False, "Whether it is a whole number.")
ITEMS: Key[Parser] = Key("items", PARSER, Unknown(), "What each item is.", required=True)
_NOTHING: Mapping[str, Parser] = {}
PROPERTIES: Key[Mapping[str, Parser]] = Key(
    "properties", Table(PARSER, "a map of parsers"), _NOTHING, "What it holds, by name.", required=True
)
_NO_NAMES: tuple[str, ...] = ()
REQUIRED: Key[tuple[str, ...]] = Key(
    "required", ListOf(TEXT, "a name"), _NO_NAMES, "Which of these must be there."
)
ADDITIONAL = Key("additionalProperties", TRUTH, True, "false: others are refused; else they are left out.")
_ABOUT = "What stands in for it where it is missing."


def _default(kind: Any) -> Key[Default]:
    return Key("default", kind, _ABSENT, _ABOUT)


DEFAULT = _default(ANYTHING)


def _shape(word: str, *keys: Key[Any]) -> Shape:
    described = Key("type", Choice((word,)), word, TYPE.about, required=True)
    return Shape(f"a parser of type {word}", (described, *keys), passing="x-")


SHAPES: Final = {
    "unknown": _shape("unknown", DEFAULT),
    "string": _shape("string", WORDS, MIN_LENGTH, MAX_LENGTH, _default(TEXT)),
    "number": _shape("number", FIGURES, MINIMUM, MAXIMUM, INTEGER, _default(FIGURE)),
    "boolean": _shape("boolean", _default(TRUTH)),
    "array": _shape("array", ITEMS, _default(Composite(List))),
    "object": _shape("object", PROPERTIES, REQUIRED, ADDITIONAL, _default(Composite(Map))),
}


def definition() -> Schema:
    """The JSON Schema of all of them, for `$defs`."""
    return {"anyOf": [shape.schema() for shape in SHAPES.values()]}


def _made(word: str, fields: Fields) -> Parser:
    default = fields[DEFAULT]
    match word:
        case "string":
            return Text(fields[WORDS], fields[MIN_LENGTH], fields[MAX_LENGTH], default)
        case "number":
            return Number(fields[FIGURES], fields[MINIMUM], fields[MAXIMUM], fields[INTEGER], default)
        case "boolean":
            return Boolean(default)
        case "array":
            return Array(fields[ITEMS], default)
        case "object":
            closed = not fields[ADDITIONAL]
            return Object(fields[PROPERTIES], frozenset(fields[REQUIRED]), closed, default)
        case _:
            return Unknown(default)
