"""The campaign of `tests/engine/test_campaign.py` on the local host: asyncio, threads and SQLite.

Here the order in which things happen is left to the machine; the promises are the same.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from contextlib import suppress
from random import Random

import pytest

from quintet.engine.events import Event
from quintet.engine.failures import Failed, Failure
from quintet.engine.local import Equipment, LocalHost, Performers, Unanswered
from quintet.engine.local import crew as crew_module
from quintet.engine.memory import Crash, Fault
from quintet.engine.paths import write
from quintet.engine.performing import Call
from quintet.engine.questions import Asked
from quintet.engine.states import ENDED
from quintet.engine.values import Json
from quintet.store.port import NoSuchRun, RunEnded, Shelf, Store
from quintet.store.sqlite import SqliteStore
from tests.engine.lives import Life, check_lives, check_log, reply, rules, says
from tests.engine.local.faulty_store import FaultyStore
from tests.engine.local.virtual_time import run
from tests.engine.programs import World, generate, program


@pytest.fixture(autouse=True)
def _no_polling(monkeypatch: pytest.MonkeyPatch) -> None:
    """Virtual time passes fast, and each look into the inbox is real."""
    monkeypatch.setattr(crew_module, "INBOX_SECONDS", 3600.0)


class Story:
    """A run of a random program on the local host, told life by life."""

    def __init__(self, seed: int, size: int) -> None:
        self.seed = seed
        self._rules = rules(gated=seed % 2 == 0, queued=seed % 3 == 0)
        self._world = World(seed)
        self._random = Random(seed)
        self._performed: list[Call] = []
        performers = Performers(
            model=self._perform,
            tool=self._perform,
            effects={"x": self._perform},
            shelf={"y": self._on_shelf},
            ask=self._answer if seed % 3 else None,
        )
        self._equipment = Equipment(program(generate(Random(seed), size)), performers, self._rules)

    async def tell(self, faults: Sequence[Fault], *, cancel: float | None = None) -> int:
        """Live until the run ends, dying at every fault on the way; gives how many appends that took."""
        real = await SqliteStore.open(":memory:")
        store = FaultyStore(real, faults)
        try:
            await self._live_on(store, cancel)
        finally:
            await real.close()
        return store.appends

    async def _live_on(self, store: FaultyStore, cancel: float | None) -> None:
        lives: list[Life] = []
        log: Sequence[Event] = []
        for _ in range(500):
            before, self._performed = log, []
            with suppress(Crash, RunEnded):  # it was cancelled before it could be answered, or the other way
                async with LocalHost(
                    store.face, lambda created: self._equipment, clock=asyncio.get_running_loop().time
                ) as host:
                    await self._live(host, store.face, cancel)
            lives.append(Life(before, self._performed))
            with suppress(NoSuchRun):
                log = await store.face.log("run")
                if (await store.face.run("run")).status in ENDED:
                    break
        else:
            raise AssertionError(f"seed {self.seed}: it never ends")
        check_lives(lives, log)
        check_log(
            log[: store.began["run"]] if log[-1].kind == "run.cancelled" else log,
            self._equipment.program,
            self._rules,
        )

    async def _live(self, host: LocalHost, store: Store, cancel: float | None) -> None:
        try:
            run = await host.resume("run")
        except NoSuchRun:
            run = await host.start(self._equipment.program, run_id="run")
        if cancel is not None:
            await asyncio.sleep(cancel)
            await host.cancel("run")
        report = await run.wait()
        if report.status == "paused":
            asked = self._random.choice(report.asked)
            answered = await host.answer("run", asked.target, reply(self.seed, asked))
            assert answered is not None
            await answered.wait()

    async def _perform(self, call: Call) -> Json:
        self._performed.append(call)
        given = says(self._world, call)
        await self._take_time()
        if isinstance(given, Failure):
            raise Failed(given)
        assert not isinstance(given, Exception)
        return given  # pyright: ignore[reportReturnType] - what is no Failure is JSON

    def _on_shelf(self, shelf: Shelf, call: Call) -> Json:
        count = shelf.get("campaign", write(call.path))
        assert count is None, "an effect of the store has happened twice"
        given = says(self._world, call)
        shelf.put("campaign", write(call.path), 1)
        if isinstance(given, Failure):
            raise Failed(given)
        return given  # pyright: ignore[reportReturnType] - what is no Failure is JSON

    async def _answer(self, asked: Asked) -> Json:
        if self._random.random() < 0.3:
            raise Unanswered
        await self._take_time()
        return reply(self.seed, asked)

    async def _take_time(self) -> None:
        """Nothing, or a while; one performer in ten does not hear that it should stop."""
        delay = self._random.choice((0.0, 0.0, 0.3, 5.0))
        if self._random.random() < 0.1:
            with suppress(asyncio.CancelledError):
                await asyncio.sleep(delay)
        elif self._random.random() < 0.5:
            await asyncio.sleep(delay)


def cut_everywhere(seed: int, size: int, *, every: int) -> None:
    """One program: undisturbed, then dying at appends in each of the ways, then cancelled."""
    story = Story(seed, size)
    appends = run(story.tell(()))
    for append in range(1 + seed % every, appends + 1, every):
        for kind in ("crash before", "crash after"):
            run(story.tell((Fault(kind, append), Fault("crash after", append + 1 + append % 7))))
    run(story.tell((), cancel=Random(seed).choice((0.0, 0.5, 3.0))))


@pytest.mark.parametrize("seed", range(12))
def test_a_run_cut_at_an_append_goes_on_as_its_log_says(seed: int) -> None:
    cut_everywhere(seed, 40 + seed, every=4)


@pytest.mark.long
def test_runs_cut_at_any_append_go_on_as_their_logs_say_for_hours(seeds: Iterator[int]) -> None:
    for seed in seeds:
        cut_everywhere(seed, 30 + seed % 100, every=1)
