"""JSON with a place for every value: a scanner of our own.

It reads what `json.loads` reads, and comments and a comma after the last item, since people write both in
files that are read by editors.  It refuses what other readers silently resolve one way or another: duplicate
keys, halves of surrogate pairs, numbers beyond 64 bits.  Nesting is bounded, so plain recursion is safe.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from quintet.formats.codes import (
    CONTROL_CHARACTER,
    DUPLICATE_KEY,
    JSON_SYNTAX,
    NUMBER_RANGE,
    TOO_DEEP,
    TOO_MANY_VALUES,
)
from quintet.formats.limits import LIMITS, Limits, Refused, fits
from quintet.formats.report import Report
from quintet.formats.tree import Entry, List, Map, Scalar, Span, Value
from quintet.problems.codes import Code
from quintet.problems.wording import quoted

_SPACE = re.compile(r"[ \t\r\n]*")
_LINE = re.compile(r"[^\n\r]*")
_CHUNK = re.compile(r'[^"\\\x00-\x1f]*')
_SIMPLE = re.compile(r'"([^"\\\x00-\x1f]*+)"')
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?")
_WORD = re.compile(r"[^\s,:{}\[\]\"'/]{1,80}")
_HEX = re.compile(r"[0-9A-Fa-f]{4}")
_LONE = re.compile(r"[\ud800-\udfff]")
_ESCAPES = {'"': '"', "\\": "\\", "/": "/", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
_WORDS: dict[str, bool | None] = {"true": True, "false": False, "null": None}
_MEANT = {"none": "null", "nil": "null", "undefined": "null", "yes": "true", "no": "false"}


def read_json(report: Report, limits: Limits = LIMITS) -> Value:
    """The value that a text stands for.  Raises Refused, with the problem reported, where there is none."""
    scanner = _Scanner(report, limits)
    at = scanner.skip(0)
    value, at = scanner.value(at, 0)
    if at < len(scanner.text):
        raise scanner.unexpected(at, "the end of the file", "the value above is complete")
    return value


class _Scanner:
    """Each method takes the position to read at, and gives what it read and the position after it."""

    def __init__(self, report: Report, limits: Limits) -> None:
        self.report = report
        self.text = report.text.text
        self.limits = limits
        self.count = 0

    def value(self, at: int, depth: int) -> tuple[Value, int]:
        """A value, and the white space after it."""
        self.count += 1
        if self.count > self.limits.values:
            raise self.refused(TOO_MANY_VALUES, f"more than {self.limits.values:,} values", at)
        char = self.text[at : at + 1]
        if char in {"{", "["} and depth == self.limits.depth:
            raise self.refused(TOO_DEEP, f"nested more than {self.limits.depth} levels deep", at)
        if char == "{":
            value, end = self.map(at, depth + 1)
        elif char == "[":
            value, end = self.list(at, depth + 1)
        elif char == '"':
            text, end = self.string(at)
            value = Scalar(text, at, end)
        else:
            value, end = self.bare(at)
        return value, self.skip(end)

    def list(self, opened: int, depth: int) -> tuple[List, int]:
        items: Sequence[Value] = []
        at = self.skip(opened + 1)
        while self.text[at : at + 1] != "]":
            item, at = self.value(at, depth)
            items.append(item)
            at = self.comma(at, opened, "]")
        return List(items, opened, at + 1), at + 1

    def map(self, opened: int, depth: int) -> tuple[Map, int]:
        entries: dict[str, Entry] = {}
        at = self.skip(opened + 1)
        while self.text[at : at + 1] != "}":
            name, key, at = self.key(at, opened)
            value, at = self.value(at, depth)
            if name in entries:
                line, _ = self.report.text.position(entries[name].key.start)
                self.report.add(DUPLICATE_KEY, f"{quoted(name)} is already there, in line {line}", key)
            entries.setdefault(name, Entry(key, value))
            at = self.comma(at, opened, "}")
        return Map(entries, opened, at + 1), at + 1

    def key(self, at: int, opened: int) -> tuple[str, Span, int]:
        """A key and its colon."""
        if self.text[at : at + 1] != '"':
            if at >= len(self.text):
                raise self.unclosed(opened)
            word = _WORD.match(self.text, at)
            hint = f'write "{word[0]}"' if word else "keys stand in double quotes"
            raise self.unexpected(at, "a key in double quotes", hint)
        self.count += 1
        name, end = self.string(at)
        colon = self.skip(end)
        if self.text[colon : colon + 1] != ":":
            raise self.unexpected(colon, f"':' after the key {quoted(name)}")
        return name, Span(at, end), self.skip(colon + 1)

    def comma(self, at: int, opened: int, closing: str) -> int:
        """What stands between items: a comma, or the closing bracket, which is left to be read."""
        char = self.text[at : at + 1]
        if char == ",":
            return self.skip(at + 1)
        if char == closing:
            return at
        if not char:
            raise self.unclosed(opened)
        raise self.unexpected(at, f"',' or '{closing}'", self.missing_comma(at))

    def missing_comma(self, at: int) -> str:
        return "is a comma missing before this?" if self.text[at] in '"{[' or self.text[at].isalnum() else ""

    def string(self, opened: int) -> tuple[str, int]:
        """A text in double quotes."""
        simple = _SIMPLE.match(self.text, opened)
        if simple is not None:  # as nearly all are
            return self.whole(simple[1], opened, simple.end()), simple.end()
        chunks: list[str] = []
        at = opened + 1
        while True:
            chunk = _CHUNK.match(self.text, at)
            assert chunk is not None
            chunks.append(chunk[0])
            at = chunk.end()
            char = self.text[at : at + 1]
            if char == '"':
                break
            if char == "\\":
                piece, at = self.escape(at)
                chunks.append(piece)
            elif not char:
                raise self.refused(JSON_SYNTAX, "this text is never closed", opened, hint='a " is missing')
            else:
                name = {"\n": "a line break", "\r": "a line break", "\t": "a tab"}.get(
                    char, "a control character"
                )
                hint = "write \\n" if name == "a line break" else "write \\t" if char == "\t" else ""
                raise self.refused(CONTROL_CHARACTER, f"{name} within a text", at, hint=hint)
        return self.whole("".join(chunks), opened, at + 1), at + 1

    def whole(self, text: str, start: int, end: int) -> str:
        """The text, unless it holds half a surrogate pair, which no file and no store can hold."""
        if not text.isascii() and _LONE.search(text):
            self.report.add(CONTROL_CHARACTER, "half of a surrogate pair within a text", Span(start, end))
            return _LONE.sub("\ufffd", text)
        return text

    def escape(self, at: int) -> tuple[str, int]:
        r"""What a backslash and the characters after it stand for: `\n`, `\u00e9`, `\ud83d\ude00`."""
        char = self.text[at + 1 : at + 2]
        if char != "u":
            if char not in _ESCAPES:
                raise self.refused(
                    JSON_SYNTAX,
                    f"{quoted(self.text[at : at + 2])} is no escape",
                    at,
                    at + 2,
                    "write \\\\ for a \\",
                )
            return _ESCAPES[char], at + 2
        unit = self.unit(at)
        if 0xD800 <= unit < 0xDC00 and self.text.startswith("\\u", at + 6) and _HEX.match(self.text, at + 8):
            low = self.unit(at + 6)
            if 0xDC00 <= low < 0xE000:
                return chr(0x10000 + ((unit - 0xD800) << 10) + (low - 0xDC00)), at + 12
        return chr(unit), at + 6

    def unit(self, at: int) -> int:
        digits = _HEX.match(self.text, at + 2)
        if digits is None:
            raise self.refused(JSON_SYNTAX, "'\\u' needs four hexadecimal digits", at, at + 2)
        return int(digits[0], 16)

    def bare(self, at: int) -> tuple[Scalar, int]:
        """A number, `true`, `false` or `null`."""
        number = _NUMBER.match(self.text, at)
        word = _WORD.match(self.text, at)
        if number is not None and (word is None or word.end() <= number.end()):
            return Scalar(self.number(number), at, number.end()), number.end()
        if word is not None and word[0] in _WORDS:
            return Scalar(_WORDS[word[0]], at, word.end()), word.end()
        raise self.unexpected(at, "a value", _meant(word[0] if word else self.text[at : at + 1]))

    def number(self, number: re.Match[str]) -> int | float:
        """Its value; one that is out of range is reported, and stands as 1: nothing more is said of it."""
        fraction, exponent = number.groups()
        if fraction is None and exponent is None:
            value = int(number[0]) if len(number[0]) <= 20 else float("inf")
        else:
            value = float(number[0])
        if fits(value):
            return value
        self.report.add(
            NUMBER_RANGE,
            f"the number {quoted(number[0])} is too large",
            Span(*number.span()),
            "put it in quotes if it is not for counting",
        )
        return 1

    def skip(self, at: int) -> int:
        """Past white space and comments."""
        while True:
            space = _SPACE.match(self.text, at)
            assert space is not None
            at = space.end()
            if self.text[at : at + 1] != "/":
                return at
            if self.text.startswith("//", at):
                comment = _LINE.match(self.text, at)
                assert comment is not None
                at = comment.end()
            elif self.text.startswith("/*", at):
                closed = self.text.find("*/", at + 2)
                if closed < 0:
                    raise self.refused(
                        JSON_SYNTAX, "this comment is never closed", at, at + 2, "'*/' is missing"
                    )
                at = closed + 2
            else:
                return at

    def unclosed(self, opened: int) -> Refused:
        bracket = self.text[opened]
        closing = {"{": "}", "[": "]"}[bracket]
        return self.refused(
            JSON_SYNTAX, f"this '{bracket}' is never closed", opened, hint=f"'{closing}' is missing"
        )

    def unexpected(self, at: int, expected: str, hint: str = "") -> Refused:
        if at >= len(self.text):
            return self.refused(JSON_SYNTAX, f"the file ends where {expected} was expected", at)
        word = _WORD.match(self.text, at)
        found = word[0] if word else self.text[at]
        return self.refused(
            JSON_SYNTAX, f"expected {expected}, found {quoted(found)}", at, at + len(found), hint
        )

    def refused(self, code: Code, message: str, at: int, end: int | None = None, hint: str = "") -> Refused:
        self.report.add(code, message, Span(at, at + 1 if end is None else end), hint)
        return Refused()


def _meant(word: str) -> str:
    """What may have been meant by a word that is no value."""
    lowered = word.lower()
    if lowered.lstrip("+-") in {"nan", "inf", "infinity"}:
        return "JSON has finite numbers only"
    if lowered in _WORDS:
        return f"write {lowered}"
    if lowered in _MEANT:
        return f"write {_MEANT[lowered]}"
    if word[:1] == "'":
        return "texts stand in double quotes"
    if word[:1].isalpha():
        return "texts stand in double quotes"
    return "numbers are written like 12, -0.5 or 1e6" if word[:1] in "+-.0123456789" else ""
