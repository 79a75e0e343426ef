"""Workshop: a store with all its runs, and whatever can be done with them."""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncGenerator, Iterable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path as FilePath
from types import TracebackType
from typing import Any, Final, Literal, cast

from quintet.agents.calls import names_called
from quintet.agents.roster import Roster
from quintet.engine.created import Created
from quintet.engine.events import Event as LogEvent
from quintet.engine.events import Family
from quintet.engine.failures import EngineError, Failure
from quintet.engine.local import LocalHost
from quintet.engine.local.crew import Run as Working
from quintet.engine.local.equipment import Asker, Audience, Equip
from quintet.engine.local.host import NotAsked
from quintet.engine.paths import Path, without_attempts
from quintet.engine.values import Json, decode
from quintet.project import store_place
from quintet.record import Open, Run
from quintet.runs.cassettes import cassette_of, recordable, tape, write
from quintet.runs.chronicle import Chronicle
from quintet.runs.definitions import workflow_of
from quintet.runs.equipping import equipping, program_of
from quintet.runs.live import LiveRun, Watch
from quintet.runs.models import agents_of, project_of, roster_of, with_models
from quintet.runs.pinned import NOTHING, Overrides, Pinned
from quintet.runs.scripts import script_of
from quintet.store.port import ALL_RUNS, RunFilter, RunRow, Store, StoreOptions
from quintet.tracing.tracers import Tracers

_ACTS: Final[frozenset[Family]] = frozenset(("start", "outcome"))


class SeveralQuestions(EngineError):
    """An answer that does not say which question it is to."""

    code = "several-questions"


_DURABILITIES: frozenset[str] = frozenset({"full", "normal"})


