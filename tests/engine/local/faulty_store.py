"""A store that dies at chosen appends, before or after it has kept what it was given."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from quintet.engine.events import Event
from quintet.engine.failures import LeaseLost
from quintet.engine.memory import Crash, Fault
from quintet.store.port import Batch, Lease, Store


class FaultyStore:
    """Passes everything on to a real store, but for the faults."""

    def __init__(self, store: Store, faults: Sequence[Fault] = ()) -> None:
        self.appends = 0
        self.began: dict[str, int] = {}
        """Where the latest append to each run began."""
        self._store = store
        self._faults = {(fault.append, fault.kind) for fault in faults}

    async def append(self, lease: Lease, batch: Batch) -> Sequence[Event]:
        self.appends += 1
        if (self.appends, "crash before") in self._faults:
            raise Crash(f"at append {self.appends}")
        if (self.appends, "lease lost") in self._faults:
            raise LeaseLost("somebody has taken the run over")
        events = await self._store.append(lease, batch)
        if events:
            self.began[lease.run_id] = events[0].seq - 1
        if (self.appends, "crash after") in self._faults:
            raise Crash(f"at append {self.appends}")
        return events

    if TYPE_CHECKING:

        @property
        def face(self) -> Store: ...

    else:

        @property
        def face(self):
            """The same, for who wants a store."""
            return self

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)
