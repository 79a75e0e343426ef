"""Touches, outcomes and commands: the words that a machine and its host exchange.

A *touch* is one thing that a program asks of the world.  The machine hands it to the host as the command to
perform it; the host answers with an *outcome*, which names the touch by its path.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from quintet.engine.events import Kind
from quintet.engine.failures import Failed, Failure
from quintet.engine.paths import Path, Segment, write
from quintet.engine.values import Json, decode, fingerprint

if TYPE_CHECKING:
    from quintet.engine.scopes import Result, Scope


LONGEST_SHOWN = 300
"""So many characters of a request are shown in messages."""


class Outcome(NamedTuple):
    """What became of a touch."""

    path: Path
    kind: Kind
    value: Json = None
    failure: Failure | None = None
    time: float = 0.0
    seq: int = 0
    """Its place in the log."""
    fingerprint: str | None = None
    """Of the request it answers; None where the host knows that it is the very touch."""


class Touch:
    """Something asked of the world: created by a verb of `Context`, opened when the program awaits it.

    The request is held as the text it had when it was asked: nothing that the program does with its own
    objects afterwards can change what is performed, recorded or compared.
    """

    __slots__ = (
        "_fingerprint", "_path", "cause", "kind", "name", "occurrence", "open", "opened", "scope", "text",
    )  # fmt: skip

    def __init__(self, scope: Scope, kind: Kind, name: str, text: str) -> None:
        self.scope = scope
        self.kind: Kind = kind
        self.name = name
        self.text = text
        self.occurrence = 0
        """Which of its name it is in its scope; it has a path from the moment it is opened."""
        self.open = False
        """True from the await until the outcome is delivered or the scope is cancelled."""
        self.cause = 0
        """The `seq` of the outcome that brought it about."""
        self.opened = 0.0
        """What `now()` was when it was opened: timers are due so many seconds after it."""
        self._path: Path | None = None
        self._fingerprint: str | None = None

    def __await__(self) -> Generator[Touch, Outcome, Json]:
        outcome = yield self
        if outcome.failure is not None:
            raise Failed(outcome.failure)
        return outcome.value

    @property
    def path(self) -> Path:
        if self._path is None:
            if self.kind == "deadline":  # an alarm is named by the scope that it limits
                self._path = self.scope.path
            else:
                self._path = (*self.scope.path, Segment(self.name, self.occurrence))
        return self._path

    @property
    def request(self) -> Json:
        return decode(self.text)

    @property
    def fingerprint(self) -> str:
        if self._fingerprint is None:
            self._fingerprint = fingerprint(self.kind, self.text)
        return self._fingerprint

    @property
    def renewals(self) -> int:
        """How often a definite failure has renewed its idempotency key."""
        return self.scope.renewals

    def outcome(
        self, value: Json = None, failure: Failure | None = None, time: float = 0.0, seq: int = 0
    ) -> Outcome:
        """The outcome of this very touch."""
        return Outcome(self.path, self.kind, value, failure, time, seq)

    def __repr__(self) -> str:
        return f"<{self.kind} {write(self.path)}>"


def shortened(text: str) -> str:
    """A request as messages show it."""
    return text if len(text) <= LONGEST_SHOWN else f"{text[:LONGEST_SHOWN]}…"


class Note(NamedTuple):
    """Something worth seeing, said by the program."""

    path: Path
    kind: str
    text: str
    """Its data, as JSON text."""
    cause: int


class Stop(NamedTuple):
    """The command to stop performing a touch: whatever still comes of it is late."""

    touch: Touch
    cause: int


class Finished(NamedTuple):
    """The program has ended."""

    result: Result[Any]


Command: TypeAlias = Touch | Note | Stop | Finished
"""What the machine asks of its host; a `Touch` among them is to be performed."""