class Workshop:
    """A store, and the host that works on its runs.

    async with Workshop.open("sqlite:///runs.db") as workshop:
        live = await workshop.resume("01K9XQ7M")
        run = await live
    """

    def __init__(
        self, store: Store, audience: Audience | None = None, *, tracing: bool | None = None
    ) -> None:
        """Use `open`, unless you have a store."""
        self.store = store
        self._audience = audience
        self._tracers = Tracers(asked=tracing)
        self._ports = AsyncExitStack()
        self._host = LocalHost(store, equipping(self._acts, self._log, tracers=self._tracers))

    @classmethod
    @asynccontextmanager
    async def open(
        cls,
        store: str | None = None,
        *,
        durability: Literal["full", "normal"] = "full",
        audience: Audience | None = None,
        tracing: bool | None = None,
    ) -> AsyncGenerator[Workshop]:
        """Open the store at an address, and close it in the end; what still runs then is suspended.

        `audience` is shown what happens to all runs that are worked on here.  Traces go where the project or
        the environment says; with `tracing`, through the OpenTelemetry providers that the application has set
        up, if it has; without, nowhere.
        """
        from quintet.store.sqlite import SqliteStore

        if durability not in _DURABILITIES:  # SQLite would take any other word for "off"
            raise ValueError(f"durability is 'full' or 'normal', not {durability!r}")
        place = store_place(store)
        if place != ":memory:":
            FilePath(place).parent.mkdir(parents=True, exist_ok=True)
        opened = await SqliteStore.open(place, StoreOptions(durability=durability))
        try:
            async with cls(opened, audience, tracing=tracing) as workshop:
                yield workshop
        finally:
            await opened.close()

    async def __aenter__(self) -> Workshop:
        from quintet.agents.models.ports import open_ports

        await self._ports.enter_async_context(open_ports())  # kept open from one request to the next
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._host.suspend()
        await self._ports.aclose()
        await self._tracers.aclose()

    # Beginning to work

    async def start(
        self,
        pinned: Pinned,
        arguments: Json,
        *,
        run_id: str | None = None,
        ask: Asker | None = None,
        continues: str | None = None,
    ) -> LiveRun:
        """A new run; its agents' conversations go on where those of the run ended that it `continues`.

        Raises RunExists, NoSuchRun.
        """
        if continues is not None:
            earlier = await self.store.run(continues)
            arguments = {**cast("Mapping[str, Json]", arguments), "continues": earlier.id}
        self._tracers.prepare(project_of(pinned).tracing)
        watch = Watch(self._audience)
        working = await self._host.start(
            program_of(pinned),
            arguments,
            run_id=run_id,
            workflow=pinned.workflow,
            format=pinned.format,
            pinned=pinned.to_json(),
            equip=self._equip(watch, ask),
        )
        return self._live(working, watch, pinned)

    async def resume(
        self, run_id: str, *, overrides: Overrides = NOTHING, ask: Asker | None = None
    ) -> LiveRun:
        """Go on after a crash, an interruption or a pause.  Raises NoSuchRun, RunEnded, Held, Diverged, …"""
        watch = Watch(self._audience)
        working = await self._host.resume(run_id, equip=self._equip(watch, ask, overrides))
        return await self._watched(working, watch, overrides)

    async def answer(
        self,
        run_id: str,
        answer: Json,
        *,
        question: str | None = None,
        by: str = "",
        overrides: Overrides = NOTHING,
        ask: Asker | None = None,
    ) -> LiveRun | None:
        """Answer what a run asks, and go on; None where another process works on it and goes on there.

        `question` is needed where there are several: its path as people read it, or its exact name.
        Raises NotAsked, SeveralQuestions, WrongAnswer, AlreadyDecided.
        """
        asked = await self.questions(run_id)
        target = _chosen(run_id, asked, question) if asked else question or ""
        watch = Watch(self._audience)
        equip = self._equip(watch, ask, overrides)
        working = await self._host.answer(run_id, target, answer, by=by, equip=equip)
        return None if working is None else await self._watched(working, watch, overrides)

    async def fork(
        self,
        run_id: str,
        at: str,
        *,
        new_run: str | None = None,
        overrides: Overrides = NOTHING,
        ask: Asker | None = None,
    ) -> LiveRun:
        """A new run that keeps what completed before the step at a path began.  Raises NoSuchStep."""
        log = await self.store.log(run_id)
        place = _told(run_id, log).place(at)
        watch = Watch(self._audience)
        revise = partial(_revised, overrides=overrides, earlier=_in_vain(log, place))
        equip = self._equip(watch, ask)
        working = await self._host.fork(run_id, place, new_run=new_run, equip=equip, revise=revise)
        return self._live(working, watch, await self.pinned(working.id))

    async def retry(
        self,
        run_id: str,
        *,
        new_run: str | None = None,
        overrides: Overrides = NOTHING,
        ask: Asker | None = None,
    ) -> LiveRun:
        """A failed run again, as a new one: does anew what failed or has changed.  Raises NothingToRetry."""
        earlier = _in_vain(await self.store.log(run_id))
        watch = Watch(self._audience)
        revise = partial(_revised, overrides=overrides, earlier=earlier)
        equip = self._equip(watch, ask)
        working = await self._host.retry(run_id, new_run=new_run, equip=equip, revise=revise)
        return self._live(working, watch, await self.pinned(working.id))

    async def cancel(self, run_id: str, *, by: str = "") -> None:
        """Have a run cancelled, wherever it is worked on."""
        await self._host.cancel(run_id, by=by)

    async def suspend(self, grace: float = 0.0) -> None:
        """Let all runs go, so that they can be resumed."""
        await self._host.suspend(grace)

    async def abort(self) -> None:
        """Let all runs go at once."""
        await self._host.abort()

    # Looking

    async def run(self, run_id: str) -> Run:
        """A run as its log tells it.  Raises NoSuchRun."""
        row = await self.store.run(run_id)
        return (await self._chronicle(run_id)).run(row.shown)

    async def runs(self, which: RunFilter = ALL_RUNS) -> Sequence[RunRow]:
        """What has run, newest first."""
        return await self.store.runs(which)

    async def pinned(self, run_id: str) -> Pinned | None:
        """What a run was made from."""
        (first,) = await self.store.log(run_id, limit=1)
        return Pinned.from_json(Created.from_event(first).pinned)

    async def cassette(self, run_id: str) -> str:
        """What its models and tools have said, as the text of a cassette.  Raises NoSuchRun, NoCassette."""
        await self.store.run(run_id)
        return tape(await self.store.log(run_id))

    async def questions(self, run_id: str) -> Sequence[Open]:
        """What a run asks now."""
        return (await self._chronicle(run_id)).questions

    async def inbox(self) -> Sequence[tuple[RunRow, Open]]:
        """Every question that a run waits on, newest run first."""
        rows = [row for row in await self.store.runs(RunFilter(limit=10_000)) if row.status in _ASKING]
        return [(row, question) for row in rows for question in await self.questions(row.id)]

    # How

    def _equip(self, watch: Watch, ask: Asker | None, overrides: Overrides = NOTHING) -> Equip:
        return equipping(
            self._acts, self._log, overrides=overrides, audience=watch, ask=ask, tracers=self._tracers
        )

    async def _acts(self, run_id: str) -> Sequence[LogEvent]:
        return await self.store.log(run_id, families=_ACTS)

    async def _log(self, run_id: str) -> Sequence[LogEvent]:
        return await self.store.log(run_id)

    async def _watched(self, working: Working, watch: Watch, overrides: Overrides) -> LiveRun:
        """A run that was taken up: what its log holds is told first."""
        if watch.chronicle is None:
            watch.begin(working.id, await self.store.log(working.id))
        pinned = await self.pinned(working.id)
        return self._live(working, watch, pinned and pinned.overridden(overrides))

    def _live(self, working: Working, watch: Watch, pinned: Pinned | None) -> LiveRun:
        file = None if pinned is None else pinned.record
        return LiveRun(
            working, watch, None if file is None else partial(self._record, working.id, FilePath(file))
        )

    async def _record(self, run_id: str, file: FilePath) -> FilePath:
        """Keep a cassette of a run that has ended or waits for a person."""
        write(file, await self.cassette(run_id))
        return file

    async def _chronicle(self, run_id: str) -> Chronicle:
        return _told(run_id, await self.store.log(run_id))


