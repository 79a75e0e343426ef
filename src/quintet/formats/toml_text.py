"""TOML with positions: read by the standard library, and looked up in the text where each key stands.

`tomllib` tells no positions.  Keys are found again by walking over the lines, which is exact for tables and
keys on lines of their own; what stands within an inline table is placed at the key of that table.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from datetime import date, datetime, time
from typing import Any, TypeAlias, cast

from quintet.formats.codes import NUMBER_RANGE, TOML_SYNTAX, TOO_DEEP, TOO_MANY_VALUES
from quintet.formats.limits import LIMITS, Limits, Refused, fits
from quintet.formats.report import Report
from quintet.formats.tree import Entry, List, Map, Scalar, Span, Value
from quintet.problems.wording import quoted

Keys: TypeAlias = tuple[str, ...]

_HEADER = re.compile(r"[ \t]*(\[\[?)([^\]\n]+)\]\]?")
_NAME = r"(?:[A-Za-z0-9_-]+|\"[^\"\n]*\"|'[^'\n]*')"
_KEY = re.compile(rf"[ \t]*({_NAME}(?:[ \t]*\.[ \t]*{_NAME})*)[ \t]*=")
_PART = re.compile(_NAME)
_WHERE = re.compile(r" \(at (?:line (\d+), column (\d+)|end of document)\)$")
_WORD = re.compile(r"""[\w+:-]+|"(?:[^"\\\n]|\\.)*+"?|'[^'\n]*+'?""", re.DOTALL)
_TOKEN = re.compile(
    r"""
      \"{3} (?: [^"\\] | \\. | "(?!"") )*+ (?: \"{3} | \\?\Z )
    | '{3} (?: [^'] | '(?!'') )*+ (?: '{3} | \Z )
    | [#] [^\n]*
    | (?P<open> [\[{] )
    | (?P<close> [\]}] )
    | (?P<words> (?:WORD) (?: [ \t]* \. [ \t]* (?:WORD) )*+ )
    """.replace("WORD", _WORD.pattern),
    re.DOTALL | re.VERBOSE,
)
"""What is never closed is a token, too, so that nothing is looked at twice."""
_QUOTE_IT = "put it in quotes if it is not for counting"
_LONG_NUMBER = re.compile(r"[+-]?[0-9_]{100,}")
"""The standard library fails at numbers that are much longer."""


def read_toml(report: Report, limits: Limits = LIMITS) -> Map:
    """The map that a text says.  Raises Refused where it is no TOML, and the report says why."""
    _bounded(report, limits)
    try:
        data = tomllib.loads(report.text.text)
    except tomllib.TOMLDecodeError as error:
        _syntax(report, str(error))
        raise Refused from None
    return _Placing(report).map(data, (), Span(0, 0))


def _bounded(report: Report, limits: Limits) -> None:
    """Refuses what the standard library would take hours for, or never come back from.

    Counted are words, the parts of dotted keys among them, and brackets: somewhat more than values and keys.
    """
    count = depth = 0
    for token in _TOKEN.finditer(report.text.text):
        parts = 0
        match token.lastgroup:
            case "open":
                count, depth = count + 1, depth + 1
            case "close":
                depth -= 1
            case "words":
                parts = sum(1 for _ in _WORD.finditer(token[0]))
                count += parts
                if _LONG_NUMBER.fullmatch(token[0]):
                    raise _too_large(report, Span(*token.span()))
            case _:
                pass
        if max(depth, parts) > limits.depth:
            report.add(TOO_DEEP, f"nested more than {limits.depth} levels deep", Span(*token.span()))
            raise Refused
        if count > limits.values:
            report.add(TOO_MANY_VALUES, f"more than {limits.values:,} values", Span(*token.span()))
            raise Refused


def _too_large(report: Report, at: Span) -> Refused:
    """A number that cannot be held."""
    number = quoted(report.text.text[at.start : at.end])
    report.add(NUMBER_RANGE, f"the number {number} is too large", at, _QUOTE_IT)
    return Refused()


def _syntax(report: Report, message: str) -> None:
    found = _WHERE.search(message)
    at = len(report.text.text)
    if found is not None and found[1]:
        at = report.text.offset(int(found[1]), int(found[2]))
    what = message[: found.start()] if found else message
    report.add(TOML_SYNTAX, f"{what[:1].lower()}{what[1:]}", Span(at, at))


class _Placing:
    """Gives every value the place of its key."""

    def __init__(self, report: Report) -> None:
        self._report = report
        self._places = _places(report.text.text)

    def map(self, data: Mapping[str, Any], at: Keys, around: Span) -> Map:
        entries = {
            key: Entry(self._key((*at, key), around), self._value(value, (*at, key), around))
            for key, value in data.items()
        }
        return Map(entries, around.start, around.end)

    def _key(self, keys: Keys, around: Span) -> Span:
        return self._places.get(keys, around)

    def _value(self, value: object, keys: Keys, around: Span) -> Value:
        at = self._key(keys, around)
        if len(keys) > LIMITS.depth:
            self._report.add(TOO_DEEP, "nested too deep", at)
            return Scalar(None, at.start, at.end)
        match value:
            case dict():
                return self.map(cast("dict[str, Any]", value), keys, at)
            case list():
                items = [
                    self._value(item, (*keys, str(n)), at) for n, item in enumerate(cast("list[Any]", value))
                ]
                return List(items, at.start, at.end)
            case datetime() | date() | time():
                return Scalar(value.isoformat(), at.start, at.end)
            case _:
                scalar = cast("bool | int | float | str", value)
                if not fits(scalar):
                    self._report.add(NUMBER_RANGE, "a number that is too large or not finite", at, _QUOTE_IT)
                    scalar = 1
                return Scalar(scalar, at.start, at.end)


def _places(text: str) -> dict[Keys, Span]:
    """Where keys stand that begin a line, by their full names; the items of an array of tables by number."""
    places: dict[Keys, Span] = {}
    table: Keys = ()
    counts: dict[Keys, int] = {}
    offset = 0
    for line in text.splitlines(keepends=True):
        if header := _HEADER.match(line):
            table = _parts(header[2])
            span = Span(offset + header.start(1), offset + header.end())
            if header[1] == "[[":
                number = counts[table] = counts.get(table, -1) + 1
                places.setdefault(table, span)
                table = (*table, str(number))
            places.setdefault(table, span)
        elif key := _KEY.match(line):
            span = Span(offset + key.start(1), offset + key.end(1))
            keys = (*table, *_parts(key[1]))
            places.setdefault(keys, span)
        offset += len(line)
    return places


def _parts(dotted: str) -> Keys:
    return tuple(part.strip("\"'") for part in _PART.findall(dotted))
