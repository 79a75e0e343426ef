"""Kinds: what may stand behind the keys of a Hyperagent workflow, beside what all formats share."""

from __future__ import annotations

from collections.abc import Sized
from dataclasses import dataclass
from typing import Final, Generic, TypeVar

from quintet.formats.hyperagent.codes import EMPTY_VALUE
from quintet.formats.hyperagent.condition import Operand
from quintet.formats.report import Report
from quintet.formats.shape import TEXT, Kind, Schema, Wrong, wrong_type
from quintet.formats.tables import Table
from quintet.formats.tree import List, Map, Scalar, Value, head
from quintet.problems.wording import quoted

S = TypeVar("S", bound=Sized)
_LEAST: Final = {"string": "minLength", "array": "minItems", "object": "minProperties"}


@dataclass(frozen=True, slots=True)
class Filled(Generic[S]):
    """Another kind, and something in it."""

    kind: Kind[S]
    message: str = ""
    """What to say where it is empty."""

    def read(self, value: Value, name: str, report: Report) -> S:
        found = self.kind.read(value, name, report)
        if _is_empty(value):
            at = value if isinstance(value, Scalar) else head(value)
            report.add(EMPTY_VALUE, self.message or f"{quoted(name)} must not be empty", at)
            raise Wrong
        return found

    def schema(self) -> Schema:
        schema = self.kind.schema()
        return {**schema, _LEAST[str(schema["type"])]: 1}


@dataclass(frozen=True, slots=True)
class Figure:
    """A number, as it is."""

    def read(self, value: Value, name: str, report: Report) -> float:
        if isinstance(value, Scalar) and type(value.value) in (int, float):
            number = value.value
            assert isinstance(number, int | float)
            return number
        raise wrong_type(value, name, "a number", report)

    def schema(self) -> Schema:
        return {"type": "number"}


@dataclass(frozen=True, slots=True)
class Comparand:
    """What a value is compared with."""

    def read(self, value: Value, name: str, report: Report) -> Operand:
        if isinstance(value, Scalar) and value.value is not None:
            return value.value
        raise wrong_type(value, name, "a text, a number, true or false", report)

    def schema(self) -> Schema:
        return {"type": ["string", "number", "boolean"]}


def _is_empty(value: Value) -> bool:
    match value:
        case Scalar(scalar):
            return scalar == ""
        case List(items):
            return not items
        case Map(entries):
            return not entries


NAME: Final = Filled(TEXT)
FIGURE: Final = Figure()
COMPARAND: Final = Comparand()
TEMPLATES: Final = Table(TEXT, "a map of templates")
