"""JavaScript: what values come to as texts and numbers there, since the format was made in it.

Templates render numbers, and conditions compare texts with numbers, as `String(x)`, `JSON.stringify(x)` and
`Number(x)` do.  All of it is total: every value has a text, and what is no number is None.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from json.encoder import encode_basestring
from math import isfinite
from typing import Final

from quintet.engine.values import Json

SPACE: Final = (
    "\t\n\v\f\r \u00a0\u1680"
    + "".join(map(chr, range(0x2000, 0x200B)))
    + "\u2028\u2029\u202f\u205f\u3000\ufeff"
)
"""What `trim` takes away."""

_DECIMAL = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?", re.ASCII)
_PREFIXED = re.compile(r"0(?:[xX][0-9a-fA-F]+|[oO][0-7]+|[bB][01]+)")
_INDEX = re.compile(r"0|[1-9]\d{0,9}", re.ASCII)
_LONE = re.compile("[\ud800-\udfff]")


def trim(text: str) -> str:
    return text.strip(SPACE)


def index(name: str) -> int | None:
    """The place in a list that a name stands for: `0`, `12`, but not `01`."""
    return int(name) if _INDEX.fullmatch(name) else None


def length(text: str) -> int:
    """How many UTF-16 units a text has."""
    return len(text) + sum(char > "\uffff" for char in text) if not text.isascii() else len(text)


def unit(text: str, at: int) -> str | None:
    """One UTF-16 unit of a text."""
    if text.isascii():
        return text[at] if at < len(text) else None
    units = text.encode("utf-16-le", "surrogatepass")[2 * at : 2 * at + 2]
    return units.decode("utf-16-le", "surrogatepass") or None


def number_text(number: float) -> str:
    """`String(number)`.

    >>> [number_text(n) for n in (12, 5.0, 0.1, 1e21, 1e-7, 123456789012345678901)]
    ['12', '5', '0.1', '1e+21', '1e-7', '123456789012345680000']
    """
    if abs(number) <= 2**53 and number == int(number):
        return str(int(number))
    digits, _, exponent = f"{_shortest(number)}e0".partition("e")
    sign, digits = ("-", digits[1:]) if digits.startswith("-") else ("", digits)
    whole, _, fraction = digits.partition(".")
    fraction = "" if fraction == "0" else fraction
    power = len(whole) + int(exponent.partition("e")[0])
    return sign + _placed(whole + fraction, power)


def _shortest(number: float) -> str:
    try:
        return repr(float(number))
    except OverflowError:  # a whole number beyond all that JavaScript can hold
        return "inf"


def _placed(digits: str, power: int) -> str:
    """Digits with the point where JavaScript has it: `0.<digits>` times ten to a power."""
    if digits == "inf":
        return "Infinity"
    stripped = digits.lstrip("0")
    power -= len(digits) - len(stripped)
    digits = stripped.rstrip("0")
    if not digits:
        return "0"
    if -6 < power <= 0:
        return "0." + "0" * -power + digits
    if 0 < power <= 21:
        if len(digits) <= power:
            return digits + "0" * (power - len(digits))
        return f"{digits[:power]}.{digits[power:]}"
    fraction = f".{digits[1:]}" if len(digits) > 1 else ""
    return f"{digits[0]}{fraction}e{power - 1:+d}"


def json_text(value: Json) -> str:
    """`JSON.stringify(value)`: no space, keys that are numbers first.

    >>> json_text({"b": [1.0, None], "1": "é"})
    '{"1":"é","b":[1,null]}'
    """
    match value:
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case int() | float():
            return number_text(value) if isinstance(value, int) or isfinite(value) else "null"
        case str():
            return _quoted(value)
        case Mapping():
            return "{" + ",".join(f"{_quoted(key)}:{json_text(value[key])}" for key in keys(value)) + "}"
        case _:
            return "[" + ",".join(map(json_text, value)) + "]"


def keys(value: Mapping[str, Json]) -> list[str]:
    """The keys of an object in its order: numbers first."""
    numbers = [name for name in value if index(name) is not None]
    return (
        [*sorted(numbers, key=int), *(name for name in value if index(name) is None)] if numbers else [*value]
    )


def scalar_text(value: Json) -> str | None:
    """`String(value)` of a text, a number or a boolean; None of anything else."""
    match value:
        case bool():
            return "true" if value else "false"
        case str():
            return value
        case int() | float():
            return number_text(value)
        case _:
            return None


def number(text: str) -> float | None:
    """`Number(text)` where that is finite.

    >>> [number(t) for t in ("", " 5 ", "1e3", "0x10", "5px", "Infinity")]
    [0.0, 5.0, 1000.0, 16.0, None, None]
    """
    text = trim(text)
    if not text:
        return 0.0
    if _PREFIXED.fullmatch(text):
        return _finite(int(text[2:], {"x": 16, "o": 8, "b": 2}[text[1].lower()]))
    return _finite(float(text)) if _DECIMAL.fullmatch(text) else None


def _finite(number: float) -> float | None:
    try:
        return float(number) if isfinite(number) else None
    except OverflowError:
        return None


def _quoted(text: str) -> str:
    """A text in quotes; halves of surrogate pairs, which no file takes, are escaped."""
    return _LONE.sub(lambda found: f"\\u{ord(found[0]):04x}", encode_basestring(text))
