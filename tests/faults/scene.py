"""A store that real processes work over and are killed at, and what has to hold there."""

from __future__ import annotations

import asyncio
import multiprocessing
import signal
from collections import Counter
from collections.abc import Iterator, Sequence
from multiprocessing.context import ForkServerProcess
from pathlib import Path

from quintet.engine.events import Event, family
from quintet.engine.paths import write
from quintet.engine.rules import Rules
from quintet.store.port import NoSuchRun, StoreOptions
from quintet.store.sqlite import SqliteStore
from quintet.store.sqlite.database import Database
from tests.engine.lives import check_log
from tests.faults.workload import EFFECTS, MEMBERS, PROGRAM, RUN, Durability, When, live

_SPAWN = multiprocessing.get_context("forkserver")  # children of a clean process, quickly made
_SPAWN.set_forkserver_preload(["tests.faults.workload"])


class Scene:
    """One run, and the processes that work on it one after the other."""

    def __init__(self, place: Path, durability: Durability = "full") -> None:
        self.kills = 0
        self._place = place
        self._durability: Durability = durability
        self._kept: Sequence[Event] = []

    def begin(self, kill_at: int = 0, when: When = "before") -> ForkServerProcess:
        """Start a process that goes on with the run, and kills itself at one of its appends."""
        child = _SPAWN.Process(target=live, args=(self._place, kill_at, when, self._durability))
        child.start()
        return child

    def kill(self, child: ForkServerProcess) -> None:
        child.kill()  # it may have ended by itself just now

    def end(self, child: ForkServerProcess) -> bool:
        """Wait for a process, and look at what it left; True if it was not killed."""
        child.join(60)
        assert child.exitcode in (0, -signal.SIGKILL), f"it ended with {child.exitcode}"
        self.kills += child.exitcode != 0
        self._look(str(child.pid))
        return child.exitcode == 0

    @property
    def is_over(self) -> bool:
        return bool(self._kept) and self._kept[-1].kind == "run.completed"

    def finish(self) -> None:
        """Work on to the end if that is not reached, and look at the whole."""
        if not self.is_over:
            assert self.end(self.begin())
        assert self.is_over
        check_log(self._kept, PROGRAM, Rules())
        self._check_outside()
        database = Database(str(self._place / "store.db"), StoreOptions())
        assert database.one("SELECT value FROM shelf") == str(EFFECTS)
        assert database.one("PRAGMA integrity_check") == "ok"
        database.close()

    def _look(self, pid: str) -> None:
        """What was kept is still there, and this process has performed nothing of it."""
        log = asyncio.run(self._read())
        assert log[: len(self._kept)] == self._kept
        settled = {write(event.path) for event in self._kept if family(event.kind) == "outcome"}
        again = [path for by, _, path in self._performed() if by == pid and path in settled]
        assert not again, f"performed again: {again}"
        self._kept = log

    def _check_outside(self) -> None:
        """Every touch has one key; only what was under way when a process died was performed again."""
        keys = {(path, key) for _, key, path in self._performed()}
        times = Counter(path for _, _, path in self._performed())
        assert len(keys) == len(times)
        assert sum(times.values()) - len(times) <= self.kills * MEMBERS

    def _performed(self) -> Iterator[tuple[str, str, str]]:
        outside = self._place / "outside.txt"
        for line in outside.read_text().splitlines() if outside.exists() else ():
            by, key, path = line.split(" ", 2)
            yield by, key, path

    async def _read(self) -> Sequence[Event]:
        if not (self._place / "store.db").exists():
            return []
        store = await SqliteStore.open(self._place / "store.db")
        try:
            return await store.log(RUN)
        except NoSuchRun:
            return []
        finally:
            await store.close()
