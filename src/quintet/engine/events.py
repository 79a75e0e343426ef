"""Events: the rows of a run's log.

There are four families, told apart by name.  *Outcomes* are what a program waits for; a replay reads
nothing else.  *Starts* say that a touch was begun, and *notes* say what is worth seeing; both follow from
the outcomes before them, so they are never written twice and may be written a moment late.  *Host* events
are what the host decides: gates, and the life of the run itself.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, NamedTuple, TypeAlias

from quintet.engine.paths import Path

SCHEMA = 1
"""The version of the shape of an event's data; written with every event."""

Kind: TypeAlias = Literal["model", "tool", "question", "timer", "effect", "deadline"]
"""What a touch asks of the world.  A `deadline` is the alarm of a time limit; only its striking is logged."""

STARTS: dict[Kind, str] = {
    "model": "model.requested",
    "tool": "tool.called",
    "question": "question.asked",
    "timer": "timer.set",
    "effect": "effect.requested",
}
OUTCOMES: dict[Kind, str] = {
    "model": "model.answered",
    "tool": "tool.finished",
    "question": "question.answered",
    "timer": "timer.fired",
    "effect": "effect.done",
    "deadline": "deadline.struck",
}
KIND_OF_OUTCOME: dict[str, Kind] = {name: kind for kind, name in OUTCOMES.items()}
KIND_OF_START: dict[str, Kind] = {name: kind for kind, name in STARTS.items()}
TOUCH_CANCELLED = "touch.cancelled"
HOST_PREFIXES = ("run.", "gate.")

Family: TypeAlias = Literal["outcome", "start", "note", "host"]


def family(kind: str) -> Family:
    """Which of the four families an event's kind belongs to."""
    if kind in KIND_OF_OUTCOME:
        return "outcome"
    if kind.startswith(HOST_PREFIXES):
        return "host"
    if kind in KIND_OF_START or kind == TOUCH_CANCELLED:
        return "start"
    return "note"


def unfinished(log: Iterable[Event]) -> list[Event]:
    """The starts in a log of touches that have neither an outcome nor been cancelled."""
    starts: dict[Path, Event] = {}
    for event in log:
        if event.kind in KIND_OF_START:
            starts[event.path] = event
        elif event.kind == TOUCH_CANCELLED or event.kind in KIND_OF_OUTCOME:
            starts.pop(event.path, None)
    return list(starts.values())


class Event(NamedTuple):
    """One row of a run's log."""

    seq: int
    """Its place in the log of its run: 1, 2, 3, … without gaps."""
    time: float
    """Seconds since 1970; never runs backwards within a run."""
    kind: str
    path: Path
    """The touch, or the scope of a note; empty for the run itself."""
    cause: int
    """The `seq` of the outcome that brought it about; 0 for what follows from the start."""
    data: str
    """Its payload, as JSON text."""
    fingerprint: str | None = None
    """Of the request, for starts and outcomes."""
    position: int = 0
    """Its place in the stream of all runs, given by the store; 0 before it is stored."""
