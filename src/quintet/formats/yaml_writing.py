"""Writing YAML: a value as a text that a person likes to read and may edit.

Texts of several lines stand as blocks, short maps and lists on one line, and keys keep their order.  What is
written is read back by our own reader as exactly the value that it was.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from quintet.engine.values import Json

SHORTEST_BLOCK: Final = 70
"""A map or a list that takes no more characters stands on one line, if it holds no other."""

_PLAIN = re.compile(r"[A-Za-zÀ-ɏ](?:[\w ,.;()'!?+*/=$%&\"°€–—…<>~-]|:(?=[\w/])|(?<! )#)*(?<! )")
_PLAIN_IN_FLOW = re.compile(r"[A-Za-z][\w./-]*(?: [\w./-]+){0,3}")
"""A few words; what is longer has a line of its own."""
_WORDS = frozenset({"null", "true", "false", "yes", "no", "on", "off", "y", "n"})
"""Quoted, though most of them are texts to us: other readers take them for something else."""
_UNPRINTABLE = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff\ud800-\udfff]")
_NO_BLOCK = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff\ud800-\udfff]")
_STEP = "  "


def written(value: Mapping[str, Json]) -> str:
    """The text of a map.

    >>> print(written({"name": "tea", "said": "two\\nlines", "tokens": {"input": 1}}), end="")
    name: tea
    said: |-
      two
      lines
    tokens: {input: 1}
    """
    return "".join(f"{line}\n" for line in _entries(value, ""))


def _entries(value: Mapping[str, Json], pad: str) -> Iterator[str]:
    for key, item in value.items():
        yield from _attached(f"{_key(key)}:", item, pad)


def _attached(label: str, value: Json, pad: str) -> Iterator[str]:
    """A value behind its key, or behind the dash of a list."""
    inline = _inline(value)
    if inline is not None:
        yield f"{pad}{label} {inline}"
    elif isinstance(value, str):
        yield f"{pad}{label} {'|' if value.endswith(chr(10)) else '|-'}"
        for line in value.removesuffix("\n").split("\n"):
            yield f"{pad}{_STEP}{line}" if line else ""
    else:
        lines = _nested(value, pad + _STEP)
        if label == "-":
            yield f"{pad}- {next(lines).removeprefix(pad + _STEP)}"
        else:
            yield f"{pad}{label}"
        yield from lines


def _nested(value: Json, pad: str) -> Iterator[str]:
    if isinstance(value, Mapping):
        yield from _entries(value, pad)
    elif isinstance(value, Sequence):
        for item in value:
            yield from _attached("-", item, pad)


def _inline(value: Json) -> str | None:
    """A value on one line; None where it takes several."""
    match value:
        case str():
            return None if _is_block(value) else _scalar(value, _PLAIN)
        case Mapping():
            items = [_pair(key, item) for key, item in value.items()]
            return _flow(items, "{}")
        case list() | tuple():
            return _flow([_simple(item) for item in value], "[]")
        case _:
            return json.dumps(value)


def _flow(items: Sequence[str | None], brackets: str) -> str | None:
    simple = [item for item in items if item is not None]
    text = f"{brackets[0]}{', '.join(simple)}{brackets[1]}"
    return text if len(simple) == len(items) and (not items or len(text) <= SHORTEST_BLOCK) else None


def _pair(key: str, value: Json) -> str | None:
    simple = _simple(value)
    return None if simple is None else f"{_key(key)}: {simple}"


def _simple(value: Json) -> str | None:
    """What can stand among others on a line: a word or a number, or what is empty."""
    match value:
        case str():
            return value if _PLAIN_IN_FLOW.fullmatch(value) and value.lower() not in _WORDS else None
        case Mapping():
            return None if value else "{}"
        case list() | tuple():
            return None if value else "[]"
        case _:
            return json.dumps(value)


def _is_block(text: str) -> bool:
    """Whether it is best written, and can be, as the lines that it has."""
    stripped = text.removesuffix("\n")
    return (
        "\n" in stripped
        and stripped[0] not in " \n"
        and not stripped.endswith("\n")
        and not _NO_BLOCK.search(text)
    )


def _key(name: str) -> str:
    return _scalar(name, _PLAIN_IN_FLOW)


def _scalar(text: str, plain: re.Pattern[str]) -> str:
    if plain.fullmatch(text) and text.lower() not in _WORDS:
        return text
    quoted = json.dumps(text, ensure_ascii=False)
    return _UNPRINTABLE.sub(lambda found: f"\\u{ord(found[0]):04x}", quoted)
