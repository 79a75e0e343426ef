"""What the suite is given, and what it puts into stores."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

from quintet.engine.events import Event
from quintet.engine.paths import Segment
from quintet.store.holders import Holder, this_process
from quintet.store.port import Batch, Lease, NewRun, Store

LEASE_SECONDS = 30.0
PAYLOAD_BYTES = 4096
AT = (Segment("review"), Segment("model", 2))
"""Where the events of the suite happen."""


@dataclass
class Clock:
    """Time stands still until a test moves it."""

    now: float = 1_700_000_000.0

    def __call__(self) -> float:
        return self.now


class Stores(Protocol):
    """One store, opened as often as a test likes, with the default `StoreOptions`."""

    clock: Clock
    """The clock of all that were opened."""

    async def open(self, holder: Holder | None = None) -> Store:
        """One more object over the same store, as another process would have it; closed after the test."""
        ...

    async def open_copy(self, path: Path) -> Store:
        """A store that `backup` made."""
        ...

    async def beat(self, store: Store) -> None:
        """Have it give the sign of life that it gives by itself now and then."""
        ...


def elsewhere(name: str = "elsewhere") -> Holder:
    """A process on another machine: it cannot be looked up from here."""
    return replace(this_process(), host=name, boot=f"boot of {name}")


def killed() -> Holder:
    """A process of this machine that is gone: its pid belongs to one that started at another time."""
    return replace(this_process(), started="1")


def new_run(run_id: str = "r1", *, workflow: str = "review", format: str = "car") -> NewRun:  # noqa: A002 the port's name
    return NewRun(run_id, workflow, format, origin=run_id)


def event(seq: int, kind: str = "step.started", data: str = "null") -> Event:
    """An event at a time of its own."""
    path = () if kind.startswith("run.") else AT
    fingerprint = "f" * 32 if kind.startswith("model.") else None
    return Event(seq, 1000.0 + seq, kind, path, max(seq - 2, 0), data, fingerprint)


def events(first: int, *kinds: str) -> list[Event]:
    return [event(seq, kind) for seq, kind in enumerate(kinds, first)]


def beginning() -> list[Event]:
    """How every log begins; the next event is number 3."""
    return events(1, "run.created", "run.started")


async def begin(store: Store, run_id: str = "r1") -> Lease:
    """A run under way."""
    return await store.create(new_run(run_id), beginning())


async def end(store: Store, lease: Lease, seq: int = 3, kind: str = "run.completed") -> None:
    await store.append(lease, Batch(events(seq, kind)))
