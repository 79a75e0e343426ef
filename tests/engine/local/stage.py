"""A stage for the local host: a store, hosts over it, and performers that end when a test says so."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from functools import partial
from inspect import iscoroutinefunction
from typing import Any, cast
from unittest.mock import patch

from quintet.engine.context import Context
from quintet.engine.events import Event, Kind
from quintet.engine.failures import Failed, Failure
from quintet.engine.local import Equipment, LocalHost, Performers
from quintet.engine.local.crew import Crew
from quintet.engine.local.equipment import Equip
from quintet.engine.memory import Fault
from quintet.engine.paths import write
from quintet.engine.performing import Call
from quintet.engine.programs import Program, ProgramBody
from quintet.engine.questions import Field, Question
from quintet.engine.rules import DEFAULT_RULES, Rules
from quintet.engine.values import Json
from quintet.store.port import Batch, Lease, Store
from quintet.store.sqlite import SqliteStore
from tests.engine.local.faulty_store import FaultyStore
from tests.engine.local.virtual_time import VirtualLoop

QUESTION = Question("well?", (Field("choice", "choice", choices=("a", "b")),))


A_DAY = 24 * 3600.0


async def one_call(ctx: Context, arguments: Json) -> Json:
    return await ctx.tool("call", "please")


async def question(ctx: Context, arguments: Json) -> Json:
    return await ctx.ask("ask", QUESTION)


async def echo(call: Call) -> Json:
    """A performer that ends at once."""
    return call.name


class News:
    """Wakes who waits for something to become so."""

    def __init__(self) -> None:
        self._told = asyncio.Event()

    def tell(self) -> None:
        self._told.set()
        self._told = asyncio.Event()

    async def until(self, truth: Callable[[], bool]) -> None:
        while not truth():
            await self._told.wait()


class Hands:
    """A performer that ends when it is told, and tells when it begins."""

    def __init__(self, *, deaf: bool = False) -> None:
        self.began: list[str] = []
        """All that ever began, by the text of its path."""
        self.stopped: list[str] = []
        """What was told to stop."""
        self.most = 0
        """How much was ever performed at once."""
        self._deaf = deaf
        self._ends: dict[str, asyncio.Future[Json]] = {}
        self._news = News()

    async def __call__(self, call: Call) -> Json:
        path = write(call.path)
        end = self._ends[path] = asyncio.get_running_loop().create_future()
        self.began.append(path)
        self.most = max(self.most, len(self._ends))
        self._news.tell()
        try:
            return await self._wait(path, end)
        finally:
            del self._ends[path]

    async def _wait(self, path: str, end: asyncio.Future[Json]) -> Json:
        while True:
            try:
                return await asyncio.wait_for(asyncio.shield(end), A_DAY)  # no test that failed waits longer
            except asyncio.CancelledError:
                self.stopped.append(path)
                self._news.tell()
                if not self._deaf:
                    raise

    @property
    def under_way(self) -> Sequence[str]:
        """What has begun and was not told to end yet."""
        return [path for path, end in self._ends.items() if not end.done()]

    def give(self, path: str, value: Any = None) -> None:
        self._ends[path].set_result(value)

    def fail(self, path: str, error: BaseException | None = None) -> None:
        self._ends[path].set_exception(error or Failed(Failure("tool", "no")))

    async def until(self, count: int = 1) -> None:
        """Until so many performances have begun, all told."""
        await self._news.until(lambda: len(self.began) >= count)

    async def until_stopped(self, count: int = 1) -> None:
        """Until so many were told to stop, all told."""
        await self._news.until(lambda: len(self.stopped) >= count)


class TroubledStore(FaultyStore):
    """A store that raises what a test wants, at one append."""

    def __init__(self, store: Store, error: Exception, append: int, faults: Sequence[Fault] = ()) -> None:
        super().__init__(store, faults)
        self._error = error
        self._at = append

    async def append(self, lease: Lease, batch: Batch) -> Sequence[Event]:
        if self.appends + 1 == self._at:
            self.appends += 1
            raise self._error
        return await super().append(lease, batch)


class _Patient:
    """A store during whose work the clock does not jump: its threads live in real time."""

    def __init__(self, store: SqliteStore) -> None:
        self._store = store

    def __getattr__(self, name: str) -> Any:
        method = getattr(self._store, name)
        return partial(self._held, method) if iscoroutinefunction(method) else method

    async def _held(self, method: Callable[..., Awaitable[Any]], *args: Any, **options: Any) -> Any:
        loop = asyncio.get_running_loop()
        assert isinstance(loop, VirtualLoop)
        with loop.held():
            return await method(*args, **options)


async def _watch_nothing(crew: Crew) -> None:
    await asyncio.Event().wait()


@asynccontextmanager
async def memory_store() -> AsyncGenerator[SqliteStore]:
    """A store in memory, for `virtual_time`; no other process can hand anything in, so nobody looks."""
    store = await SqliteStore.open(":memory:")
    try:
        with patch.object(Crew, "_watch_inbox", _watch_nothing):
            yield cast(SqliteStore, _Patient(store))
    finally:
        await store.close()


def host_over(
    store: Store,
    body: ProgramBody,
    performers: Performers,
    *,
    rules: Rules = DEFAULT_RULES,
    limits: Mapping[Kind, int] | None = None,
    clock: Callable[[], float] | None = None,
) -> LocalHost:
    """A host for one program; its clock is that of the loop."""
    equip = given(body, performers, rules)
    return LocalHost(store, equip, limits=limits, clock=clock or asyncio.get_running_loop().time)


def given(body: ProgramBody, performers: Performers, rules: Rules = DEFAULT_RULES) -> Equip:
    """What it takes to work on a run of one program."""
    return lambda created: Equipment(Program("p", body), performers, rules)


def program(body: ProgramBody) -> Program:
    return Program("p", body)


async def kinds(store: Store, run_id: str = "run") -> list[str]:
    """The log of a run, without how it begins."""
    return [event.kind for event in (await store.log(run_id))[2:]]


async def until_kept(store: Store, kind: str, run_id: str = "run") -> None:
    """Until the log of a run holds such an event."""
    while kind not in await kinds(store, run_id):
        pass
