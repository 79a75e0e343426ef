"""Signs: the mark and the colour of each state.  Each has a mark of its own: colour never says it alone."""

from __future__ import annotations

from typing import Literal, TypeAlias

from quintet.display.rows import Role, Stretch

State: TypeAlias = Literal[
    "coming", "running", "retrying", "asking", "stopped", "completed", "failed", "cancelled", "skipped"
]
"""`coming` has not begun; `asking` waits for a person; `stopped` had begun when its run was interrupted."""

SIGNS: dict[State, tuple[str, Role]] = {
    "coming": ("○", "quiet"),
    "running": ("●", "hint"),
    "retrying": ("↻", "warning"),
    "asking": ("⏸", "approval"),
    "stopped": ("◌", "warning"),
    "completed": ("✓", "fine"),
    "failed": ("✗", "error"),
    "cancelled": ("⊘", "warning"),
    "skipped": ("–", "quiet"),
}

AT_WORK: frozenset[State] = frozenset({"running", "retrying", "asking"})
"""What is under way, in one way or another."""

_OF_RUNS: dict[str, State] = {
    "created": "coming",
    "running": "running",
    "paused": "asking",
    "interrupted": "stopped",
    "completed": "completed",
    "failed": "failed",
    "cancelled": "cancelled",
}


def sign(state: State) -> Stretch:
    """The mark of a state, in its colour."""
    mark, role = SIGNS[state]
    return role, mark


def of_run(status: str) -> Stretch:
    """The mark of a run's status."""
    return sign(_OF_RUNS.get(status, "stopped"))
