"""Values: how JavaScript converts and compares them, for the kinds that JSON has, and `undefined`.

Two things are not as in JavaScript.  A property of something that has none is `undefined` and never an error;
and whole numbers that come from data keep all their digits, where JavaScript would round them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Final, TypeAlias, cast

from quintet.engine.values import Json
from quintet.formats.awds.expressions.syntax import UNDEFINED, Undefined
from quintet.formats.awds.expressions.tokens import paired

Value: TypeAlias = "Json | Undefined"
"""In the lists and maps that an expression makes, there may be `undefined`, too."""

_EXACT: Final = 2**53
_WHITE: Final = (
    "\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000\ufeff"
)
_NUMBER = re.compile(r"[+-]?(?:Infinity|(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)")
_BASED = re.compile(r"0(?:[xX][0-9a-fA-F]+|[oO][0-7]+|[bB][01]+)")


def is_list(value: Value) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, str)


def truthy(value: Value) -> bool:
    """`undefined`, `null`, `false`, `0`, `NaN` and the empty text are as good as false."""
    match value:
        case Undefined() | None:
            return False
        case bool() | str():
            return bool(value)
        case int() | float():
            return value == value and value != 0  # noqa: PLR0124 - false for NaN alone
        case _:
            return True


# Numbers


def as_float(number: float) -> float:
    """A whole number as the double that JavaScript would have."""
    try:
        return float(number)
    except OverflowError:
        return float("inf") if number > 0 else float("-inf")


def to_number(value: Value) -> float:
    match value:
        case Undefined():
            return float("nan")
        case None:
            return 0.0
        case bool() | int() | float():
            return as_float(value)
        case str():
            return _read_number(value.strip(_WHITE))
        case _:
            return to_number(to_text(value))


def _read_number(text: str) -> float:
    if not text:
        return 0.0
    if _BASED.fullmatch(text):
        return as_float(int(text, 0))
    if _NUMBER.fullmatch(text):
        return float(text)
    return float("nan")


def neat(number: float) -> int | float:
    """A number as JSON has it best: whole where it is whole."""
    return int(number) if number.is_integer() and abs(number) <= _EXACT else number


def number_text(number: float) -> str:
    """A number as JavaScript writes it: `1`, `0.1`, `1e+21`, `NaN`."""
    if isinstance(number, int) and abs(number) < 10**21:
        return str(int(number))
    number = as_float(number)
    if number != number:  # noqa: PLR0124 - true for NaN alone
        return "NaN"
    if abs(number) == float("inf"):
        return "Infinity" if number > 0 else "-Infinity"
    if number == 0:
        return "0"
    return ("-" if number < 0 else "") + _digits(abs(number))


def _digits(number: float) -> str:
    parts = Decimal(repr(number)).normalize().as_tuple()
    digits = "".join(map(str, parts.digits))
    point = len(digits) + cast(int, parts.exponent)
    if len(digits) <= point <= 21:
        return digits + "0" * (point - len(digits))
    if 0 < point <= 21:
        return f"{digits[:point]}.{digits[point:]}"
    if -6 < point <= 0:
        return f"0.{'0' * -point}{digits}"
    fraction = f".{digits[1:]}" if len(digits) > 1 else ""
    return f"{digits[0]}{fraction}e{point - 1:+d}"


# Texts


def to_text(value: Value) -> str:
    """What `+` makes of a value beside a text."""
    match value:
        case Undefined():
            return "undefined"
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case int() | float():
            return number_text(value)
        case str():
            return value
        case Mapping():
            return "[object Object]"
        case _:
            return ",".join("" if _is_nothing(item) else to_text(item) for item in value)


def _is_nothing(value: Value) -> bool:
    return value is None or isinstance(value, Undefined)


def length(text: str) -> int:
    """In the units of UTF-16, as in JavaScript."""
    return len(text) if text.isascii() else len(_units(text)) // 2


def unit(text: str, index: int) -> Value:
    """One of them."""
    if text.isascii():
        return text[index] if index < len(text) else UNDEFINED
    found = _units(text)[2 * index : 2 * index + 2]
    return found.decode("utf-16-le", "surrogatepass") if found else UNDEFINED


def _units(text: str) -> bytes:
    return text.encode("utf-16-le", "surrogatepass")


# Comparing


def strictly_equal(left: Value, right: Value) -> bool:
    """`===`: of one type, and the same; lists and maps are the same only as themselves."""
    if isinstance(left, bool) or isinstance(right, bool):
        return left is right
    if isinstance(left, int | float) and isinstance(right, int | float):
        return as_float(left) == as_float(right)
    if isinstance(left, str) and isinstance(right, str):
        return left == right
    return left is right


def loosely_equal(left: Value, right: Value) -> bool:
    """`==`: converts where the types differ."""
    if _is_nothing(left) or _is_nothing(right):
        return _is_nothing(left) and _is_nothing(right)
    if _is_made(left) and _is_made(right):
        return left is right
    left, right = primitive(left), primitive(right)
    if isinstance(left, str) and isinstance(right, str):
        return left == right
    return to_number(left) == to_number(right)


def less(left: Value, right: Value, *, or_equal: bool) -> bool:
    """`<` and `<=`; false wherever one is no number and not both are texts."""
    left, right = primitive(left), primitive(right)
    if isinstance(left, str) and isinstance(right, str):
        return _order(left) <= _order(right) if or_equal else _order(left) < _order(right)
    one, other = to_number(left), to_number(right)
    return one <= other if or_equal else one < other


def _order(text: str) -> bytes:
    return text.encode("utf-16-be", "surrogatepass")


def _is_made(value: Value) -> bool:
    """Whether it is a list or a map."""
    return isinstance(value, Mapping) or is_list(value)


def primitive(value: Value) -> Value:
    return to_text(value) if _is_made(value) else value


def added(left: Value, right: Value) -> Value:
    """`+`: joins where one is a text, else adds."""
    left, right = primitive(left), primitive(right)
    if isinstance(left, str) or isinstance(right, str):
        return paired(to_text(left) + to_text(right))
    return neat(to_number(left) + to_number(right))


# JSON


def as_json(value: Value) -> Json:
    """The value as JSON has it: what is undefined is left out of maps, and null elsewhere."""
    match value:
        case Undefined():
            return None
        case float() if value != value or abs(value) == float("inf"):  # noqa: PLR0124 - NaN
            return None
        case None | str() | int() | float():
            return value
        case Mapping():
            return {key: as_json(item) for key, item in value.items() if not isinstance(item, Undefined)}
        case _:
            return [as_json(item) for item in value]


def json_text(value: Value) -> str:
    """As `JSON.stringify` writes it."""
    match as_json(value):
        case None:
            return "null"
        case bool() as truth:
            return "true" if truth else "false"
        case int() | float() as number:
            return number_text(number)
        case str() as text:
            return _quoted(text)
        case Mapping() as entries:
            return "{" + ",".join(f"{_quoted(key)}:{json_text(item)}" for key, item in entries.items()) + "}"
        case items:
            return "[" + ",".join(map(json_text, items)) + "]"


_HALF = re.compile("[\ud800-\udfff]")


def _quoted(text: str) -> str:
    written = json.dumps(text, ensure_ascii=False)
    return _HALF.sub(lambda half: f"\\u{ord(half[0]):04x}", written) if not written.isascii() else written
