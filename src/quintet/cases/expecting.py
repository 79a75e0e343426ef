"""Expecting: what is said of a run, held against what came of it.

A map asks for what it names and leaves all else open; a list and everything else has to be just so.  In the
place of any value may stand a map that says what the value is like: `{contains: …}`, `{matches: …}` with a
regular expression, `{equals: …}` for a map that has to be just so as well.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from difflib import unified_diff
from functools import lru_cache
from typing import Any, Final, cast

from quintet.engine.values import Json, encode

LIKE: Final = ("equals", "contains", "matches")
"""What a value may be said to be like."""
LONGEST: Final = 200
"""Characters of a value that are shown."""
MOST: Final = 40
"""Lines of a difference that are shown."""


class BadPattern(ValueError):
    """No regular expression."""


def differences(expected: Json, actual: Json, where: str) -> Iterator[str]:
    """What is not as it is expected to be, in lines."""
    if is_like(expected):
        yield from _unlike(cast("Mapping[str, Json]", expected), actual, where)
    elif isinstance(expected, Mapping):
        yield from _within(expected, actual, where)
    elif isinstance(expected, list | tuple):
        yield from _in_order(cast("Sequence[Json]", expected), actual, where)
    elif encode(expected) != encode(actual):
        yield from _other(expected, actual, where)


def is_like(expected: Json) -> bool:
    """Whether it says what a value is like."""
    return isinstance(expected, Mapping) and bool(expected) and set(expected) <= set(LIKE)


@lru_cache(maxsize=256)
def pattern(text: str) -> Any:
    """What finds a regular expression in a text, in a time that grows no faster than the text.

    Raises BadPattern.
    """
    import jsonschema_rs

    try:
        return jsonschema_rs.validator_for(
            {"type": "string", "pattern": text}, pattern_options=jsonschema_rs.RegexOptions()
        )
    except (ValueError, RecursionError) as error:
        raise BadPattern(f"{text!r} is no regular expression") from error


def _unlike(like: Mapping[str, Json], actual: Json, where: str) -> Iterator[str]:
    if "equals" in like and encode(like["equals"]) != encode(actual):
        yield from _other(like["equals"], actual, where)
    if "contains" in like:
        wanted = like["contains"]
        for piece in cast("Sequence[Json]", wanted if isinstance(wanted, list | tuple) else [wanted]):
            if not _contains(actual, piece):
                yield f"{where} does not contain {_shown(piece)}:"
                yield f"  {_shown(actual)}"
    if "matches" in like and not (
        isinstance(actual, str) and pattern(cast(str, like["matches"])).is_valid(actual)
    ):
        yield f"{where} does not match {_shown(like['matches'])}:"
        yield f"  {_shown(actual)}"


def _contains(actual: Json, piece: Json) -> bool:
    if isinstance(actual, str):
        return isinstance(piece, str) and piece in actual
    if isinstance(actual, list | tuple):
        return any(encode(item) == encode(piece) for item in actual)
    return isinstance(actual, Mapping) and piece in actual


def _within(expected: Mapping[str, Json], actual: Json, where: str) -> Iterator[str]:
    if not isinstance(actual, Mapping):
        yield from _other(expected, actual, where)
        return
    for key, value in expected.items():
        place = f"{where}.{key}" if where else key
        if key not in actual and value is not None:
            yield f"{place} is missing"
        else:
            yield from differences(value, actual.get(key), place)


def _in_order(expected: Sequence[Json], actual: Json, where: str) -> Iterator[str]:
    if not isinstance(actual, list | tuple) or len(actual) != len(expected):
        yield from _other(expected, actual, where)
        return
    for number, (one, other) in enumerate(zip(expected, cast("Sequence[Json]", actual), strict=True)):
        yield from differences(one, other, f"{where}[{number}]")


def _other(expected: Json, actual: Json, where: str) -> Iterator[str]:
    """Both, line by line: what was expected with a minus before it, what came with a plus."""
    yield f"{where} is not as expected:"
    old, new = _lines(expected), _lines(actual)
    if old == new:  # the same in words, and of another kind
        old, new = [encode(expected)], [encode(actual)]
    shown = [line for line in unified_diff(old, new, lineterm="", n=2) if not line.startswith(_HEADS)]
    yield from (f"  {line}" for line in shown[:MOST])
    if len(shown) > MOST:
        yield f"  … and {len(shown) - MOST:,} lines more"


_HEADS = ("--- ", "+++ ", "@@")


def _lines(value: Json) -> list[str]:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=2)
    return text.split("\n")


def _shown(value: Json) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"
