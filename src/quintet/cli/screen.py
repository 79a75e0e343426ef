"""Screen: how every verb speaks to people.

Results go to standard output and everything else to standard error.  Colour goes by meaning, never alone,
and only where somebody sees it: NO_COLOR switches it off everywhere, FORCE_COLOR on.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, TextIO, TypeAlias

if TYPE_CHECKING:
    from quintet.engine.values import Json
    from quintet.problems.problem import Problem

Paint: TypeAlias = Callable[[str, str], str]
"""Gives a text the colour of its role."""

WIDTH = 100
"""Where nobody says how wide the screen is."""

_COLOURS = {
    "place": "1",
    "error": "1;31",
    "warning": "1;33",
    "caret": "1;31",
    "hint": "36",
    "fine": "32",
    "heading": "1",
    "quiet": "2",
    "agent": "36",
    "condition": "33",
    "loop": "35",
    "approval": "1;33",
    "name": "1",
}
"""Roles that are not listed are plain."""


def result(text: str) -> None:
    """A line of what was asked for, to standard output."""
    print(text, flush=True)  # noqa: T201


def result_json(value: Json) -> None:
    """The one JSON object of `--json`."""
    result(json.dumps(value, ensure_ascii=False, indent=2))


def say(text: str) -> None:
    """A line for the person at the screen, to standard error."""
    if sys.stderr is not None:  # else `print` would write it to standard output
        print(text, file=sys.stderr, flush=True)  # noqa: T201


def say_error(message: str, hint: str = "") -> None:
    """What is wrong, and below it what to do."""
    paint = painter(sys.stderr)
    say(
        "\n  ".join(
            (f"{paint('error', 'error')}: {message}", *(paint("hint", line) for line in hint.splitlines()))
        )
    )


def say_problems(problems: Sequence[Problem], path: str) -> None:
    """Every problem of a file, and the line that counts them."""
    from quintet.problems.text import rendered, summary

    paint, width, breaks = painter(sys.stderr), columns(sys.stderr), is_terminal(sys.stderr)
    for problem in problems:
        say(rendered(problem, width, paint, breaks=breaks))
    if problems:
        say(summary(problems, path))


def painter(stream: TextIO | None) -> Paint:
    """How to colour what goes to a stream."""
    return _painted if coloured(stream, os.environ) else _plain


def coloured(stream: TextIO | None, environment: Mapping[str, str]) -> bool:
    """Whether a stream is to have colours."""
    if stream is None or environment.get("NO_COLOR"):
        return False
    if environment.get("FORCE_COLOR", "0") not in {"", "0"}:
        return True
    return is_terminal(stream) and environment.get("TERM") != "dumb"


def is_terminal(stream: TextIO | None) -> bool:
    """Whether a person looks at a stream."""
    return stream is not None and stream.isatty()


def columns(stream: TextIO | None) -> int:
    """How wide the screen is: COLUMNS, else what the terminal says."""
    told = os.environ.get("COLUMNS", "")
    if told.isdecimal() and int(told) > 0:
        return int(told)
    try:
        return (os.get_terminal_size(stream.fileno()).columns if stream else 0) or WIDTH
    except (OSError, ValueError):  # no terminal, or no file at all
        return WIDTH


def can_show(text: str, stream: TextIO | None) -> bool:
    """Whether the encoding of a stream has these characters."""
    try:
        text.encode(getattr(stream, "encoding", None) or "utf-8")
    except UnicodeEncodeError:
        return False
    return True


def never_fail_to_show() -> None:
    """Writes characters that the screen's encoding has not as escapes."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="backslashreplace")


def _painted(role: str, text: str) -> str:
    code = _COLOURS.get(role)
    return f"\x1b[{code}m{text}\x1b[0m" if code and text else text


def _plain(role: str, text: str) -> str:
    return text
