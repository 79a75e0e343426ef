"""Paths: the identity of everything that happens in a run.

A path names a scope or a touch by where it stands in the program: the scopes around it, its own name, and
how often that name had occurred in its scope.  It never depends on a global counter or on the order in which
answers arrive, so the same program finds the same paths in every replay.

As a value a path is a tuple of segments.  `write` and `parse` give its exact text, as stored in the log.
`display` gives what people read: the segments of attempts and time limits are silent there, and `Labels`
numbers repeats of the same text in the order in which they began.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple, TypeAlias
from urllib.parse import unquote


class Segment(NamedTuple):
    """One name in a path."""

    name: str
    occurrence: int = 1
    silent: bool = False
    """True for the scopes that `attempts` and `deadline` open: people do not read them."""
    attempt: bool = False
    """True for the scope of one attempt: idempotency keys look through it."""


Path: TypeAlias = tuple[Segment, ...]

_SPECIAL = re.compile("[%/#~!?\n\ud800-\udfff]")  # halves of surrogate pairs: no database takes them
_NO_NAME = "%"


def write(path: Path) -> str:
    """The exact text of a path: `review/~limit/!call#2/model`."""
    return "/".join(map(_write_segment, path))


@lru_cache(maxsize=4096)
def _write_segment(segment: Segment) -> str:
    mark = "!" if segment.attempt else "~" if segment.silent else ""
    name = _SPECIAL.sub(_escape, segment.name) or _NO_NAME
    count = f"#{segment.occurrence}" if segment.occurrence > 1 else ""
    return f"{mark}{name}{count}"


def _escape(found: re.Match[str]) -> str:
    return "".join(f"%{byte:02X}" for byte in found[0].encode("utf-8", "surrogatepass"))


@lru_cache(maxsize=4096)
def parse(text: str) -> Path:
    """The path whose text `write` gave."""
    return tuple(map(_parse_segment, text.split("/"))) if text else ()


def _parse_segment(text: str) -> Segment:
    attempt, silent = text.startswith("!"), text.startswith(("!", "~"))
    name, _, count = text[silent:].partition("#")
    name = "" if name == _NO_NAME else unquote(name, errors="surrogatepass")
    return Segment(name, int(count or 1), silent, attempt)


def without_attempts(path: Path) -> Path:
    """The path with its attempts taken out: the same for the first try of a call and for the third."""
    return tuple([segment for segment in path if not segment.attempt])


def display(path: Path) -> str:
    """What people read: names only, without the scopes of attempts and time limits."""
    return "/".join(segment.name for segment in path if not segment.silent)


class Labels:
    """Numbers repeats of a displayed text: `review`, `review #2`, … in the order in which they began."""

    def __init__(self) -> None:
        self._given: dict[Path, str] = {}
        self._counts: dict[str, int] = {}

    def __getitem__(self, path: Path) -> str:
        seen = without_attempts(path)
        if seen not in self._given:
            text = display(seen)
            count = self._counts[text] = self._counts.get(text, 0) + 1
            self._given[seen] = text if count == 1 else f"{text} #{count}"
        return self._given[seen]
