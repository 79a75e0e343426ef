"""Tokens: an expression cut into numbers, strings, names and signs.

One place is special: what follows `steps.` is the id of a step as it stands, hyphens included, up to the next
`.` or `[`.  Elsewhere a name after a dot may hold hyphens, too; there is no subtraction to mistake it for.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from quintet.problems.wording import quoted

LONGEST: Final = 20_000
"""Characters of one expression."""

Kind: TypeAlias = Literal["number", "string", "name", "step", "sign", "end"]


class ExpressionError(ValueError):
    """An expression that is none, or that comes to nothing; it says where in the text."""

    def __init__(self, message: str, start: int, end: int, hint: str = "") -> None:
        super().__init__(message)
        self.message, self.start, self.end, self.hint = message, start, end, hint
        self.text = ""
        """The text that it is in, where it came of evaluating."""


@dataclass(frozen=True, slots=True)
class Token:
    kind: Kind
    value: str | int | float
    """What it says: of a string the text itself."""
    start: int
    end: int


_SPACE = re.compile(r"[\s\ufeff]*")
_TOKEN = re.compile(
    r"""(?P<number>0[xX][0-9a-fA-F]+|(?:0|[1-9][0-9]*)(?:\.[0-9]*)?(?:[eE][+-]?[0-9]+)?|\.[0-9]+(?:[eE][+-]?[0-9]+)?)
    |(?P<name>[^\W\d][\w$]*|\$[\w$]*)
    |(?P<string>"(?:[^"\\\n\r]|\\(?:\r\n|.))*"|'(?:[^'\\\n\r]|\\(?:\r\n|.))*')
    |(?P<sign>===|!==|==|!=|<=|>=|&&|\|\||[<>!?:+\-()\[\]{}.,])""",
    re.VERBOSE | re.DOTALL,
)
_MEMBER = re.compile(r"[^\W\d][\w$]*(?:-[^\W\d][\w$]*)*|\$[\w$]*")
_STEP_BEFORE_OUTPUTS = re.compile(r"""([^.\[]+?)\s*(?=\.\s*outputs\b|\[\s*["']outputs["'])""")
_STEP = re.compile(r"""[^\s.\[\](){}"'=!<>&|?:+,]+""")
_REFUSED: Final = {
    "`": "a text stands in double or single quotes",
    "=": "to compare, write ===",
    "?.": "a plain '.' will do: what is missing is undefined here, and no error",
    "??": "write: a !== undefined && a !== null ? a : b",
    ";": "an expression is a single one",
}


def tokens(text: str, start: int = 0, *, closed: bool = False) -> Iterator[Token]:
    """The tokens from `start` on, and one of the kind `end`; with `closed` that is at the `}}`.

    Raises ExpressionError.
    """
    at, open_braces = start, 0
    before, last = "", ""
    while True:
        at = _after_space(text, at)
        if at - start > LONGEST:
            raise ExpressionError(f"an expression may have {LONGEST:,} characters", start, at)
        if at == len(text):
            if closed:
                raise ExpressionError("this expression has no end", start, at, "close it with }}")
            yield Token("end", "", at, at)
            return
        if closed and not open_braces and text.startswith("}}", at):
            yield Token("end", "", at, at)
            return
        token = _next(text, at, before, last)
        open_braces += (token.value == "{") - (token.value == "}") if token.kind == "sign" else 0
        yield token
        at, before, last = token.end, last, _word(token)


def _word(token: Token) -> str:
    """What a token means to what follows it."""
    return str(token.value) if token.kind in ("sign", "name") else ""


def _after_space(text: str, at: int) -> int:
    found = _SPACE.match(text, at)
    return at if found is None else found.end()


def _next(text: str, at: int, before: str, last: str) -> Token:
    if last == "." and before == "steps" and (step := _step(text, at)) is not None:
        return step
    if last == "." and (member := _MEMBER.match(text, at)) is not None:
        return Token("name", member[0], at, member.end())
    if text.startswith(("?.", "??"), at) and not text[at + 2 : at + 3].isdigit():
        raise _refused(text, at, text[at : at + 2])
    found = _TOKEN.match(text, at)
    if found is None:
        raise _refused(text, at, text[at])
    match found.lastgroup:
        case "number":
            return _number(text, found)
        case "string":
            return Token("string", unescaped(found[0], at), at, found.end())
        case "name":
            return Token("name", found[0], at, found.end())
        case _:
            return Token("sign", found[0], at, found.end())


def _step(text: str, at: int) -> Token | None:
    """ "The id is taken as it stands": what stands before `.outputs`, or else a run without signs."""
    found = _STEP_BEFORE_OUTPUTS.match(text, at)
    if found is not None:
        return Token("step", found[1], at, found.end(1))
    found = _STEP.match(text, at)
    return None if found is None else Token("step", found[0], at, found.end())


def _number(text: str, found: re.Match[str]) -> Token:
    start, end = found.span()
    if end < len(text) and (text[end].isalnum() or text[end] in "_$"):
        raise ExpressionError(f"{quoted(text[start : end + 1])} is no number", start, end + 1)
    written = found[0]
    if written[:2] in {"0x", "0X"}:
        value: int | float = int(written, 16)
    elif written.isdecimal() and len(written) <= 15:
        value = int(written)
    else:
        value = float(written)
    return Token("number", value, start, end)


def _refused(text: str, at: int, piece: str) -> ExpressionError:
    if piece in "\"'":
        return ExpressionError("this text has no end", at, len(text), f"close it with {piece}")
    if piece in "*/%-":
        return ExpressionError("there is no arithmetic but '+'", at, at + 1)
    message = f"{quoted(piece)} means nothing in an expression"
    return ExpressionError(message, at, at + len(piece), _REFUSED.get(piece, ""))


# Strings

_ESCAPE = re.compile(r"\\(\r\n|u\{([0-9a-fA-F]{1,6})\}|u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|.)", re.DOTALL)
_ESCAPES: Final = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "v": "\v", "0": "\0"}
_CONTINUED: Final = frozenset({"\n", "\r", "\r\n", "\u2028", "\u2029"})


def unescaped(written: str, at: int) -> str:
    """The text of a string with its quotes, whose first stands at `at`.  Raises ExpressionError."""
    if "\\" not in written:
        return written[1:-1]

    def one(found: re.Match[str]) -> str:
        code = found[2] or found[3] or found[4]
        if code is not None:
            if int(code, 16) > 0x10FFFF:
                raise _bad_escape(found, at)
            return chr(int(code, 16))
        char = found[1]
        if char in _CONTINUED:
            return ""
        after = found.string[found.end() : found.end() + 1]
        if char in "ux" or (char.isdecimal() and (char != "0" or after.isdecimal())):
            raise _bad_escape(found, at)
        return _ESCAPES.get(char, char)

    return paired(_ESCAPE.sub(one, written[1:-1]))


def _bad_escape(found: re.Match[str], at: int) -> ExpressionError:
    start = at + 1 + found.start()
    return ExpressionError(f"{quoted(found[0])} is no escape", start, start + len(found[0]))


_HALF = re.compile("[\ud800-\udfff]")


def paired(text: str) -> str:
    """A text in which no two halves of a character stand side by side: JavaScript's texts are UTF-16."""
    if text.isascii() or _HALF.search(text) is None:
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")
