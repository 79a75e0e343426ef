"""A Hyperagent workflow: roles that take turns in rounds, until a transition says how it ends.

"Each document describes the roles involved, how sessions are created, shared state, prompt templates, and the
transitions that determine when a run should advance, exit, or emit a final outcome."  The types hold what
running it needs, and all of it is valid.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from quintet.formats.hyperagent.condition import Condition
from quintet.formats.hyperagent.parser import Parser

MAX_ROUNDS: Final = 10
"""Where neither the document nor the call says how many."""
BOOTSTRAP: Final = "bootstrap"

Templates: TypeAlias = tuple[tuple[str, str], ...]
"""Templates by the state key that they set, in the order of the file."""


@dataclass(frozen=True, slots=True)
class SessionEntry:
    role: str
    name_template: str | None = None


@dataclass(frozen=True, slots=True)
class Role:
    system_prompt: str
    parser: str
    tools: Mapping[str, bool] = field(default_factory=dict[str, bool])


@dataclass(frozen=True, slots=True)
class Transition:
    """Either an outcome, which ends the run and has a reason, or the step to go on with."""

    condition: Condition
    outcome: str | None = None
    reason: str = ""
    next_step: str | None = None
    updates: Templates = ()


@dataclass(frozen=True, slots=True)
class Step:
    key: str
    role: str
    prompt: tuple[str, ...]
    next: str | None
    updates: Templates
    transitions: tuple[Transition, ...]
    exits: tuple[Transition, ...]
    line: int
    """Where the file says it."""


@dataclass(frozen=True, slots=True)
class Outcome:
    outcome: str
    reason: str


@dataclass(frozen=True, slots=True)
class Round:
    start: str | None
    steps: tuple[Step, ...]
    max_rounds: int | None
    default: Outcome

    @property
    def first(self) -> str:
        """ "defaults to the first step if omitted" """
        return self.start or self.steps[0].key

    def after(self, step: Step) -> str | None:
        """ "the orchestrator falls back to `next` or step order" """
        if step.next is not None:
            return step.next
        keys = [one.key for one in self.steps]
        place = keys.index(step.key) + 1
        return keys[place] if place < len(keys) else None


@dataclass(frozen=True, slots=True)
class Document:
    id: str
    description: str
    model: str | None
    sessions: tuple[SessionEntry, ...]
    parsers: Mapping[str, Parser]
    roles: Mapping[str, Role]
    user: Mapping[str, Parser] | None
    """What inputs it takes; None where it does not say, and takes any."""
    state: Templates
    bootstrap: Step | None
    round: Round

    @property
    def steps(self) -> tuple[Step, ...]:
        """All of them, the bootstrap first."""
        return (() if self.bootstrap is None else (self.bootstrap,)) + self.round.steps
