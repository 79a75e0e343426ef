"""The host: what can be done with runs, whether they are being worked on or not."""

from __future__ import annotations

import asyncio
import time
import uuid
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Final, TypeAlias

from quintet.engine import takeover
from quintet.engine.created import Created
from quintet.engine.events import Event, Family, Kind
from quintet.engine.execution import Execution
from quintet.engine.failures import EngineError, Held
from quintet.engine.local.asking import acceptable
from quintet.engine.local.crew import Crew, Job, Run
from quintet.engine.local.equipment import Equip, Equipment
from quintet.engine.open_questions import open_questions, was_answered
from quintet.engine.paths import Path
from quintet.engine.programs import Program
from quintet.engine.run_ids import usable
from quintet.engine.states import ENDED
from quintet.engine.takeover import Source, Takeover
from quintet.engine.values import Json
from quintet.store.port import AlreadyDecided, Batch, Lease, NewRun, Request, RunEnded, Store

_REPLAYED: Final[frozenset[Family]] = frozenset(("outcome", "host"))
_ASKING: Final[frozenset[Family]] = frozenset(("outcome", "start", "host"))

MOMENT = 1.0
"""Seconds that whoever has handed something in is given to act on it before somebody else does."""


class NotAsked(EngineError):
    """An answer to something that the run does not ask, or does not ask any more."""

    code = "not-asked"


Revise: TypeAlias = Callable[[Created], Created]
"""What a run that takes another one over is made from, where that is not the same."""


def unchanged(created: Created) -> Created:
    """From the very same."""
    return created


def new_id() -> str:
    """An id for a run."""
    return uuid.uuid4().hex


def _chosen(run_id: str | None) -> str:
    """The id of a new run: what somebody wants to call it, or one of our own.  Raises UnusableId."""
    return new_id() if run_id is None else usable(run_id)


