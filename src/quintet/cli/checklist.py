"""Checklist: lines with a sign each, for what is there and what is not, and below a line what to do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from quintet.display.rows import Role, Row, fitted, padded
from quintet.drawing.cells import width

State: TypeAlias = Literal["ready", "incomplete", "wrong", "missing"]
"""`wrong` is broken; `incomplete` could be used but for something; `missing` is no harm."""

SIGNS: Mapping[State, tuple[str, Role]] = {
    "ready": ("✓", "fine"),
    "incomplete": ("!", "warning"),
    "wrong": ("✗", "error"),
    "missing": ("–", "quiet"),
}


@dataclass(frozen=True, slots=True)
class Entry:
    """Something that was looked at."""

    name: str
    state: State
    text: str
    """What was found."""
    to_do: str = ""
    """What helps, as a command where there is one."""


def widest(entries: Sequence[Entry], room: int) -> int:
    """How wide the names are."""
    return min(max((width(entry.name) for entry in entries), default=0), room // 2)


def rows(entries: Sequence[Entry], room: int, name: int) -> list[Row]:
    """The lines; names are as wide as `name`.  What is to be done is never cut."""
    lines: list[Row] = []
    for entry in entries:
        sign, role = SIGNS[entry.state]
        text: Role = "quiet" if entry.state == "missing" else ""
        begin: Row = ((role, sign), ("", " "), (text, padded(entry.name, name)), ("", "  "))
        lines.append(fitted((*begin, (text, entry.text)), room))
        if entry.to_do:
            lines.append((("", " " * (name + 4)), ("hint", entry.to_do)))
    return lines
