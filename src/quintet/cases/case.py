"""Case: one run of a workflow, offline, and what is expected of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from quintet.engine.values import Json


@dataclass(frozen=True, slots=True)
class Case:
    """What a test says."""

    name: str
    file: Path
    """The file that says it."""
    workflow: Path
    script: Path | Mapping[str, Any] | None = None
    """The script that answers, or what it says."""
    cassette: Path | None = None
    """The cassette that answers."""
    prompt: str | None = None
    inputs: Mapping[str, Json] = field(default_factory=dict[str, Json])
    agents: Path | None = None
    """The folder in which agents are defined."""
    config: Path | None = None
    """The project's settings."""
    answers: Mapping[str, Json] = field(default_factory=dict[str, Json])
    """What a person answers, by where that is asked."""
    expect: Mapping[str, Json] | None = None
    """What is to come of it; None: what came of the run that was recorded, or that it completes."""


@dataclass(frozen=True, slots=True)
class Result:
    """What came of a case."""

    case: Case
    seconds: float
    differences: tuple[str, ...] = ()
    """Lines that say what is not as expected."""

    @property
    def passed(self) -> bool:
        return not self.differences
