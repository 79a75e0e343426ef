"""Equipment: what a host needs to work on a run.  Everything that performs a touch is registered here."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol, TypeAlias

from quintet.engine.created import Created
from quintet.engine.events import Event
from quintet.engine.failures import EngineError
from quintet.engine.paths import Path
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
"""An effect that lives in the store: performed in the very transaction that records what it gave.

It runs in the thread that writes, and no run commits anything while it works: it should look something up
and put something down, and nothing else.
"""
Asker: TypeAlias = Callable[[Asked], Awaitable[Json]]
"""Asks a person who is here, now; raises `Unanswered` where there is none.  It is cancelled when somebody
else has answered meanwhile, and what it gives is dropped where somebody was faster."""


class Audience(Protocol):
    """Who watches a run that is being worked on here.  What it raises stops the work, as a bug does."""

    def kept(self, run_id: str, events: Sequence[Event]) -> None:
        """These are in the log now.  The first that a run that was taken up gives are those that follow."""
        ...

    def said(self, run_id: str, path: Path, piece: str) -> None:
        """A piece of what a touch is about to give; not redacted, and kept nowhere."""
        ...


class NoPerformer(EngineError):
    """A run asks for something that this host was not equipped for."""

    code = "no-performer"


class Broken(EngineError):
    """A performer raised what is no failure: the run stops, and can be resumed when that is mended."""

    code = "performer"

    @classmethod
    def performing(cls, what: str, error: BaseException) -> Broken:
        """Say so of an exception."""
        broken = cls(f"performing {what}: {type(error).__name__}: {error}")
        broken.__cause__ = error
        return broken


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
    audience: Audience | None = None

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
    overridden: Json = None
    """What differs from what the run says it was made of; the log says so where the run is taken up."""


Equip: TypeAlias = Callable[[Created], Equipment]
"""What it takes to work on a run, from what its log says it was made of."""
