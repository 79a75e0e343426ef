"""Failures: what a program may meet, and what it may not.

There are two kinds of trouble, and they never mix.  A *failure* belongs to the workflow: a model refused,
a tool broke, time ran out.  It is a frozen value, recorded in the log, raised fresh for each who waits,
and a program may catch, retry or absorb it.  A *bug* belongs to the code: no program can catch it into a
result; the run stops with its log intact and can be resumed under a release that mends it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from quintet.engine.paths import Path, parse, write

if TYPE_CHECKING:
    from quintet.engine.values import Json


INTERRUPTED = "interrupted"
"""The kind of failure of what was cut, may have happened, and was taken as failed by a person."""


@dataclass(frozen=True, slots=True)
class Failure:
    """Why something did not succeed."""

    kind: str
    """A stable word to decide by: `timeout`, `rate_limit`, `provider`, `refused`, `tool`, `cancelled`, …"""
    message: str
    """A sentence for people."""
    definite: bool = False
    """True if it is certain that nothing happened out there: a new attempt needs a new idempotency key."""
    detail: Json = None
    at: tuple[Path, ...] = ()
    """Where it happened: the touches, or the steps that a program names, which a retry does again."""

    def located(self, path: Path) -> Failure:
        """The same, said to have happened at a path unless it already says where."""
        return self if self.at else replace(self, at=(path,))

    def to_json(self) -> dict[str, Json]:
        data: dict[str, Json] = {"kind": self.kind, "message": self.message}
        if self.definite:
            data["definite"] = True
        if self.detail is not None:
            data["detail"] = self.detail
        if self.at:
            data["at"] = [write(path) for path in self.at]
        return data

    @classmethod
    def from_json(cls, data: Any) -> Failure:
        return cls(
            kind=data["kind"],
            message=data["message"],
            definite=data.get("definite", False),
            detail=data.get("detail"),
            at=tuple(parse(text) for text in data.get("at", ())),
        )


class Failed(Exception):
    """A failure on its way through a program.  Programs raise it, too, to say that they have failed."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(failure.message)
        self.failure = failure

    def __str__(self) -> str:
        return self.failure.message


class BranchCancelled(Failed):
    """Raised to whoever awaits a branch that was cancelled."""


class Cancelled(BaseException):
    """Raised inside a cancelled scope at whatever it waits for, and at whatever it would wait for next.

    Plain clean-up code (`finally`) runs; clean-up that touches the world belongs to the parent.
    """


class EngineError(Exception):
    """Trouble that is no part of the workflow.  `code` is stable; the message says what to try next."""

    code = "engine"


class Held(EngineError):
    """Another process works on the run."""

    code = "held"

    def __init__(self, run_id: str, by: str) -> None:
        super().__init__(f"run {run_id} is being worked on by {by}")
        self.by = by


class LeaseLost(EngineError):
    """Somebody else has taken the run over: nothing more may be added to it here."""

    code = "lease-lost"


class ProgramError(EngineError):
    """A bug in a program: the run stops here, its log intact, resumable under a release that mends it."""

    code = "program"


class Diverged(EngineError):
    """A replay asked for something else than the log holds: the program changed under a recorded run."""

    code = "diverged"

    def __init__(self, path: Path, difference: str, version: str = "") -> None:
        recorded = f" (recorded by {version})" if version else ""
        super().__init__(f"at {write(path) or 'the start'}: {difference}{recorded}")
        self.path = path
        self.difference = difference
        self.version = version
