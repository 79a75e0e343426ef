"""Answering: what a person types becomes an answer that fits its question."""

from __future__ import annotations

import getpass
from collections.abc import Mapping, Sequence
from typing import Any, cast

from quintet.cli.given import split, text_of, value_of
from quintet.cli.refusal import Refusal
from quintet.engine.values import Json
from quintet.problems.wording import quoted, visible
from quintet.record import Open

Field = Mapping[str, Any]

_TRUTH = {"true": True, "yes": True, "false": False, "no": False}


def chosen(asked: Sequence[Open], question: str | None) -> Open | None:
    """The question that is meant; None where that is not clear, so that the store says why."""
    if question is None:
        return asked[0] if len(asked) == 1 else None
    return next((one for one in asked if question in (one.target, one.path)), None)


def answer_of(question: Open, values: Sequence[str]) -> Json:
    """What the values say, each in the type of its field."""
    fields = cast("Sequence[Field]", question.fields)
    if not values and any(field["required"] for field in fields or [{"required": True}]):
        raise Refusal(f"an answer is missing: {visible(question.prompt)}", _how(question))
    if not fields:
        return _bare(question, values)
    types = {str(field["name"]): str(field["type"]) for field in fields}
    if len(fields) == len(values) == 1 and "=" not in values[0]:
        (name,) = types
        return {name: _typed(values[0], types[name])}
    return {key: _typed(text, types.get(key, "json")) for key, text in split(values)}


def author() -> str:
    """Who answers, as the log will say."""
    try:
        return getpass.getuser()
    except (OSError, KeyError):  # nobody knows this user's name
        return ""


def _bare(question: Open, values: Sequence[str]) -> Json:
    if len(values) != 1:
        raise Refusal(f"this question takes one answer, not {len(values)}: {visible(question.prompt)}")
    return value_of(text_of(values[0], "the answer"))


def _typed(text: str, type_: str) -> Json:
    """A text as the type of its field reads it; what does not fit is refused by the question itself."""
    text_of(text, "the answer")
    match type_:
        case "text" | "choice":
            return text
        case "boolean":
            return _TRUTH.get(text.lower(), text)
        case _:
            return value_of(text)


def _how(question: Open) -> str:
    names = [f"{field['name']}=…" for field in cast("Sequence[Field]", question.fields)]
    return f"give {' '.join(names) or 'one VALUE'}" + (
        f"  (asked at {quoted(question.path)})" if question.path else ""
    )