class LocalHost:
    """Works on runs in this process, over a store.

        async with LocalHost(store, equip) as host:
            run = await host.start(program, "the question")
            report = await run.wait()

    Leaving the block suspends what still runs: whoever resumes it goes on where it was.
    """

    def __init__(
        self,
        store: Store,
        equip: Equip,
        *,
        limits: Mapping[Kind, int] | None = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        """Work over a store.

        Args:
            store: Where the logs live.
            equip: What it takes to work on a run, from what its log says it was made of.
            limits: How many touches of a kind may be performed at once, in all runs together.
            clock: Seconds since 1970.
        """
        self._store = store
        self._equip = equip
        self._clock = clock
        self._crew = Crew(store, self._take_up, limits=limits or {}, clock=clock)

    async def __aenter__(self) -> LocalHost:
        return self

    async def __aexit__(self, *exception: object) -> None:
        await self.suspend()

    # Beginning to work

    async def start(
        self,
        program: Program,
        arguments: Json = None,
        *,
        run_id: str | None = None,
        workflow: str = "",
        format: str = "",  # noqa: A002 - the word that users know
        pinned: Mapping[str, Json] | None = None,
        equip: Equip | None = None,
    ) -> Run:
        """Keep a new run, and work on it.  Raises RunExists."""
        run_id, now = _chosen(run_id), self._clock()
        created = Created.of(program, arguments, origin=run_id, now=now, pinned=pinned)
        equip = equip or self._equip
        equipment = equip(created)
        events = created.first_events(now, equipment.rules.redactor)
        execution = Execution(program, events, rules=equipment.rules)
        new = NewRun(run_id, workflow, format, run_id)
        return await self._begin(new, Takeover(execution, events), equipment, equip)

    async def resume(self, run_id: str, *, equip: Equip | None = None) -> Run:
        """Take up a run that nobody works on.  Raises NoSuchRun, RunEnded, Held, Diverged, Unsupported."""
        return self._crew.employ(await self._take_up(run_id, equip or self._equip))

    async def fork(
        self,
        run_id: str,
        at: Path,
        *,
        new_run: str | None = None,
        equip: Equip | None = None,
        revise: Revise = unchanged,
    ) -> Run:
        """A new run that keeps what was known when the step at a path began, and goes on from there."""
        equip, new_run = equip or self._equip, _chosen(new_run)
        source = Source(run_id, await self._store.log(run_id))
        created = revise(source.created)
        equipment = equip(created)
        program, rules, now = equipment.program, equipment.rules, self._clock()
        new = takeover.fork(source, at, program, run_id=new_run, now=now, created=created, rules=rules)
        return await self._continue(new_run, source, new, equipment, equip)

    async def retry(
        self,
        run_id: str,
        *,
        new_run: str | None = None,
        equip: Equip | None = None,
        revise: Revise = unchanged,
    ) -> Run:
        """A failed run again, as a new one: what completed there is not performed again."""
        equip = equip or self._equip
        source = Source(run_id, await self._store.log(run_id))
        created = revise(source.created)
        equipment = equip(created)
        program, rules, now = equipment.program, equipment.rules, self._clock()
        new = takeover.retry(source, program, now=now, created=created, rules=rules)
        return await self._continue(_chosen(new_run), source, new, equipment, equip)

    # What people ask of runs, wherever these are worked on

    async def answer(
        self, run_id: str, target: str, answer: Json, *, by: str = "", equip: Equip | None = None
    ) -> Run | None:
        """Answer what a run asks, and let it go on; gives None where another process works on it.

        Raises AlreadyDecided where somebody was faster, even if the run has ended since; else RunEnded,
        NotAsked, or WrongAnswer.
        """
        log = await self._store.log(run_id, families=_ASKING)
        asked = {each.target: each.question for each in open_questions(log)}
        if target not in asked:
            raise await self._not_asked(run_id, target, log)
        created = Created.from_event(log[0])
        redactor = self._crew.redactor(run_id) or (equip or self._equip)(created).rules.redactor
        clean = acceptable(answer, asked[target], redactor)
        try:
            request = await self._store.request(Request(run_id, "answer", target, clean, by))
        except AlreadyDecided:
            if await self._is_left_waiting(run_id):
                with suppress(RunEnded):
                    await self._go_on(run_id, equip)
            raise
        if self._crew.hand_in(request):
            return self._crew.run(run_id)
        try:
            return await self._go_on(run_id, equip)
        except RunEnded:
            if await self._store.answer_to(run_id, target) is None:
                raise  # it was put aside
            return None

    async def cancel(self, run_id: str, *, by: str = "") -> None:
        """Have a run cancelled: at once where nobody works on it, else by whoever does.

        Raises RunEnded, or AlreadyDecided where somebody else has it cancelled.
        """
        try:
            request = await self._store.request(Request(run_id, "cancel", by=by))
        except AlreadyDecided:
            if await self._is_left_waiting(run_id):
                await self._cancel_idle(run_id)
            raise
        if not self._crew.hand_in(request):
            await self._cancel_idle(run_id)

    async def suspend(self, grace: float = 0.0) -> None:
        """Let all runs go, so that they can be resumed; performers have so many seconds to end in peace."""
        await self._crew.suspend(grace)

    async def abort(self) -> None:
        """Let all runs go at once; whatever is being performed is performed again some day."""
        await self._crew.abort()

    # How

    async def _not_asked(self, run_id: str, target: str, log: Sequence[Event]) -> EngineError:
        """Why it cannot be answered."""
        if first := await self._store.answer_to(run_id, target):
            return AlreadyDecided(first)
        if (status := log[-1].kind.removeprefix("run.")) in ENDED:
            return RunEnded(run_id, status)
        why = ": it was answered already" if was_answered(log, target) else ""
        return NotAsked(f"run {run_id} does not ask {target!r}{why}")

    async def _is_left_waiting(self, run_id: str) -> bool:
        """Whether nobody acts on what was handed in: whoever did so may have died before the run went on."""
        for pause in (0.0, MOMENT):
            await asyncio.sleep(pause)
            if not await self._store.requests(run_id):
                return False
        return True

    async def _go_on(self, run_id: str, equip: Equip | None) -> Run | None:
        """Take up a run for which something was handed in, unless somebody has."""
        with suppress(Held):
            return await self.resume(run_id, equip=equip)
        return self._crew.run(run_id)

    async def _claim(self, run_id: str) -> Lease:
        await self._crew.release_rest(run_id)
        return await self._store.claim(run_id)

    async def _take_up(self, run_id: str, equip: Equip) -> Job:
        """Claim a run, and replay it to the end of its log."""
        lease = await self._claim(run_id)
        try:
            log = await self._store.log(run_id, families=_REPLAYED)
            last = await self._store.last(run_id)
            starts = await self._store.unfinished(run_id)
            requests = await self._store.requests(run_id)
            equipment = equip(Created.from_event(log[0]))
            execution = Execution(
                equipment.program,
                log,
                last=last,
                starts=starts,
                rules=equipment.rules,
                overridden=equipment.overridden,
            )
            return Job(lease, execution, equipment, equip, requests)
        except BaseException:
            await self._crew.release(lease)
            raise

    async def _continue(
        self, run_id: str, source: Source, new: Takeover, equipment: Equipment, equip: Equip
    ) -> Run:
        """Begin a run that has taken outcomes over."""
        old = await self._store.run(source.run_id)
        origin = new.execution.created.origin
        run = NewRun(run_id, old.workflow, old.format, origin, source.run_id)
        return await self._begin(run, new, equipment, equip)

    async def _begin(self, run: NewRun, new: Takeover, equipment: Equipment, equip: Equip) -> Run:
        """Keep a new run, and work on it."""
        try:
            lease = await self._store.create(run, new.events)
        except BaseException:
            new.execution.close()
            raise
        if equipment.performers.audience is not None:
            equipment.performers.audience.kept(run.id, new.events)
        return self._crew.employ(Job(lease, new.execution, equipment, equip, changed=new.changed))

    async def _cancel_idle(self, run_id: str) -> None:
        """Where nobody works on a run there is nothing to stop: its log ends here."""
        with suppress(Held, RunEnded):
            lease = await self._claim(run_id)
            try:
                last, requests = await self._store.last(run_id), await self._store.requests(run_id)
                now = max(last.time, self._clock())
                cancelled = Event(last.seq + 1, now, "run.cancelled", (), 0, "null")
                taken = [each.id for each in requests if each.verb == "cancel"]
                await self._store.append(lease, Batch([cancelled], taken))
            finally:
                await self._crew.release(lease)
