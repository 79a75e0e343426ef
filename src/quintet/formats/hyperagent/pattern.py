"""Patterns: the regular expressions of `matches`, as JavaScript means them, in bounded time.

JavaScript's engine backtracks, so a few characters of a pattern can keep it busy for years.  Here patterns
are written anew for RE2, which never does; what only a backtracking engine knows, looking around and
referring back, is refused when the file is read.  A pattern that JavaScript itself refuses matches nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any, Final, cast

MOST_MEMORY: Final = 8 * 1024 * 1024

_SPACE: Final = r"\t\n\v\f\r \x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}\x{feff}"
_ESCAPE: Final = (
    r"\\(?P<code>u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|c[a-zA-Z])|\\(?P<digits>[0-9]+)|\\k(?P<name><[^>]*>)"
    r"|\\(?P<escaped>.)"
)
_OUTSIDE = re.compile(
    _ESCAPE + r"|(?P<group>\((?:\?(?:<?[=!]|:|<[A-Za-z_$][\w$]*>|))?)|(?P<set>\[\^?\]?)|(?P<plain>.)",
    re.DOTALL,
)
_INSIDE = re.compile(_ESCAPE + r"|(?P<close>\])|(?P<plain>.)", re.DOTALL)
_KEPT: Final = "dDwWbBtnrfv"
"""Escapes that mean the same in both."""


class NotSupported(ValueError):
    """A pattern that can only be matched by going back and trying again."""


class Invalid(ValueError):
    """A pattern that JavaScript refuses."""


def found(pattern: str, text: str, case_sensitive: bool) -> bool:
    """Whether a pattern is found anywhere in a text."""
    try:
        compiled = compile_pattern(pattern, case_sensitive)
    except (Invalid, NotSupported):
        return False
    return compiled.search(text.encode("utf-8", "replace").decode()) is not None


@lru_cache(maxsize=256)
def compile_pattern(pattern: str, case_sensitive: bool = False) -> Any:
    """The pattern for RE2.  Raises Invalid, NotSupported."""
    import re2  # pyright: ignore[reportMissingTypeStubs]: it brings none

    options: Any = cast(Any, re2).Options()
    options.max_mem, options.log_errors = MOST_MEMORY, False
    options.case_sensitive, options.never_nl = case_sensitive, False
    try:
        return cast(Any, re2).compile("".join(_translated(pattern)), options)
    except (cast(Any, re2).error, UnicodeError) as error:
        reason = error.args[0] if error.args else error
        reason = reason.decode("utf-8", "replace") if isinstance(reason, bytes) else str(reason)
        if "too large" in reason or "bad repetition" in reason.lower() or "repetition size" in reason:
            raise NotSupported(f"it is too large: {reason}") from None
        raise Invalid(reason) from None


def _translated(pattern: str) -> Iterator[str]:
    """The same pattern in RE2's words."""
    at, in_set, groups = 0, False, _groups(pattern)
    while (token := (_INSIDE if in_set else _OUTSIDE).match(pattern, at)) is not None:
        at = token.end()
        match token.lastgroup:
            case "set":
                in_set = not token[0].endswith("]")
                yield token[0] if in_set else r"[\s\S]" if token[0] == "[^]" else r"[^\s\S]"
            case "close":
                in_set = False
                yield "]"
            case "group":
                yield _opened(token[0])
            case "plain":
                yield _plain(token[0], in_set)
            case _:
                yield _escape(token, in_set, groups)
    if in_set or at < len(pattern):
        raise Invalid("it ends too early")


def _plain(char: str, in_set: bool) -> str:
    if in_set:
        return "\\" + char if char in "[&~" else char
    return {".": r"[^\n\r\x{2028}\x{2029}]", "]": r"\]"}.get(char, char)


def _groups(pattern: str) -> int:
    """How many groups there are to refer back to."""
    return len(re.findall(r"(?<!\\)\((?!\?)|\(\?<[A-Za-z_$]", pattern))


def _escape(token: re.Match[str], in_set: bool, groups: int) -> str:
    if code := token["code"]:
        value = ord(code[1]) % 32 if code[0] == "c" else int(code[1:], 16)
        return rf"\x{{{value:x}}}"
    if digits := token["digits"]:
        if digits == "0":
            return r"\x{0}"
        if not in_set and int(digits[:6]) <= groups:
            raise NotSupported("it refers back to a group")
        return rf"\x{{{int(digits[:3], 8):x}}}" if set(digits) <= set("01234567") else digits
    if token["name"]:
        raise NotSupported("it refers back to a group")
    char = token["escaped"]
    if char == "b" and in_set:
        return r"\x{8}"
    if char in "sS":
        return _spaces(char, in_set)
    return f"\\{char}" if char in _KEPT or not char.isalnum() else char


def _spaces(char: str, in_set: bool) -> str:
    """More is space to JavaScript than to RE2."""
    if not in_set:
        return f"[{_SPACE}]" if char == "s" else f"[^{_SPACE}]"
    return _SPACE if char == "s" else r"\S"


def _opened(group: str) -> str:
    if group in ("(", "(?:"):
        return group
    if group in ("(?=", "(?!", "(?<=", "(?<!"):
        raise NotSupported("it looks ahead or behind")
    if group.startswith("(?<"):
        return "("
    raise Invalid("a group that begins with (?")
