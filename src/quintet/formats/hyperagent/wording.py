"""Wording: conditions as people read them, in pictures and outlines."""

from __future__ import annotations

from quintet.formats.hyperagent.condition import AllOf, Always, AnyOf, Condition, Field
from quintet.formats.hyperagent.javascript import scalar_text

_LONGEST = 60


def told(condition: Condition) -> str:
    """`verdict is approve`, `status is done and tests exists`; empty for what always holds."""
    text = _told(condition)
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"


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
