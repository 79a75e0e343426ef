"""Native: a run's result in the shape of the format, `{outcome, reason, bootstrap?, rounds}`."""

from __future__ import annotations

from typing import Any, Final

from quintet.engine.values import Json
from quintet.record import Run

ROUND: Final = "round.started"
TURN: Final = "step.completed"
ENDED: Final = "outcome.reached"
"""What the program notes: a round begins, a turn has been heard, the run has its outcome."""


def native(run: Run) -> Json:
    """As far as the run has come: without an outcome, that is null."""
    told: dict[str, Any] = {"outcome": None, "reason": None}
    rounds: list[dict[str, Any]] = []
    for fact in run.facts:
        data: Any = fact.data
        if fact.kind == ROUND:
            rounds.append({"round": data["round"], "steps": {}})
        elif fact.kind == TURN and data["round"] == 0:
            told["bootstrap"] = data
        elif fact.kind == TURN:
            rounds[-1]["steps"][data["key"]] = data
        elif fact.kind == ENDED:
            told |= data
    return {**told, "rounds": rounds}
