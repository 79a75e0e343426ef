"""The crew: the runs that are being worked on here, each by a worker in a task of its own."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, nullcontext, suppress
from typing import NamedTuple

from quintet.engine.events import Kind
from quintet.engine.execution import Execution
from quintet.engine.failures import Held
from quintet.engine.local.equipment import Equip, Equipment
from quintet.engine.local.worker import Worker
from quintet.engine.paths import Path
from quintet.engine.redaction import Redactor
from quintet.engine.reports import Report
from quintet.store.port import Lease, Request, RunEnded, Store, StoreClosed, StoreError

INBOX_SECONDS = 0.1
"""How often we look for what other processes ask of our runs."""


class Job(NamedTuple):
    """A run to be worked on, replayed to the end of its log."""

    lease: Lease
    execution: Execution
    equipment: Equipment
    equip: Equip
    """What it takes to take it up once more."""
    requests: Sequence[Request] = ()
    """What was handed in while nobody worked on it."""
    changed: Sequence[Path] = ()
    """What it has taken over although it asks something else now."""


class Run:
    """A run that is being worked on here."""

    def __init__(self, run_id: str, work: asyncio.Task[Report], changed: Sequence[Path] = ()) -> None:
        self.id = run_id
        self.changed = changed
        """What it has taken over from another run although it asks something else now."""
        self._work = work
        work.add_done_callback(lambda work: work.cancelled() or work.exception())  # waiting is optional

    async def wait(self) -> Report:
        """Until it ends, waits for a person, or is let go.  Raises EngineError where it cannot go on."""
        await asyncio.wait([self._work])
        return Report(self.id, "interrupted") if self._work.cancelled() else self._work.result()


class Crew:
    """Who works on what."""

    def __init__(
        self,
        store: Store,
        take_up: Callable[[str, Equip], Awaitable[Job]],
        *,
        limits: Mapping[Kind, int],
        clock: Callable[[], float],
    ) -> None:
        self._store = store
        self._take_up = take_up
        self._clock = clock
        self._permits = {kind: asyncio.Semaphore(most) for kind, most in limits.items()}
        self._workers: dict[str, Worker] = {}
        self._tasks: dict[str, asyncio.Task[Report]] = {}
        self._runs: dict[str, Run] = {}
        self._unreleased: dict[str, Lease] = {}
        self._inbox: asyncio.Task[None] | None = None
        self._grace: float | None = None
        """While all runs are being suspended: seconds that performers are given."""

    def employ(self, job: Job) -> Run:
        """Begin to work on a run."""
        run_id, worker = job.lease.run_id, self._enlist(job)
        work = self._attend(job, worker)
        task = self._tasks[run_id] = asyncio.create_task(work, name=f"quintet run {run_id}")
        task.add_done_callback(lambda task: self._dismiss(run_id, task))
        run = self._runs[run_id] = Run(run_id, task, job.changed)
        if self._inbox is None:
            self._inbox = asyncio.create_task(self._watch_inbox(), name="quintet inbox")
        return run

    def run(self, run_id: str) -> Run | None:
        """The run, if it is being worked on here."""
        return self._runs.get(run_id)

    def redactor(self, run_id: str) -> Redactor | None:
        """What takes secrets out of the answers to a run, if it is being worked on here."""
        worker = self._workers.get(run_id)
        return worker and worker.redactor

    def hand_in(self, request: Request) -> bool:
        """Hand a request to who works on its run.  False if nobody does, here."""
        worker = self._workers.get(request.run_id)
        if worker is not None:
            worker.hand_in(request)
        return worker is not None

    async def release(self, lease: Lease) -> None:
        """Let a run go; a store that cannot do so now is asked again when the run is taken up next."""
        try:
            await self._store.release(lease)
        except StoreClosed:
            pass
        except StoreError:
            self._unreleased[lease.run_id] = lease

    async def release_rest(self, run_id: str) -> None:
        """Let a run go that could not be let go before."""
        if run_id in self._unreleased:
            await self._store.release(self._unreleased[run_id])
            del self._unreleased[run_id]

    async def suspend(self, grace: float) -> None:
        self._grace = grace
        try:
            for worker in self._workers.values():
                worker.suspend(grace)
            while self._tasks:
                await asyncio.wait([*self._tasks.values()])
        finally:
            self._grace = None

    async def abort(self) -> None:
        while self._tasks:
            await asyncio.sleep(0)  # a task that has not begun could not let its run go
            for task in self._tasks.values():
                task.cancel()
            await asyncio.wait([*self._tasks.values()])

    # One run

    def _enlist(self, job: Job) -> Worker:
        """The worker for a run, to be reached from now on."""
        worker = self._workers[job.lease.run_id] = Worker(
            self._store, job.lease, job.execution, job.equipment, clock=self._clock, permit=self._permit
        )
        for request in job.requests:
            worker.hand_in(request)
        if self._grace is not None:
            worker.suspend(self._grace)
        return worker

    async def _attend(self, job: Job, worker: Worker) -> Report:
        """Work on a run, and once more if somebody handed an answer in while it was being unloaded."""
        while True:
            report = await self._work(job.lease, worker)
            if report.status != "paused" or self._grace is not None:
                return report
            if not await self._store.requests(report.run_id):
                return report
            try:
                job = await self._take_up(report.run_id, job.equip)
            except (Held, RunEnded):
                return report  # who handed it in has taken the run up
            worker = self._enlist(job)

    async def _work(self, lease: Lease, worker: Worker) -> Report:
        try:
            return await worker.work()
        finally:
            if self._workers.get(lease.run_id) is worker:
                del self._workers[lease.run_id]
            await self.release(lease)

    def _dismiss(self, run_id: str, task: asyncio.Task[Report]) -> None:
        if self._tasks.get(run_id) is task:  # else it was taken up again while it was being unloaded
            del self._tasks[run_id], self._runs[run_id]
        if not self._tasks and self._inbox is not None:
            self._inbox.cancel()
            self._inbox = None

    def _permit(self, kind: Kind) -> AbstractAsyncContextManager[object]:
        return self._permits.get(kind) or nullcontext()

    # What other processes ask

    async def _watch_inbox(self) -> None:
        while True:
            await asyncio.sleep(INBOX_SECONDS)
            with suppress(StoreError):  # the next look will tell, and so will the next append
                for request in await self._store.inbox():
                    self.hand_in(request)
