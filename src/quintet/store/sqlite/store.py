"""The face of the store: the port's methods, each handed to the writer or to the reader."""

from __future__ import annotations

import asyncio
import time
import uuid
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from os import PathLike, fspath
from pathlib import Path

from quintet.engine.events import Event, Family
from quintet.store.holders import Holder, this_process
from quintet.store.port import (
    ALL_RUNS,
    Batch,
    Lease,
    NewRun,
    Pruned,
    Request,
    RunFilter,
    RunRow,
    StoreClosed,
    StoreError,
    StoreOptions,
)
from quintet.store.sqlite import backup, listing, log, requests, retention, schema
from quintet.store.sqlite.database import Database, open_reading, set_journal
from quintet.store.sqlite.leases import Leases
from quintet.store.sqlite.reader import Reader
from quintet.store.sqlite.writer import Work, Writer

IN_MEMORY = ":memory:"
PAUSE = 1.0
"""So many seconds before something is tried again that nobody waits for."""


class SqliteStore:
    """Logs in one SQLite file."""

    def __init__(self, place: str, leases: Leases, write: Database, read: Database) -> None:
        """Use `open`; this must be called in the event loop."""
        self.holder = leases.here
        self._place = place
        self._leases = leases
        self._writer = Writer(
            write, beat=leases.beat, every=leases.options.lease_seconds / 3, last=leases.release_all
        )
        self._reader = Reader(read)

    @classmethod
    async def open(
        cls,
        place: str | PathLike[str],
        options: StoreOptions | None = None,
        *,
        clock: Callable[[], float] = time.time,
        holder: Holder | None = None,
    ) -> SqliteStore:
        """Open a file, or make it; `:memory:` is gone when it is closed.

        Raises StoreNewer where a newer release has written it, StoreError where it is no store at all.
        """
        leases = Leases(holder or this_process(), options or StoreOptions(), clock)
        name = _name(place)
        write, read = await asyncio.to_thread(_connect, name, leases.options, clock())
        return cls(name, leases, write, read)

    async def create(self, run: NewRun, events: Sequence[Event]) -> Lease:
        return await self._lease(lambda database: self._leases.create(database, run, events))

    async def claim(self, run_id: str) -> Lease:
        return await self._lease(lambda database: self._leases.claim(database, run_id))

    async def release(self, lease: Lease) -> None:
        await self._writer.submit(lambda database: self._leases.release(database, lease))

    async def append(self, lease: Lease, batch: Batch) -> Sequence[Event]:
        return await self._writer.submit(lambda database: self._leases.append(database, lease, batch))

    async def log(
        self,
        run_id: str,
        *,
        after: int = 0,
        families: frozenset[Family] | None = None,
        limit: int | None = None,
    ) -> Sequence[Event]:
        return await self._reader.ask(lambda database: log.read(database, run_id, after, families, limit))

    async def last(self, run_id: str) -> Event:
        return await self._reader.ask(lambda database: log.last(database, run_id))

    async def unfinished(self, run_id: str) -> Sequence[Event]:
        return await self._reader.ask(lambda database: log.unfinished(database, run_id))

    async def stream(self, *, after: int = 0, limit: int = 1000) -> Sequence[tuple[str, Event]]:
        return await self._reader.ask(lambda database: log.stream(database, after, limit))

    async def run(self, run_id: str) -> RunRow:
        return await self._reader.ask(lambda database: listing.one(database, self._leases, run_id))

    async def runs(self, which: RunFilter = ALL_RUNS) -> Sequence[RunRow]:
        return await self._reader.ask(lambda database: listing.some(database, self._leases, which))

    async def request(self, request: Request) -> Request:
        return await self._writer.submit(lambda database: requests.hand_in(database, request))

    async def requests(self, run_id: str) -> Sequence[Request]:
        return await self._reader.ask(lambda database: requests.waiting(database, run_id))

    async def answer_to(self, run_id: str, target: str) -> Request | None:
        return await self._reader.ask(lambda database: requests.answer_to(database, run_id, target))

    async def refuse(self, request_id: int) -> None:
        await self._writer.submit(lambda database: requests.refuse(database, request_id))

    async def inbox(self) -> Sequence[Request]:
        return await self._reader.ask(lambda database: requests.waiting_for(database, self.holder.id))

    async def prune(self, *, ended_before: float, limit: int | None = None) -> Pruned:
        """Each run in a transaction that others may share, so that nobody waits for all of it."""
        runs = await self._reader.ask(lambda database: retention.candidates(database, ended_before, limit))
        pruned = Pruned()
        for run in runs:
            pruned += await self._writer.submit(partial(retention.forget, run=run, ended_before=ended_before))
        await self._writer.submit(lambda database: retention.sweep(database, self._leases.clock()))
        return pruned

    async def backup(self, path: str) -> None:
        """To a file that does not exist yet.  Raises StoreError if it does, or cannot be made."""
        self._writer.check_open()
        await asyncio.to_thread(backup.copy, self._place, Path(path), self._leases.options)

    async def beat(self) -> None:
        """A sign of life, for holders elsewhere; one is given every third of `lease_seconds` anyway."""
        await self._writer.submit(self._leases.beat)

    async def close(self) -> None:
        await asyncio.gather(self._reader.close(), self._writer.close())

    async def _lease(self, work: Work[Lease]) -> Lease:
        """A lease, which is let go again if whoever wanted it is cancelled meanwhile."""
        future = self._writer.submit(work)
        try:
            return await asyncio.shield(future)
        except asyncio.CancelledError:
            future.add_done_callback(self._unwanted)
            raise

    def _unwanted(self, future: asyncio.Future[Lease]) -> None:
        if not future.exception():
            self._let_go(future.result())

    def _let_go(self, lease: Lease) -> None:
        """Release what nobody waits for; where that fails, again a little later."""

        def again(released: asyncio.Future[None]) -> None:
            if isinstance(released.exception(), StoreError):
                released.get_loop().call_later(PAUSE, self._let_go, lease)

        with suppress(StoreClosed):  # then all are let go
            self._writer.submit(lambda database: self._leases.release(database, lease)).add_done_callback(
                again
            )


def _name(place: str | PathLike[str]) -> str:
    """What SQLite is asked to open: the same file whichever folder this process moves to."""
    if fspath(place) == IN_MEMORY:
        return f"file:/{uuid.uuid4().hex}?vfs=memdb"
    return str(Path(place).absolute())


def _connect(place: str, options: StoreOptions, now: float) -> tuple[Database, Database]:
    """The writing connection, with the tables ready, and the reading one."""
    write = Database(place, options)
    try:
        schema.check(write)
        if not write.writable:
            raise StoreError(f"{place} cannot be written: check its permissions")
        set_journal(write, options)
        schema.prepare(write, now)
        return write, open_reading(place, options)
    except BaseException:
        write.close()
        raise
