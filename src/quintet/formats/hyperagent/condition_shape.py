"""The shape of conditions: how a file writes when a transition fires."""

from __future__ import annotations

from typing import Final

from quintet.formats.codes import MISSING_KEY
from quintet.formats.hyperagent.codes import IGNORED_KEY, NO_COMPARATOR, PATTERN_INVALID, PATTERN_UNSUPPORTED
from quintet.formats.hyperagent.condition import AllOf, Always, AnyOf, Condition, Field, Operand
from quintet.formats.hyperagent.kinds import COMPARAND, NAME, Filled
from quintet.formats.hyperagent.pattern import Invalid, NotSupported, compile_pattern
from quintet.formats.kinds import TRUTH
from quintet.formats.report import Report
from quintet.formats.shape import TEXT, Fields, Key, ListOf, Schema, Shape, unknown_word, wrong_type
from quintet.formats.tree import Map, Scalar, Value, head
from quintet.problems.wording import quoted

REF: Final = "#/$defs/condition"


class ConditionKind:
    """`"always"`, a comparison, or several conditions."""

    def read(self, value: Value, name: str, report: Report) -> Condition:
        match value:
            case Scalar("always"):
                return Always()
            case Scalar(str(word)):
                raise unknown_word(word, name, ["always"], value, report)
            case Map():
                return _made(SHAPE.read(value, name, report), report)
            case _:
                raise wrong_type(value, name, "'always' or a map", report)

    def schema(self) -> Schema:
        return {"$ref": REF}


CONDITION: Final = ConditionKind()
_NONE: tuple[Condition, ...] = ()
_SEVERAL = Filled(ListOf(CONDITION, "a condition"))
ANY = Key("any", _SEVERAL, _NONE, "Holds if one of these does.")
ALL = Key("all", _SEVERAL, _NONE, "Holds if all of these do.")
FIELD = Key("field", NAME, "", "What is looked at: a path into the step's turn, or with @ into the scope.")
EQUALS: Key[Operand | None] = Key("equals", COMPARAND, None, "It is this.")
NOT_EQUALS: Key[Operand | None] = Key("notEquals", COMPARAND, None, "It is not this.")
INCLUDES: Key[str | None] = Key("includes", TEXT, None, "Its text has this in it.")
_OPERANDS = ListOf(COMPARAND, "a value")
IN: Key[tuple[Operand, ...] | None] = Key("in", _OPERANDS, None, "It is one of these.")
NOT_IN: Key[tuple[Operand, ...] | None] = Key("notIn", _OPERANDS, None, "It is none of these.")
MATCHES: Key[str | None] = Key("matches", TEXT, None, "This regular expression is found in its text.")
EXISTS: Key[bool | None] = Key("exists", TRUTH, None, "Whether it is there: neither null nor an empty text.")
CASE_SENSITIVE = Key("caseSensitive", TRUTH, False, "Whether capitals count.")

COMPARATORS: Final = (EQUALS, NOT_EQUALS, INCLUDES, IN, NOT_IN, MATCHES, EXISTS)
COMPARISON: Final = Shape("a comparison", (FIELD, *COMPARATORS, CASE_SENSITIVE), passing="x-")
SHAPE: Final = Shape(
    "a condition",
    (ANY, ALL, *COMPARISON.keys),
    hints={
        "not": "there is no 'not': use 'notEquals', 'notIn', or 'exists': false",
        "greaterThan": "numbers can only be compared with 'equals' and 'in'",
        "lessThan": "numbers can only be compared with 'equals' and 'in'",
        "startsWith": "use 'matches' with ^",
        "endsWith": "use 'matches' with $",
    },
    passing="x-",
)


def definition() -> Schema:
    """The JSON Schema of all of them, for `$defs`."""
    several = [
        Shape("", (Key(key.name, key.kind, key.default, key.about, required=True),)) for key in (ANY, ALL)
    ]
    named = {"anyOf": [{"required": [key.name]} for key in COMPARATORS]}
    comparison = {**COMPARISON.schema(), "required": ["field"], **named}
    return {"anyOf": [{"const": "always"}, *(shape.schema() for shape in several), comparison]}


def _made(fields: Fields, report: Report) -> Condition:
    """`any` goes before `all`, and both before a comparison."""
    for key, kind in ((ANY, AnyOf), (ALL, AllOf)):
        if fields.given(key):
            _alone(fields, key, report)
            return kind(fields[key]) if fields[key] else Always()
    if not fields.given(FIELD):
        report.add(MISSING_KEY, "a condition needs the key 'field'", head(fields.map), "or 'any', or 'all'")
        return Always()
    if not any(fields.given(key) for key in COMPARATORS):
        message = "At least one comparator must be provided for a field condition."
        report.add(NO_COMPARATOR, message, fields.at(FIELD), f"one of {_names()}")
    _check_pattern(fields, report)
    return Field(
        fields[FIELD],
        fields[EQUALS],
        fields[NOT_EQUALS],
        fields[INCLUDES],
        fields[IN],
        fields[NOT_IN],
        fields[MATCHES],
        fields[EXISTS],
        fields[CASE_SENSITIVE],
    )


def _alone(fields: Fields, first: Key[tuple[Condition, ...]], report: Report) -> None:
    """What stands beside `any` or `all` is never looked at."""
    for key in SHAPE.keys:
        if key is not first and fields.given(key):
            message = f"{quoted(key.name)} has no effect beside {quoted(first.name)}"
            report.add(IGNORED_KEY, message, fields.key_at(key), "nest it, or leave it out")


def _check_pattern(fields: Fields, report: Report) -> None:
    pattern = fields[MATCHES]
    if not pattern:
        return
    try:
        compile_pattern(pattern, fields[CASE_SENSITIVE])
    except NotSupported as error:
        message = f"the pattern {quoted(pattern)} cannot be matched in bounded time: {error}"
        report.add(PATTERN_UNSUPPORTED, message, fields.at(MATCHES))
    except Invalid as error:
        message = f"{quoted(pattern)} is no regular expression, so it never matches: {error}"
        report.add(PATTERN_INVALID, message, fields.at(MATCHES))


def _names() -> str:
    return ", ".join(quoted(key.name) for key in COMPARATORS)
