"""A full disk: it is told, nothing that was kept is lost, and work goes on once there is room."""

import asyncio
from contextlib import suppress
from pathlib import Path

import apsw
import pytest

from quintet.store.port import Batch, Lease, Store, StoreFull
from tests.store.conformance.keeping import names
from tests.store.conformance.stores import begin, end, event
from tests.store.sqlite.processes import child
from tests.store.sqlite.stores import SqliteStores, leave_room, pragma

MUCH = 20_000


def long(seq: int, size: int = MUCH) -> Batch:
    return Batch([event(seq, "model.answered", f'"{seq}{"x" * size}"')])


async def fill(store: Store, lease: Lease, seq: int) -> int:
    """Append until the store is full; gives the number that found no room."""
    with suppress(StoreFull):
        while True:
            await store.append(lease, long(seq))
            seq += 1
    return seq


async def test_a_full_store_keeps_what_it_has_and_goes_on_when_there_is_room(
    stores: SqliteStores, connections: list[apsw.Connection]
) -> None:
    store = await stores.open()
    lease = await begin(store)
    leave_room(connections[0], 100)
    seq = await fill(store, lease, 3)
    assert seq > 10
    assert [one.seq for one in await store.log("r1")] == [*range(1, seq)]
    with pytest.raises(StoreFull, match="make room"):
        await store.append(lease, long(seq))
    leave_room(connections[0], 100)
    await store.append(lease, long(seq))
    assert all(one.data == long(one.seq).events[0].data for one in await store.log("r1", after=2))


async def test_pruning_makes_room_in_a_full_store(
    stores: SqliteStores, connections: list[apsw.Connection]
) -> None:
    store = await stores.open()
    old, new = await begin(store, "old"), await begin(store, "new")
    await store.append(old, Batch([one for seq in range(3, 10) for one in long(seq, MUCH + 1).events]))
    await end(store, old, 10)
    leave_room(connections[0], 20)
    seq = await fill(store, new, 3)
    await store.prune(ended_before=1e9)
    await store.append(new, long(seq))


async def test_each_caller_learns_whether_its_own_batch_found_room(
    stores: SqliteStores, connections: list[apsw.Connection]
) -> None:
    store = await stores.open()
    leases = [await begin(store, f"r{number}") for number in range(40)]
    leave_room(connections[0], 60)
    came = await asyncio.gather(
        *(store.append(lease, long(3, MUCH + n)) for n, lease in enumerate(leases)), return_exceptions=True
    )
    for lease, one in zip(leases, came, strict=True):
        kept = len(await store.log(lease.run_id)) == 3
        assert kept != isinstance(one, StoreFull)
    assert any(isinstance(one, StoreFull) for one in came)


async def test_a_disk_that_is_really_full(
    stores: SqliteStores, place: Path, tmp_path: Path, connections: list[apsw.Connection]
) -> None:
    with child(place) as process:
        process.tell("begin", "r1")
        process.tell("limit", 600_000)
        code, number = process.tell("fill", "r1", 3, MUCH).split()
        assert code == "store-full"
        assert int(number) > 10
        assert process.tell("append", "r1", number, MUCH) == "store-full"
        process.tell("limit", 100_000)
        assert process.tell("backup", tmp_path / "copy") == "store-full"
        process.tell("limit", -1)
        assert process.tell("append", "r1", number, MUCH).isdigit()
        assert process.tell("close") == "closed"
    assert names(tmp_path) == ["store.db"], "a copy that found no room leaves nothing"
    store = await stores.open()
    assert [one.seq for one in await store.log("r1")] == [*range(1, int(number) + 1)]
    assert pragma(connections[0], "integrity_check") == "ok"
