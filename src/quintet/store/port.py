"""The port behind which logs live.

A store keeps one append-only log a run, and makes four promises; `tests/store/conformance` proves them
of any implementation:

* what `append` has returned is kept, and events of one call are kept together or not at all;
* only the holder of a run's newest lease can append to it;
* an answer or a cancel handed in by anyone, from any process, is taken by the holder exactly once;
* a settlement (an effect that lives in the store) is in the transaction of its outcome.

Errors are here, but for two that the engine speaks of itself: `Held` and `LeaseLost` in `engine.failures`.

All methods are asynchronous and may be called from one event loop; a store does its waiting elsewhere.
What a caller asked for is done even if the caller is cancelled meanwhile; only a lease is let go again.

Data may be any JSON.  A name (of a run, a path, a target, a person) that holds half a surrogate pair is no
text, and is refused with a StoreError.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from quintet.engine.events import Event, Family
from quintet.engine.failures import EngineError
from quintet.engine.states import Shown, Status
from quintet.engine.values import Json
from quintet.store.holders import Holder


class StoreError(EngineError):
    """The store cannot do what was asked of it; nothing that was kept is lost."""

    code = "store"


class NoSuchRun(StoreError):
    code = "no-such-run"


class RunExists(StoreError):
    code = "run-exists"


class RunEnded(StoreError):
    """The run is completed, failed or cancelled: its log is complete, and nobody can take it up."""

    code = "run-ended"

    def __init__(self, run_id: str, status: Status) -> None:
        super().__init__(f"run {run_id} is {status}: nothing can be added to it")
        self.status = status


class AlreadyDecided(StoreError):
    """Another answer to the same question, or another cancel of the same run, came first."""

    code = "already-decided"

    def __init__(self, first: Request) -> None:
        super().__init__(f"already decided by {first.by or 'somebody else'}")
        self.first = first


class StoreBusy(StoreError):
    """Another program holds the database locked for longer than we wait."""

    code = "store-busy"


class StoreFull(StoreError):
    """No space is left where the store lives."""

    code = "store-full"


class StoreDamaged(StoreError):
    """What is in the file is not what was written."""

    code = "store-damaged"


class StoreNewer(StoreError):
    """The store was written by a newer release."""

    code = "store-newer"


class StoreClosed(StoreError):
    """This object was closed; the store itself is as it was."""

    code = "store-closed"


@dataclass(frozen=True, slots=True)
class NewRun:
    """What the list of runs shows of a run that begins."""

    id: str
    workflow: str
    format: str
    origin: str
    """The first run of a chain of retries: itself, unless it is a retry."""
    parent: str | None = None
    """The run that this one was forked from, or that it retries."""


@dataclass(frozen=True, slots=True)
class RunRow:
    """A line in the list of runs: a cache of what the log says."""

    id: str
    workflow: str
    format: str
    origin: str
    parent: str | None
    status: Status
    created: float
    updated: float
    """When the status last changed."""
    holder: Holder | None
    """The process that has claimed it, dead or alive."""
    alive: bool
    """False if nobody works on it: a `running` row that is not alive is interrupted."""

    @property
    def shown(self) -> Shown:
        """The status that people see."""
        interrupted = self.status in ("created", "running") and not self.alive
        return "interrupted" if interrupted else self.status


@dataclass(frozen=True, slots=True)
class Lease:
    """The right to append to a run, until somebody with a higher epoch has it."""

    run_id: str
    epoch: int


@dataclass(frozen=True, slots=True)
class Request:
    """Something that anybody asks of a run from outside, to be turned into events by its holder."""

    run_id: str
    verb: Literal["answer", "cancel"]
    target: str = ""
    """Which question or gate is answered: its path as text, or its name."""
    data: Json = None
    by: str = ""
    id: int = 0
    """Given by the store."""


class Shelf(Protocol):
    """Named values that outlive runs, within the transaction of an effect.  Expired entries are not there."""

    def get(self, namespace: str, key: str) -> Json: ...

    def put(self, namespace: str, key: str, value: Json, *, expires: float | None = None) -> None: ...

    def put_new(self, namespace: str, key: str, value: Json, *, expires: float | None = None) -> bool:
        """Put it unless there is one already; True if it was put."""
        ...

    def delete(self, namespace: str, key: str) -> bool:
        """True if it was there."""
        ...

    def keys(self, namespace: str) -> Sequence[str]:
        """In order."""
        ...


@dataclass(frozen=True, slots=True)
class Batch:
    """What one call of `append` keeps together."""

    events: Sequence[Event] = ()
    taken: Sequence[int] = ()
    """Requests that these events settle."""
    settle: Callable[[Shelf], Event] | None = None
    """An effect that lives in the store: run in the transaction; the event it gives is appended last.

    If it raises, nothing of it is kept, nor of this batch, and `append` raises the same.
    """


@dataclass(frozen=True, slots=True)
class RunFilter:
    """Which runs to list, newest first."""

    status: str | None = None
    """A status as shown, `interrupted` among them."""
    format: str | None = None
    workflow: str | None = None
    limit: int = 100
    before: str | None = None
    """Only runs created before this one: the cursor of the next page."""


ALL_RUNS = RunFilter()
"""The newest runs, whatever they are."""


@dataclass(frozen=True, slots=True)
class Pruned:
    """What `prune` took away."""

    runs: int = 0
    events: int = 0
    payloads: int = 0

    def __add__(self, other: Pruned) -> Pruned:
        return Pruned(self.runs + other.runs, self.events + other.events, self.payloads + other.payloads)


class Store(Protocol):
    """Where logs live."""

    holder: Holder
    """Who claims leases through this object."""

    async def create(self, run: NewRun, events: Sequence[Event]) -> Lease:
        """Keep a new run with its first events, `run.created` and on, and hold it.  Raises RunExists."""
        ...

    async def claim(self, run_id: str) -> Lease:
        """Take a run up: nobody holds it, its holder's process is gone, or its lease ran out.

        Raises NoSuchRun, RunEnded, or Held if somebody works on it (this very holder included).
        """
        ...

    async def release(self, lease: Lease) -> None:
        """Let a run go; a lease that was lost is let go silently."""
        ...

    async def append(self, lease: Lease, batch: Batch) -> Sequence[Event]:
        """Keep a batch; gives its events with their positions.  An event that ends the run lets it go.

        Raises LeaseLost, RunEnded, IllegalMove, StoreFull, StoreBusy, …; then nothing of the batch is kept.
        """
        ...

    async def log(
        self,
        run_id: str,
        *,
        after: int = 0,
        families: frozenset[Family] | None = None,
        limit: int | None = None,
    ) -> Sequence[Event]:
        """The events of a run behind a sequence number, in order.  Raises NoSuchRun."""
        ...

    async def last(self, run_id: str) -> Event:
        """The last event of a run.  Raises NoSuchRun."""
        ...

    async def unfinished(self, run_id: str) -> Sequence[Event]:
        """The starts in a run's log of what has neither an outcome nor been cancelled; without their data."""
        ...

    async def stream(self, *, after: int = 0, limit: int = 1000) -> Sequence[tuple[str, Event]]:
        """Events of all runs behind a position, each with the id of its run."""
        ...

    async def run(self, run_id: str) -> RunRow:
        """One line of the list.  Raises NoSuchRun."""
        ...

    async def runs(self, which: RunFilter = ALL_RUNS) -> Sequence[RunRow]:
        """The lines of the list that a filter lets through.  Raises NoSuchRun if `before` is forgotten."""
        ...

    async def request(self, request: Request) -> Request:
        """Hand a request in.  Raises NoSuchRun, RunEnded, AlreadyDecided.

        An answer to what was answered before is told so even if the run has ended since.
        """
        ...

    async def requests(self, run_id: str) -> Sequence[Request]:
        """The requests of one run that wait to be taken; none once it has ended."""
        ...

    async def answer_to(self, run_id: str, target: str) -> Request | None:
        """The answer that was handed in first, whether it waits or was taken; None where there is none."""
        ...

    async def refuse(self, request_id: int) -> None:
        """Put a request aside that cannot be met: what it answers is no longer asked.  Its place is free."""
        ...

    async def inbox(self) -> Sequence[Request]:
        """Requests not yet taken for runs that this holder holds.  Cheap when nothing has changed."""
        ...

    async def prune(self, *, ended_before: float, limit: int | None = None) -> Pruned:
        """Forget runs that ended before a time, and every payload that no other run needs."""
        ...

    async def backup(self, path: str) -> None:
        """A copy of the store as it is now, made while it is in use.  Nobody holds the runs of the copy."""
        ...

    async def close(self) -> None:
        """Let all runs go, and end; whatever is asked later raises StoreClosed.  To close again is fine."""
        ...


@dataclass(frozen=True, slots=True)
class StoreOptions:
    """How a store is opened."""

    durability: Literal["full", "normal"] = "full"
    """What a finished step survives: `full` a power cut, `normal` a killed process."""
    busy_seconds: float = 5.0
    lease_seconds: float = 30.0
    """After how long a holder elsewhere that gives no sign of life may be replaced."""
    payload_bytes: int = 4096
    """Data longer than this is stored once by its content."""
