"""A process of its own with a store of its own: does what it is told line by line, and says what came of it.

Arguments: the place, and a name of the machine it pretends to be on, or nothing.  Of each line it reads, the
words are a verb and its arguments; it answers with one line, the code of an error if there was one.
"""

import asyncio
import resource
import sys
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import TypeAlias

from quintet.engine.events import Event
from quintet.engine.failures import EngineError
from quintet.store.holders import this_process
from quintet.store.port import Batch, Lease, NewRun, Request, StoreOptions
from quintet.store.sqlite import SqliteStore

Verb: TypeAlias = Callable[..., Awaitable[object]]


def events(first: int, *kinds: str, size: int = 0) -> list[Event]:
    return [
        Event(seq, float(seq), kind, (), 0, f'"{seq}{"x" * size}"') for seq, kind in enumerate(kinds, first)
    ]


class Child:
    """What it can be told."""

    def __init__(self, store: SqliteStore) -> None:
        self._store = store
        self._leases: dict[str, Lease] = {}

    async def begin(self, run_id: str) -> object:
        run = NewRun(run_id, "review", "car", run_id)
        self._leases[run_id] = await self._store.create(run, events(1, "run.created", "run.started"))
        return "begun"

    async def claim(self, run_id: str) -> object:
        self._leases[run_id] = await self._store.claim(run_id)
        return self._leases[run_id].epoch

    async def append(self, run_id: str, seq: str, size: str = "0") -> object:
        batch = Batch(events(int(seq), "step.started", size=int(size)))
        return (await self._store.append(self._leases[run_id], batch))[0].position

    async def fill(self, run_id: str, seq: str, size: str) -> object:
        """Append until no more can be; says with which code, and what number would have been next."""
        number = int(seq)
        try:
            while True:
                await self.append(run_id, str(number), size)
                number += 1
        except EngineError as error:
            return f"{error.code} {number}"

    async def limit(self, size: str) -> object:
        """No file of this process may become longer than so many bytes."""
        _, most = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (int(size) if int(size) >= 0 else most, most))
        return "limited"

    async def cancel(self, run_id: str) -> object:
        return (await self._store.request(Request(run_id, "cancel"))).id

    async def backup(self, path: str) -> object:
        await self._store.backup(path)
        return "copied"

    async def close(self) -> object:
        await self._store.close()
        return "closed"


def answer(runner: asyncio.Runner, verb: Verb, words: list[str]) -> object:
    async def perform() -> object:
        return await verb(*words)

    try:
        return runner.run(perform())
    except EngineError as error:
        return error.code


def main(place: str, machine: str = "") -> None:
    here = this_process()
    holder = replace(here, host=machine, boot=machine) if machine else here
    with asyncio.Runner() as runner:
        store = runner.run(SqliteStore.open(place, StoreOptions(busy_seconds=60), holder=holder))
        child = Child(store)
        verbs: dict[str, Verb] = {
            "begin": child.begin,
            "claim": child.claim,
            "append": child.append,
            "fill": child.fill,
            "limit": child.limit,
            "cancel": child.cancel,
            "backup": child.backup,
            "close": child.close,
        }
        print("open", flush=True)  # noqa: T201 that is how it speaks
        for line in sys.stdin:
            verb, *words = line.split()
            print(answer(runner, verbs[verb], words), flush=True)  # noqa: T201


main(*sys.argv[1:])
