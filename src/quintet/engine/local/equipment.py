"""Equipment: what a host needs to work on a run.  Everything that performs a touch is registered here."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from quintet.engine.created import Created
from quintet.engine.failures import EngineError
from quintet.engine.performing import Call
from quintet.engine.programs import Program
from quintet.engine.questions import Asked
from quintet.engine.rules import DEFAULT_RULES, Rules
from quintet.engine.touches import Touch
from quintet.engine.values import Json
from quintet.store.port import Shelf

Performer: TypeAlias = Callable[[Call], Awaitable[Json]]
"""Performs a touch: gives its value, or raises `Failed`.  Any other exception is a bug and stops the run."""
ShelfEffect: TypeAlias = Callable[[Shelf, Call], Json]
"""An effect that lives in the store: performed in the very transaction that records what it gave."""
Asker: TypeAlias = Callable[[Asked], Awaitable[Json]]
"""Asks a person who is here, now; raises `Unanswered` where there is none.  It is cancelled when somebody
else has answered meanwhile."""


class NoPerformer(EngineError):
    """A run asks for something that this host was not equipped for."""

    code = "no-performer"


class Unanswered(Exception):
    """The person who was asked here has not answered: the run waits until somebody does."""


def _no_effects() -> dict[str, Performer]:
    return {}


def _no_shelf_effects() -> dict[str, ShelfEffect]:
    return {}


@dataclass(frozen=True, slots=True)
class Performers:
    """Who performs what.  Timers need nobody: the host keeps them itself."""

    model: Performer | None = None
    tool: Performer | None = None
    effects: Mapping[str, Performer] = field(default_factory=_no_effects)
    """Effects outside the store, by the name of the service."""
    shelf: Mapping[str, ShelfEffect] = field(default_factory=_no_shelf_effects)
    """Effects in the store, by the name of the service."""
    ask: Asker | None = None

    def performer(self, touch: Touch, call: Call) -> Performer:
        """Who performs a touch outside the store."""
        match touch.kind:
            case "model":
                found = self.model
            case "tool":
                found = self.tool
            case _:
                found = self.effects.get(call.name)
        if found is None:
            raise NoPerformer(f"nobody here performs the {touch.kind} {call.name!r}")
        return found


@dataclass(frozen=True, slots=True)
class Equipment:
    """A run's program, and who performs what it asks."""

    program: Program
    performers: Performers = field(default_factory=Performers)
    rules: Rules = DEFAULT_RULES


Equip: TypeAlias = Callable[[Created], Equipment]
"""What it takes to work on a run, from what its log says it was made of."""
