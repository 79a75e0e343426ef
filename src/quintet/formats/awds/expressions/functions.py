"""Functions: the few that an expression may call, as those know them who write GitHub's workflows.

`contains`, `startsWith` and `endsWith` compare without regard to case, as they do there.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final, cast

from quintet.engine.values import Json
from quintet.formats.awds.expressions.values import (
    Value,
    is_list,
    json_text,
    loosely_equal,
    to_text,
)

MOST_TEXT: Final = 4 * 1024 * 1024
"""Characters of a text that an expression makes."""
_DEEPEST: Final = 100
_PLACE = re.compile(r"\{\{|\}\}|\{([0-9]{1,3})\}|[{}]")


class WrongCall(ValueError):
    """A function cannot do what it is asked."""


@dataclass(frozen=True, slots=True)
class Function:
    usage: str
    least: int
    most: int | None
    perform: Callable[[Sequence[Value]], Value]


def bounded(size: int) -> None:
    """Raises WrongCall where a text would be longer than there is room for."""
    if size > MOST_TEXT:
        raise WrongCall(f"it would make a text of more than {MOST_TEXT:,} characters")


def _contains(given: Sequence[Value]) -> Value:
    where, what = given
    if is_list(where):
        return any(_same(item, what) for item in cast("Sequence[Value]", where))
    return _folded(what) in _folded(where)


def _same(one: Value, other: Value) -> bool:
    if isinstance(one, str) and isinstance(other, str):
        return one.lower() == other.lower()
    return loosely_equal(one, other)


def _starts_with(given: Sequence[Value]) -> Value:
    return _folded(given[0]).startswith(_folded(given[1]))


def _ends_with(given: Sequence[Value]) -> Value:
    return _folded(given[0]).endswith(_folded(given[1]))


def _folded(value: Value) -> str:
    return _plain(value).lower()


def _plain(value: Value) -> str:
    """A value as a text; what is not there is an empty one."""
    return to_text([value])  # pyright: ignore[reportArgumentType]: a list may hold what is undefined


def _format(given: Sequence[Value]) -> Value:
    pattern, values = _plain(given[0]), [_plain(value) for value in given[1:]]
    made: list[str] = []
    at = size = 0
    for found in _PLACE.finditer(pattern):
        made += [pattern[at : found.start()], _placed(found, values)]
        at = found.end()
        size += len(made[-1]) + len(made[-2])
        bounded(size)
    return "".join([*made, pattern[at:]])


def _placed(found: re.Match[str], values: Sequence[str]) -> str:
    if found[1] is None and len(found[0]) == 2:
        return found[0][0]
    if found[1] is None:
        raise WrongCall(f"a single {found[0]!r} is written {found[0] * 2!r}")
    if int(found[1]) >= len(values):
        raise WrongCall(f"there is nothing for {found[0]}")
    return values[int(found[1])]


def _join(given: Sequence[Value]) -> Value:
    if not is_list(given[0]):
        return _plain(given[0])
    parts = [_plain(item) for item in cast("Sequence[Value]", given[0])]
    between = _plain(given[1]) if len(given) > 1 else ","
    bounded(sum(map(len, parts)) + len(between) * len(parts))
    return between.join(parts)


def _to_json(given: Sequence[Value]) -> Value:
    return json_text(given[0])


def _from_json(given: Sequence[Value]) -> Value:
    try:
        return read_json(_plain(given[0]))
    except ValueError:  # its words are Python's, and change with it
        raise WrongCall("the text is no JSON, or nested too deep") from None


def read_json(text: str) -> Json:
    """The value that a text is.  Raises ValueError where it is none, or nested too deep."""
    try:
        value: Json = json.loads(text, parse_constant=_no_json)
    except RecursionError:
        raise ValueError("it is nested too deep") from None
    level: list[Json] = [value]
    for _ in range(_DEEPEST):
        level = [inner for one in level for inner in _within(one)]
    if level:
        raise ValueError(f"it is nested deeper than {_DEEPEST}")
    return value


def _within(value: Json) -> Iterable[Json]:
    if isinstance(value, dict):
        return value.values()
    return value if isinstance(value, list) else ()


def _no_json(constant: str) -> Json:
    raise ValueError(f"{constant} is not JSON")


FUNCTIONS: Final = {
    "contains": Function("contains(list or text, what)", 2, 2, _contains),
    "startsWith": Function("startsWith(text, beginning)", 2, 2, _starts_with),
    "endsWith": Function("endsWith(text, end)", 2, 2, _ends_with),
    "format": Function("format('… {0} … {1}', value, …)", 1, None, _format),
    "join": Function("join(list, between)", 1, 2, _join),
    "toJSON": Function("toJSON(value)", 1, 1, _to_json),
    "fromJSON": Function("fromJSON(text)", 1, 1, _from_json),
}
