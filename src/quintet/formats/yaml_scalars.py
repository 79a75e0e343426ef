"""What a YAML scalar stands for: our own rules, those of YAML 1.2's core schema.

YAML 1.1, which most libraries still read, takes `on`, `yes` and `no` for booleans, `12:30` for a number and
`2026-01-15` for a date.  Here a scalar without quotes is null, `true`, `false` or a number where it looks
exactly like one, and otherwise a text.
"""

from __future__ import annotations

import re

_NULLS = frozenset({"", "~", "null", "Null", "NULL"})
_BOOLEANS = {
    name: word == "true" for word in ("true", "false") for name in (word, word.title(), word.upper())
}
_WHOLE = re.compile(r"[-+]?[0-9]+")
_OCTAL = re.compile(r"0o[0-7]+")
_HEXADECIMAL = re.compile(r"0x[0-9a-fA-F]+")
_REAL = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_ENDLESS = re.compile(r"[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)")
_LONGEST = 100
"""No number that can be held takes more characters; longer ones are not even converted."""
_KINDS: dict[str, set[type]] = {
    "null": {type(None)},
    "bool": {bool},
    "int": {int},
    "float": {int, float},
}
_FIRST = frozenset("0123456789+-.")


def resolved(text: str) -> None | bool | int | float | str:
    """The value of a scalar without quotes.  A number out of range may come out as an infinite one."""
    if text in _NULLS:
        return None
    if text in _BOOLEANS:
        return _BOOLEANS[text]
    return _number(text) if text[0] in _FIRST else text


def tagged(tag: str, text: str) -> tuple[None | bool | int | float | str, bool]:
    """The value of a scalar under a core tag, and whether it is what the tag says; `!!str` suits any."""
    kind = tag.removeprefix("tag:yaml.org,2002:")
    if kind not in _KINDS:
        return text, True
    value = resolved(text)
    return value, type(value) in _KINDS[kind]


def _number(text: str) -> int | float | str:
    if _WHOLE.fullmatch(text):
        return int(text) if len(text) <= _LONGEST else float("inf")
    if _OCTAL.fullmatch(text):
        return int(text, 0) if len(text) <= _LONGEST else float("inf")
    if _HEXADECIMAL.fullmatch(text):
        return int(text, 0) if len(text) <= _LONGEST else float("inf")
    if _ENDLESS.fullmatch(text):
        return float("inf")
    return float(text) if _REAL.fullmatch(text) else text
