"""Leases: who may add to a run.

A run has one holder, or none, and an epoch that grows with every claim.  An append names its epoch, so a
holder that was replaced while it slept can do no harm when it wakes up.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from quintet.engine.events import Event
from quintet.engine.failures import Held, LeaseLost
from quintet.engine.states import ENDED
from quintet.engine.values import decode, encode
from quintet.store.holders import Holder
from quintet.store.port import (
    Batch,
    Lease,
    NewRun,
    NoSuchRun,
    RunEnded,
    RunExists,
    Shelf,
    StoreError,
    StoreOptions,
)
from quintet.store.sqlite.database import Database
from quintet.store.sqlite.log import Tail
from quintet.store.sqlite.requests import refuse_all, take
from quintet.store.sqlite.shelf import SqliteShelf


@dataclass(frozen=True, slots=True)
class Leases:
    """What one holder may do with runs."""

    here: Holder
    options: StoreOptions
    clock: Callable[[], float]

    def create(self, database: Database, run: NewRun, events: Sequence[Event]) -> Lease:
        """A new run with its first events, held from the start."""
        if not events or events[0].kind != "run.created":
            raise StoreError(f"the log of run {run.id} must begin with run.created")
        if database.one("SELECT run FROM runs WHERE id = ?", run.id):
            raise RunExists(f"there is a run {run.id} already")
        self._sign(database)
        created = events[0].time
        database.run(
            "INSERT INTO runs (id, workflow, format, origin, parent, status, created, updated, epoch, holder)"
            " VALUES (?, ?, ?, ?, ?, 'none', ?, ?, 1, ?)",
            *(run.id, run.workflow, run.format, run.origin, run.parent, created, created, self.here.id),
        )
        number = database.last_rowid()
        Tail(database, run.id, number, "none", 0, self.options.payload_bytes).add(events)
        return Lease(run.id, 1)

    def claim(self, database: Database, run_id: str) -> Lease:
        """Take a run up that nobody works on."""
        row = database.row(
            "SELECT run, status, epoch, process, seen FROM runs LEFT JOIN holders ON holders.id = holder"
            " WHERE runs.id = ?",
            run_id,
        )
        if row is None:
            raise NoSuchRun(f"there is no run {run_id}")
        run, status, epoch, process, seen = row
        if status in ENDED:
            raise RunEnded(run_id, status)
        if process:
            holder = Holder.from_json(decode(process))
            if self.sees_at_work(holder, seen):
                raise Held(run_id, holder.describe())
            if holder.is_gone(self.here):
                _forget(database, holder.id)
        self._sign(database)
        database.run("UPDATE runs SET holder = ?, epoch = ? WHERE run = ?", self.here.id, epoch + 1, run)
        return Lease(run_id, epoch + 1)

    def append(self, database: Database, lease: Lease, batch: Batch) -> list[Event]:
        """A batch for a run that is held."""
        tail = self._tail(database, lease)
        for request in batch.taken:
            take(database, tail.run, request)
        events = tail.add(batch.events)
        if batch.settle:
            events += tail.add([_settled(database, batch.settle, self.clock())])
        if tail.status in ENDED:
            refuse_all(database, tail.run)
        return events

    def release(self, database: Database, lease: Lease) -> None:
        database.run(
            "UPDATE runs SET holder = NULL WHERE id = ? AND epoch = ? AND holder = ?",
            *(lease.run_id, lease.epoch, self.here.id),
        )

    def release_all(self, database: Database) -> None:
        """Let every run go: nobody will work here any more."""
        _forget(database, self.here.id)

    def beat(self, database: Database) -> None:
        """A sign of life, for holders elsewhere.

        Signs from the future were left by a clock that was put back since.  They count from now on: else
        nobody could replace a holder that is gone until the clock has caught up.
        """
        database.run("UPDATE holders SET seen = ?1 WHERE id = ?2 OR seen > ?1", self.clock(), self.here.id)

    def sees_at_work(self, holder: Holder, seen: float) -> bool:
        """Whether a holder still works, as far as that can be known here."""
        return holder.id == self.here.id or holder.is_at_work(
            self.here, silent=self.clock() - seen, patience=self.options.lease_seconds
        )

    def _sign(self, database: Database) -> None:
        """Say who holds runs here."""
        database.run(
            "INSERT INTO holders VALUES (?, ?, ?) ON CONFLICT (id) DO UPDATE SET seen = excluded.seen",
            *(self.here.id, encode(self.here.to_json()), self.clock()),
        )

    def _tail(self, database: Database, lease: Lease) -> Tail:
        """Where a holder goes on writing."""
        row = database.row(
            "SELECT run, status, epoch, holder, (SELECT max(seq) FROM events WHERE events.run = runs.run)"
            " FROM runs WHERE id = ?",
            lease.run_id,
        )
        if row is None:
            raise NoSuchRun(f"there is no run {lease.run_id}")
        run, status, epoch, holder, last = row
        if epoch == lease.epoch and status in ENDED:
            raise RunEnded(lease.run_id, status)
        if (epoch, holder) != (lease.epoch, self.here.id):
            raise LeaseLost(
                f"run {lease.run_id} was taken over or let go: nothing more may be added to it here"
            )
        return Tail(database, lease.run_id, run, status, last or 0, self.options.payload_bytes)


def _forget(database: Database, holder: str) -> None:
    """It holds nothing any more."""
    database.run("UPDATE runs SET holder = NULL WHERE holder = ?", holder)
    database.run("DELETE FROM holders WHERE id = ?", holder)


def _settled(database: Database, settle: Callable[[Shelf], Event], now: float) -> Event:
    try:
        event = settle(SqliteShelf(database, now))
    except StopIteration as error:  # which no future can carry
        raise RuntimeError("an effect of the store raised StopIteration") from error
    if not database.in_transaction:  # the effect has hidden the error
        raise database.given_up()
    return event
