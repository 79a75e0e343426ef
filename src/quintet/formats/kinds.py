"""Kinds: more of what may stand behind a key, beside those of `shape`."""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite
from typing import Final

from quintet.engine.values import Json
from quintet.formats.codes import OUT_OF_RANGE
from quintet.formats.report import Report
from quintet.formats.shape import Schema, Wrong, wrong_type
from quintet.formats.tree import Scalar, Value, plain
from quintet.problems.wording import quoted


@dataclass(frozen=True, slots=True)
class Anything:
    """Any value at all."""

    def read(self, value: Value, name: str, report: Report) -> Json:
        return plain(value)

    def schema(self) -> Schema:
        return {}


@dataclass(frozen=True, slots=True)
class Something:
    """Any value but null."""

    def read(self, value: Value, name: str, report: Report) -> Json:
        if isinstance(value, Scalar) and value.value is None:
            raise wrong_type(value, name, "a text, a map or a list", report)
        return plain(value)

    def schema(self) -> Schema:
        return {"not": {"type": "null"}}


@dataclass(frozen=True, slots=True)
class Truth:
    def read(self, value: Value, name: str, report: Report) -> bool:
        if isinstance(value, Scalar) and isinstance(value.value, bool):
            return value.value
        raise wrong_type(value, name, "true or false", report)

    def schema(self) -> Schema:
        return {"type": "boolean"}


@dataclass(frozen=True, slots=True)
class Number:
    """A number, whole or not."""

    low: float | None = None

    def read(self, value: Value, name: str, report: Report) -> float:
        match value:
            case Scalar(int() | float() as number) if not isinstance(number, bool) and isfinite(number):
                if self.low is None or number >= self.low:
                    return float(number)
                report.add(
                    OUT_OF_RANGE, f"{quoted(name)} must be at least {self.low}, and is {number}", value
                )
                raise Wrong
            case _:
                raise wrong_type(value, name, "a number", report)

    def schema(self) -> Schema:
        return {"type": "number"} if self.low is None else {"type": "number", "minimum": self.low}


ANYTHING: Final = Anything()
SOMETHING: Final = Something()
TRUTH: Final = Truth()