_ASKING = ("paused", "running", "created")


def ready(pinned: Pinned) -> Pinned:
    """What a run is made from, with a model for every agent.

    Raises, before a store is opened, what `start` would raise: NoModel among it.
    """
    program_of(pinned)
    if pinned.record is not None:
        recordable(pinned)
    if pinned.script is not None:
        script_of(pinned.script)
    if pinned.fake is not None:
        cassette_of(pinned.fake)
    if pinned.is_offline:
        return pinned
    workflow = workflow_of(pinned.definition, pinned.format, pinned.lenient)
    return with_models(pinned, agents_of(workflow))


def _chosen(run_id: str, asked: Sequence[Open], question: str | None) -> str:
    if question is None:
        if len(asked) > 1:
            known = ", ".join(one.path or one.target for one in asked)
            raise SeveralQuestions(f"run {run_id} asks {len(asked)} questions; say which: {known}")
        return asked[0].target
    for one in asked:
        if question in (one.target, one.path):
            return one.target
    known = ", ".join(one.path or one.target for one in asked)
    raise NotAsked(f"run {run_id} does not ask {question!r}; it asks {known}")


def _revised(created: Created, *, overrides: Overrides, earlier: Mapping[str, int]) -> Created:
    pinned = Pinned.from_json(created.pinned)
    if pinned is None:
        return created
    revised = pinned.overridden(overrides)
    name = workflow_of(revised.definition, revised.format, revised.lenient).name
    total = dict(Counter(pinned.earlier) + Counter(earlier))
    revised = replace(revised, workflow=name, earlier=total, record=overrides.record)
    return replace(created, pinned=revised.to_json())


def _told(run_id: str, log: Sequence[LogEvent]) -> Chronicle:
    chronicle = Chronicle(run_id)
    chronicle.hear(log)
    return chronicle


def _in_vain(log: Sequence[LogEvent], at: Path = ()) -> dict[str, int]:
    """How often each name was called under the steps that a run failed at, of those at a place."""
    last: Any = decode(log[-1].data)
    if log[-1].kind != "run.failed":
        return {}
    failed = [
        path for path in map(without_attempts, Failure.from_json(last["failure"]).at) if _meet(path, at)
    ]
    pinned = Pinned.from_json(Created.from_event(log[0]).pinned)
    roster = Roster() if pinned is None else roster_of(pinned)
    return dict(Counter(names_called((event for event in log if _is_under(event, failed)), roster)))


def _is_under(event: LogEvent, failed: Iterable[Path]) -> bool:
    seen = without_attempts(event.path)
    return any(seen[: len(path)] == path for path in failed)


def _meet(one: Path, other: Path) -> bool:
    """Whether one of two paths leads through the other."""
    return all(a == b for a, b in zip(one, other, strict=False))
