"""Reports: what became of the work on a run, for whoever waits for it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from quintet.engine.events import Event
from quintet.engine.failures import Failure
from quintet.engine.questions import Asked
from quintet.engine.values import Json, decode

Ending: TypeAlias = Literal["completed", "failed", "cancelled", "paused", "interrupted"]


@dataclass(frozen=True, slots=True)
class Report:
    """How the work on a run ended, for good or for now."""

    run_id: str
    status: Ending
    output: Json = None
    failure: Failure | None = None
    asked: Sequence[Asked] = ()
    """What a paused run waits to be answered."""

    @classmethod
    def ended(cls, run_id: str, last: Event) -> Report:
        """What the last event of a run says: its output as it was recorded, without secrets."""
        data: Any = decode(last.data)
        match last.kind:
            case "run.completed":
                return cls(run_id, "completed", data["output"])
            case "run.failed":
                return cls(run_id, "failed", failure=Failure.from_json(data["failure"]))
            case _:
                return cls(run_id, "cancelled")
