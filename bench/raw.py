"""Raw: what the same takes without us, in SQLite alone and in bare coroutines."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import apsw

from bench.plan import Plan
from bench.rounds import Sample, Stopwatch
from bench.steps import Durability

DATA = json.dumps({"value": {"step": 1234}})


@contextmanager
def database(place: Path, durability: Durability = "normal") -> Generator[Any]:
    """A connection; `Any`, as apsw's own types name a protocol that Python 3.11 does not have."""
    connection: Any = apsw.Connection(str(place))
    try:
        connection.pragma("journal_mode", "wal")
        connection.pragma("synchronous", durability)
        yield connection
    finally:
        connection.close()


def inserts(plan: Plan, durability: Durability, steps: int, rows: int = 1) -> Sample:
    """A committed transaction a step, of so many rows."""
    insert = "INSERT INTO steps (data) VALUES (?)"
    with plan.place() as place, database(place / "raw.db", durability) as connection:
        connection.execute("CREATE TABLE steps (number INTEGER PRIMARY KEY, data TEXT NOT NULL)")
        execute = connection.execute
        watch = Stopwatch()
        for _ in range(steps):
            if rows == 1:
                execute(insert, (DATA,))
                continue
            execute("BEGIN IMMEDIATE")
            connection.executemany(insert, [(DATA,)] * rows)
            execute("COMMIT")
        return watch.per(steps)


async def _bare_step() -> None:
    """What a step is where nothing is kept."""


def coroutines(steps: int) -> Sample:
    """A sequence of bare coroutines."""

    async def sequence() -> Sample:
        watch = Stopwatch()
        for _ in range(steps):
            await _bare_step()
        return watch.per(steps)

    return asyncio.run(sequence())


def tasks(branches: int, steps: int = 1) -> Sample:
    """Bare tasks at once, of so many bare coroutines each; what each task takes."""

    async def branch() -> None:
        for _ in range(steps):
            await _bare_step()

    async def fan_out() -> Sample:
        watch = Stopwatch()
        await asyncio.gather(*(branch() for _ in range(branches)))
        return watch.per(branches)

    return asyncio.run(fan_out())
