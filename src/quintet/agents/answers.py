"""Answers that must be values: a model's text is read as JSON, and checked against the schema it was given.

What a provider promises of structured output is not trusted: whatever answers, a model, a stand-in or a
recording, its text comes through here, and what is wrong with it is told to the model in words.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any, Final, NamedTuple

from quintet.engine.values import Json, encode

MOST_PROBLEMS: Final = 10
"""So many problems are told at a time."""
DEEPEST: Final = 100
"""So deep may an answer be nested: a checker that recurses must not be led into the ground."""

_FENCED = re.compile(r"\s*```[a-zA-Z]*[ \t]*\n(.*?)\n?[ \t]*```\s*", re.DOTALL)


class Verdict(NamedTuple):
    """What a text comes to."""

    value: Json = None
    problem: str | None = None
    """What is wrong with it, in words for the model; None where nothing is."""


class BadSchema(ValueError):
    """A schema that is none."""

    def __init__(self, message: str, path: Sequence[str | int] = ()) -> None:
        super().__init__(message)
        self.path = path
        """Where in the schema."""


def judged(text: str, schema: Mapping[str, Json]) -> Verdict:
    """The value in a text, or why there is none that fits.  Raises BadSchema.

    >>> judged('```json\\n{"a": 1}\\n```', {"required": ["a"]}).value
    {'a': 1}
    >>> judged('{"a": 1}', {"required": ["b"]}).problem
    '"b" is a required property'
    """
    try:
        value: Json = json.loads(_bare(text), parse_constant=_no_json)
    except (ValueError, RecursionError) as error:
        return Verdict(problem=f"it is no JSON: {error}")
    if _is_too_deep(value):
        return Verdict(problem=f"it is nested deeper than {DEEPEST}")
    problems = _checker(encode(schema))(value)
    return Verdict(problem="; ".join(problems)) if problems else Verdict(value)


def worth(text: str, schema: Mapping[str, Json]) -> dict[str, Json]:
    """The same, as a reply says it."""
    verdict = judged(text, schema)
    return {"value": verdict.value} if verdict.problem is None else {"problem": verdict.problem}


def check_schema(schema: Mapping[str, Json]) -> None:
    """Raises BadSchema where it is none."""
    _checker(encode(schema))


def repair(problem: str) -> str:
    """What a model is told whose answer does not fit."""
    return (
        f"Your answer could not be used: {problem}. "
        "Answer again with nothing but JSON that satisfies the schema: no code fence, no commentary."
    )


@lru_cache(maxsize=256)
def _checker(schema: str) -> Callable[[Json], list[str]]:
    """What finds the problems of a value."""
    import jsonschema_rs

    try:  # offline: a reference to another document is never fetched
        validator: Any = jsonschema_rs.validator_for(json.loads(schema), offline=True, validate_formats=True)
    except jsonschema_rs.ValidationError as error:
        raise BadSchema(error.message, error.instance_path) from error
    except (ValueError, RecursionError) as error:
        raise BadSchema(str(error)) from error

    def problems(value: Json) -> list[str]:
        found: list[str] = []
        for error in validator.iter_errors(value):
            place = "".join(f"/{step}" for step in error.instance_path)
            found.append(f"at {place}: {error.message}" if place else str(error.message))
            if len(found) == MOST_PROBLEMS:
                break
        return found

    return problems


def _bare(text: str) -> str:
    """A text without the code fence around it."""
    fenced = _FENCED.fullmatch(text)
    return fenced[1] if fenced else text


def _is_too_deep(value: Json) -> bool:
    level: list[Json] = [value]
    for _ in range(DEEPEST):
        level = [inner for one in level for inner in _within(one)]
    return bool(level)


def _within(value: Json) -> list[Json]:
    match value:
        case dict():
            return list(value.values())
        case list():
            return value
        case _:
            return []


def _no_json(constant: str) -> Json:
    raise ValueError(f"{constant} is not JSON")
