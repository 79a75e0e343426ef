"""The writer: the one thread that changes the file.

Whoever wants something kept hands in a job, a function over the database.  The thread takes all jobs that
are waiting and performs them in one transaction, so that runs and branches share the price of a commit;
while one transaction reaches the disk, the next jobs gather.  A job that fails takes back only what it did
itself; a commit that fails, fails all of them.  What came of them goes back to the event loop in one call.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from queue import Empty, SimpleQueue
from time import monotonic
from typing import Any, NamedTuple, TypeAlias, TypeVar

from quintet.store.port import StoreClosed, StoreError
from quintet.store.sqlite.database import Database

T = TypeVar("T")
Work: TypeAlias = Callable[[Database], T]

_MOST = 256
"""So many jobs share a transaction at most: later ones need not wait for all of a long queue."""


class _Job(NamedTuple):
    work: Work[Any]
    future: asyncio.Future[Any] | None = None


class _Done(NamedTuple):
    """What came of a job."""

    future: asyncio.Future[Any] | None
    value: Any
    error: BaseException | None


class Writer:
    """Performs jobs, in the order in which they were handed in."""

    def __init__(self, database: Database, *, beat: Work[None], every: float, last: Work[None]) -> None:
        """`beat` is a sign of life, given `every` so many seconds; `last` is the job before the end."""
        self._database = database
        self._beat = _Job(beat)
        self._every = every
        self._next_beat = monotonic() + every
        self._last = _Job(last)
        self._jobs: SimpleQueue[_Job | None] = SimpleQueue()
        self._loop = asyncio.get_running_loop()
        self._ended = self._loop.create_future()
        self._closing = False
        threading.Thread(target=self._work, name="quintet-writer", daemon=True).start()

    def submit(self, work: Work[T]) -> asyncio.Future[T]:
        """Hand a job in.  It is performed even if nobody waits for it any more."""
        self.check_open()
        future: asyncio.Future[T] = self._loop.create_future()
        self._jobs.put(_Job(work, future))
        return future

    def check_open(self) -> None:
        if self._closing:
            raise StoreClosed("the store is closed")

    async def close(self) -> None:
        """Perform what was handed in, and the last job; then end."""
        if not self._closing:
            self._closing = True
            self._jobs.put(None)
        await asyncio.shield(self._ended)

    # --- in the thread ---------------------------------------------------------------------------

    def _work(self) -> None:
        while self._turn():
            pass
        self._perform([self._last])
        with suppress(Exception):  # whatever was kept is kept
            self._database.close()
        self._tell([_Done(self._ended, None, None)])

    def _turn(self) -> bool:
        """Perform what waits, and hold on to nothing of it after that; False if it was the last turn."""
        jobs = self._waiting()
        is_last = bool(jobs) and jobs[-1] is None
        return self._tell(self._perform([job for job in jobs if job])) and not is_last

    def _waiting(self) -> list[_Job | None]:
        """All jobs that are waiting, once there is one; a sign of life among them when it is time for it."""
        jobs: list[_Job | None] = []
        with suppress(Empty):
            jobs.append(self._jobs.get(timeout=max(0.0, self._next_beat - monotonic())))
            while len(jobs) < _MOST:
                jobs.append(self._jobs.get_nowait())
        if monotonic() >= self._next_beat:
            self._next_beat = monotonic() + self._every
            jobs.insert(0, self._beat)
        return jobs

    def _perform(self, jobs: Sequence[_Job]) -> Sequence[_Done]:
        """All jobs in one transaction, with savepoints around them where there are several."""
        if not jobs:
            return []
        perform = self._alone if len(jobs) == 1 else self._beside
        try:
            self._database.run("BEGIN IMMEDIATE")
            done = [perform(job) for job in jobs]
            self._database.run("COMMIT")
            return done
        except BaseException as error:
            return self._all_failed(jobs, error)

    def _alone(self, job: _Job) -> _Done:
        return _Done(job.future, job.work(self._database), None)

    def _beside(self, job: _Job) -> _Done:
        database = self._database
        database.run("SAVEPOINT job")
        try:
            done = self._alone(job)
        except BaseException as error:
            if not database.in_transaction:
                raise error if isinstance(error, StoreError) else database.given_up() from error
            done = _Done(job.future, None, error)
            database.run("ROLLBACK TO job")
        database.run("RELEASE job")
        return done

    def _all_failed(self, jobs: Sequence[_Job], error: BaseException) -> Sequence[_Done]:
        with suppress(Exception):  # the next transaction will tell; this thread must live to ask for it
            self._database.rollback()
        return [_Done(job.future, None, error) for job in jobs]

    def _tell(self, done: Sequence[_Done]) -> bool:
        """Give back what came of jobs; False if the event loop is closed: nobody can wait any more."""
        try:
            self._loop.call_soon_threadsafe(_hand_back, done)
        except RuntimeError:
            return False
        return True


def _hand_back(done: Sequence[_Done]) -> None:
    for future, value, error in done:
        if future is None or future.done():  # a sign of life, or whoever waited was cancelled
            continue
        if error is None:
            future.set_result(value)
        else:
            future.set_exception(error)
