"""Conditions: what decides whether a transition fires.

"`condition` can be: `'always'`; a field comparison; logical combinators."  A field is a path into the step's
turn or, "prefixed with `@`", into the scope; one that leads nowhere is not there, which is no mistake.  Every
condition holds or does not: none can fail, and none takes longer than in proportion to what it looks at.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from quintet.engine.values import Json
from quintet.formats.hyperagent.javascript import number, scalar_text, trim
from quintet.formats.hyperagent.pattern import found
from quintet.formats.hyperagent.template import Scope, path, read

Operand: TypeAlias = str | int | float | bool


@dataclass(frozen=True, slots=True)
class Always:
    """Holds."""


@dataclass(frozen=True, slots=True)
class AnyOf:
    conditions: tuple[Condition, ...]


@dataclass(frozen=True, slots=True)
class AllOf:
    conditions: tuple[Condition, ...]


@dataclass(frozen=True, slots=True)
class Field:
    """A comparison; of several comparators, all must hold."""

    field: str
    equals: Operand | None = None
    not_equals: Operand | None = None
    includes: str | None = None
    within: tuple[Operand, ...] | None = None
    not_within: tuple[Operand, ...] | None = None
    matches: str | None = None
    exists: bool | None = None
    case_sensitive: bool = False

    @property
    def is_global(self) -> bool:
        """ "`field` values prefixed with `@` read from the global scope instead of the current step." """
        return self.field.startswith("@")

    @property
    def names(self) -> tuple[str, ...]:
        return path(self.field.removeprefix("@"))


Condition: TypeAlias = Always | AnyOf | AllOf | Field


def holds(condition: Condition, turn: Scope, scope: Scope) -> bool:
    """Whether a condition holds after a turn."""
    match condition:
        case Always():
            return True
        case AnyOf(conditions):
            return any(holds(one, turn, scope) for one in conditions)
        case AllOf(conditions):
            return all(holds(one, turn, scope) for one in conditions)
        case Field():
            value = read(scope if condition.is_global else turn, condition.names)
            return all(verdict(value, condition) for verdict in _VERDICTS)


def equal(value: Json, operand: Operand, case_sensitive: bool) -> bool:
    """What `equals` means: the kind of the operand decides how a value is looked at."""
    match operand:
        case bool():
            return _as_truth(value) is operand
        case int() | float():
            return _as_number(value) == float(operand)
        case str():
            text = scalar_text(value)
            return text is not None and _cased(text, case_sensitive) == _cased(operand, case_sensitive)


def exists(value: Json) -> bool:
    """`0`, `false` and empty lists are there; null and the empty text are not."""
    return value is not None and value != ""


def _as_truth(value: Json) -> bool | None:
    if isinstance(value, str):
        return {"true": True, "false": False}.get(trim(value).lower())
    return value if isinstance(value, bool) else None


def _as_number(value: Json) -> float | None:
    if isinstance(value, str):
        return number(value)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        return float(value)
    except OverflowError:
        return None


def _cased(text: str, case_sensitive: bool) -> str:
    return text if case_sensitive else text.lower()


def _equals(value: Json, one: Field) -> bool:
    return one.equals is None or equal(value, one.equals, one.case_sensitive)


def _not_equals(value: Json, one: Field) -> bool:
    return one.not_equals is None or not equal(value, one.not_equals, one.case_sensitive)


def _includes(value: Json, one: Field) -> bool:
    """A part of a text; no member of a list."""
    if one.includes is None:
        return True
    text = scalar_text(value)
    return text is not None and _cased(one.includes, one.case_sensitive) in _cased(text, one.case_sensitive)


def _within(value: Json, one: Field) -> bool:
    return one.within is None or any(equal(value, each, one.case_sensitive) for each in one.within)


def _not_within(value: Json, one: Field) -> bool:
    return one.not_within is None or not any(
        equal(value, each, one.case_sensitive) for each in one.not_within
    )


def _matches(value: Json, one: Field) -> bool:
    """An empty pattern asks for nothing."""
    if not one.matches:
        return True
    text = scalar_text(value)
    return text is not None and found(one.matches, text, one.case_sensitive)


def _exists(value: Json, one: Field) -> bool:
    return one.exists is None or exists(value) is one.exists


_VERDICTS = (_equals, _not_equals, _includes, _within, _not_within, _matches, _exists)
