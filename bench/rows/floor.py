"""The floor: what a durable step is made of, piece by piece, each measured by itself."""

from __future__ import annotations

import asyncio
import os
import threading
from functools import partial
from pathlib import Path
from queue import SimpleQueue
from uuid import uuid4

from bench.plan import Plan
from bench.raw import inserts
from bench.rounds import Contender, Sample, Series, Stopwatch, in_rounds
from bench.row import Row, duration
from bench.rows.machine_alone import touches
from bench.steps import SEQUENCE, Durability, measured, run
from quintet.engine.events import Event
from quintet.engine.paths import Segment
from quintet.store.port import Batch, NewRun, StoreOptions
from quintet.store.sqlite import SqliteStore

_PAGE = 4096
_NAMES = (
    "a whole durable step, `full`",
    "a whole durable step, `normal`",
    "the store alone: append its four events, `full`",
    "the store alone: append its four events, `normal`",
    "SQLite alone: four rows and a commit, WAL/FULL",
    "SQLite alone: four rows and a commit, WAL/NORMAL",
    "the disk alone: write a page and wait for it",
    "to another thread and back",
    "a task of asyncio that ends at once",
    "the machine alone, a touch",
)


def measure(plan: Plan) -> Row:
    steps = plan.count(1_000)
    work: tuple[Contender, ...] = (
        partial(_whole, plan, "full", steps),
        partial(_whole, plan, "normal", steps),
        partial(_appends, plan, "full", steps),
        partial(_appends, plan, "normal", steps),
        partial(inserts, plan, "full", steps, 4),
        partial(inserts, plan, "normal", steps, 4),
        partial(_pages, plan, plan.count(200)),
        partial(_hops, steps),
        partial(_tasks, steps),
        partial(touches, steps),
    )
    pieces = tuple(in_rounds(plan.rounds, "step", dict(zip(_NAMES, work, strict=True))).values())
    return Row("floor", "what a step is made of", (), pieces, (_prose(*pieces),))


def _prose(*pieces: Series) -> str:
    """In processor time, as far as nothing waits: the machine may be doing other things, too."""
    _, whole, _, store, _, sqlite, _, hop, task, touch = (piece.cpu for piece in pieces)
    full, normal, *_, disk = (piece.wall for piece in pieces[:7])
    rest = whole - store - task - touch
    return (
        f"A step with `normal` is {duration(whole)} of processor time. The store has {duration(store)} of it,"
        f" to append four events: {duration(sqlite)} are what SQLite takes for four rows of a plain table and"
        f" their commit, {duration(hop)} the way to the writing thread and back. To step the program takes"
        f" {duration(touch)}, the task in which a touch is performed {duration(task)}. The rest,"
        f" {duration(rest)}, is the host: turns of the event loop, and making the four events with their"
        f" texts, paths and hashes. With `full` a commit waits for the disk: a step takes {duration(full)}"
        f" instead of {duration(normal)}, where a page that is written and waited for takes"
        f" {duration(disk)} by itself."
    )


def _whole(plan: Plan, durability: Durability, steps: int) -> Sample:
    return measured(plan, durability, steps, lambda host: run(host, SEQUENCE, steps))


def _appends(plan: Plan, durability: Durability, steps: int) -> Sample:
    """What the store takes for the rows of a step, without the engine."""

    async def timed(place: Path) -> Sample:
        store = await SqliteStore.open(place / "quintet.db", StoreOptions(durability=durability))
        created = Event(1, 1.0, "run.created", (), 0, "null")
        started = Event(2, 1.0, "run.started", (), 0, "null")
        lease = await store.create(NewRun("run", "", "", "run"), [created, started])
        batches = [Batch(_events(3 + 4 * number)) for number in range(steps)]
        watch = Stopwatch()
        for batch in batches:
            await store.append(lease, batch)
        sample = watch.per(steps)
        await store.close()
        return sample

    with plan.place() as place:
        return asyncio.run(timed(place))


def _events(seq: int) -> list[Event]:
    path, hash_ = (Segment("step", seq),), uuid4().hex
    return [
        Event(seq, 1.0, "step.started", (), seq, '{"step":1234}'),
        Event(seq + 1, 1.0, "tool.called", path, seq, '{"step":1234}', hash_),
        Event(seq + 2, 1.0, "tool.finished", path, 0, '{"value":{"step":1234}}', hash_),
        Event(seq + 3, 1.0, "step.completed", (), seq, '{"step":1234}'),
    ]


def _pages(plan: Plan, pages: int) -> Sample:
    """Over pages that are there already, as a journal does that goes round."""
    with plan.place() as place, (place / "pages").open("wb", buffering=0) as file:
        file.write(bytes(_PAGE * pages))
        os.fsync(file.fileno())
        file.seek(0)
        watch = Stopwatch()
        for _ in range(pages):
            file.write(bytes(_PAGE))
            os.fsync(file.fileno())
        return watch.per(pages)


def _hops(count: int) -> Sample:
    """As the store's writer does: a queue there, a call of the event loop back."""

    async def there_and_back() -> Sample:
        loop = asyncio.get_running_loop()
        queue: SimpleQueue[asyncio.Future[None] | None] = SimpleQueue()

        def answer() -> None:
            while (future := queue.get()) is not None:
                loop.call_soon_threadsafe(future.set_result, None)

        thread = threading.Thread(target=answer)
        thread.start()
        watch = Stopwatch()
        for _ in range(count):
            future: asyncio.Future[None] = loop.create_future()
            queue.put(future)
            await future
        sample = watch.per(count)
        queue.put(None)
        thread.join()
        return sample

    return asyncio.run(there_and_back())


def _tasks(count: int) -> Sample:
    async def nothing() -> None:
        pass

    async def one_by_one() -> Sample:
        watch = Stopwatch()
        for _ in range(count):
            await asyncio.create_task(nothing())
        return watch.per(count)

    return asyncio.run(one_by_one())
