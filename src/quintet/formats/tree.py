"""The value tree: what a YAML or JSON text says, each part with the place where it says so.

A tree has three kinds of node: a scalar, a list and a map.  The keys of a map are always texts.  An alias in
YAML gives the very node it names, so a tree may hold a node twice; how large it is with all of them written
out is bounded by the reader, so whoever walks over a tree may do so plainly.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeAlias

from quintet.engine.values import Json


class Spanned(Protocol):
    """Whatever stands somewhere in a text: from `start` to just before `end`, in characters from 0."""

    @property
    def start(self) -> int: ...

    @property
    def end(self) -> int: ...


@dataclass(frozen=True, slots=True)
class Span:
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Scalar:
    value: None | bool | int | float | str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class List:
    items: Sequence[Value]
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Entry:
    key: Span
    value: Value


@dataclass(frozen=True, slots=True)
class Map:
    entries: Mapping[str, Entry]
    """In the order of the file."""
    start: int
    end: int

    def get(self, name: str) -> Value | None:
        entry = self.entries.get(name)
        return None if entry is None else entry.value


Value: TypeAlias = Scalar | List | Map


def head(value: Spanned) -> Span:
    """The first character of a value: where to point when something about all of it is wrong."""
    return Span(value.start, min(value.end, value.start + 1))


def plain(value: Value) -> Json:
    """The value itself, without places."""
    match value:
        case Scalar(scalar):
            return scalar
        case List(items):
            return [plain(item) for item in items]
        case Map(entries):
            return {name: plain(entry.value) for name, entry in entries.items()}


def named_kind(value: Value) -> str:
    """What to call a value when it is of the wrong kind."""
    match value:
        case Map():
            return "a map"
        case List():
            return "a list"
        case Scalar(None):
            return "null"
        case Scalar(bool(truth)):
            return "true" if truth else "false"
        case Scalar(int() | float() as number):
            return f"the number {number}"
        case Scalar():
            return "a text"
