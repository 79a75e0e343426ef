"""Processes: several have the same file open, and some of them die."""

import asyncio
import time
from pathlib import Path

import pytest

from quintet.engine.failures import Held
from quintet.store.port import Batch, Request, StoreBusy, StoreOptions
from tests.store.conformance.stores import LEASE_SECONDS, begin, events
from tests.store.sqlite.processes import child, locker
from tests.store.sqlite.stores import SqliteStores


async def test_of_two_processes_one_holds_the_run_and_the_other_is_told(
    stores: SqliteStores, place: Path
) -> None:
    with child(place) as process:
        assert process.tell("begin", "r1") == "begun"
        store = await stores.open()
        with pytest.raises(Held, match=f"process {process.pid}"):
            await store.claim("r1")
        await begin(store, "r2")
        assert process.tell("claim", "r2") == "held"
        assert process.tell("append", "r1", 3) == "5"
        assert [run_id for run_id, _ in await store.stream()] == ["r1", "r1", "r2", "r2", "r1"]


async def test_a_process_that_was_killed_is_replaced_at_once(stores: SqliteStores, place: Path) -> None:
    with child(place) as process:
        process.tell("begin", "r1")
        process.tell("append", "r1", 3)
        store = await stores.open()
        process.kill()  # a zombie by now: nobody has asked yet how it ended
        assert (await store.run("r1")).shown == "interrupted"
        lease = await store.claim("r1")
        assert lease.epoch == 2
        await store.append(lease, Batch(events(4, "step.completed")))


async def test_whatever_a_killed_process_was_told_is_kept(stores: SqliteStores, place: Path) -> None:
    with child(place) as process:
        process.tell("begin", "r1")
        kept = [int(process.tell("append", "r1", seq, 2000)) for seq in range(3, 60)]
        process.kill()
    store = await stores.open()
    assert [one.position for one in await store.log("r1", after=2)] == kept


async def test_a_frozen_holder_elsewhere_that_was_replaced_can_do_no_harm_when_it_wakes_up(
    stores: SqliteStores, place: Path
) -> None:
    with child(place, "elsewhere") as process:
        process.tell("begin", "r1")
        process.freeze()
        store = await stores.open()
        stores.clock.now = time.time()
        with pytest.raises(Held):
            await store.claim("r1")
        stores.clock.now += LEASE_SECONDS + 1
        lease = await store.claim("r1")
        process.thaw()
        assert process.tell("append", "r1", 3) == "lease-lost"
        await store.append(lease, Batch(events(3, "step.started")))
        assert process.tell("append", "r1", 4) == "lease-lost"
        assert process.tell("claim", "r1") == "held"
        assert len(await store.log("r1")) == 3


async def test_a_request_from_another_process_is_in_the_inbox(stores: SqliteStores, place: Path) -> None:
    store = await stores.open()
    await begin(store)
    with child(place) as process:
        number = process.tell("cancel", "r1")
        assert process.tell("cancel", "r1") == "already-decided"
    (request,) = await store.inbox()
    assert (request.verb, request.id) == ("cancel", int(number))


async def test_a_locked_database_is_told_and_works_again_later(stores: SqliteStores, place: Path) -> None:
    store = await stores.open(options=StoreOptions(busy_seconds=0.01))
    lease = await begin(store)
    batch = Batch(events(3, "step.started"))
    with locker(place) as process:
        for refused in (
            store.append(lease, batch),
            begin(store, "r2"),
            store.request(Request("r1", "cancel")),
        ):
            with pytest.raises(StoreBusy, match="locked by another program"):
                await refused
        assert len(await store.log("r1")) == 2, "reading goes on"
        assert process.tell("let go") == "let go"
    await store.append(lease, batch)
    assert len(await store.stream()) == 3


async def test_a_database_that_is_locked_for_a_moment_is_waited_for(
    stores: SqliteStores, place: Path
) -> None:
    store = await stores.open(options=StoreOptions(busy_seconds=60))
    lease = await begin(store)
    with locker(place) as process:
        append = asyncio.create_task(store.append(lease, Batch(events(3, "step.started"))))
        await asyncio.sleep(0)  # it has asked
        opened = await stores.open()
        assert len(await opened.log("r1")) == 2
        process.tell("let go")
        assert len(await append) == 1


async def test_a_lock_at_the_end_keeps_nobody_from_closing(stores: SqliteStores, place: Path) -> None:
    store = await stores.open(options=StoreOptions(busy_seconds=0.01))
    await begin(store)
    with locker(place):
        await store.close()
    assert len(await (await stores.open()).log("r1")) == 2
