"""The life of a run: which status follows which, and by what event.

This table is the only place that knows the legal moves; the picture in the documentation is drawn from it.
`interrupted` is not in it: a run shows as interrupted when it should be running and nobody works on it,
which is derived by whoever looks, never stored.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

from quintet.engine.failures import EngineError

Status: TypeAlias = Literal["none", "created", "running", "paused", "completed", "failed", "cancelled"]
Shown: TypeAlias = Literal[Status, "interrupted"]
"""What people see."""

MOVES: dict[tuple[Status, str], Status] = {
    ("none", "run.created"): "created",
    ("created", "run.started"): "running",
    ("created", "run.cancelled"): "cancelled",
    ("running", "run.paused"): "paused",
    ("running", "run.resumed"): "running",
    ("running", "run.completed"): "completed",
    ("running", "run.failed"): "failed",
    ("running", "run.cancelled"): "cancelled",
    ("paused", "run.resumed"): "running",
    ("paused", "run.cancelled"): "cancelled",
}

ENDED: frozenset[Status] = frozenset({"completed", "failed", "cancelled"})
"""Nothing is ever added to the log of a run that has ended."""


class IllegalMove(EngineError):
    """An event that the status of the run does not allow."""

    code = "illegal-move"


def move(status: Status, event: str) -> Status:
    """The status after an event of the run; events of other kinds leave it as it is."""
    if not event.startswith("run."):
        return status
    try:
        return MOVES[status, event]
    except KeyError:
        raise IllegalMove(f"{event} cannot follow when a run is {status}") from None


def mermaid() -> str:
    """The table as a state diagram."""
    arrows = [f"    {before} --> {after}: {event}" for (before, event), after in MOVES.items()]
    ends = [f"    {status} --> [*]" for status in sorted(ENDED)]
    lines = ["stateDiagram-v2", *arrows, *ends]
    return "\n".join(lines).replace("none -->", "[*] -->") + "\n"
