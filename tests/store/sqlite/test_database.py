"""The connection: as durable as was asked for, and its trouble told in words that help."""

from pathlib import Path
from typing import Literal

import apsw
import pytest

from quintet.store.port import Batch, Request, StoreDamaged, StoreError, StoreOptions
from tests.store.conformance.keeping import names
from tests.store.conformance.stores import begin, end, event, events
from tests.store.sqlite.stores import SqliteStores, execute, pragma

PAGE = 4096


@pytest.mark.parametrize(("durability", "synchronous"), [("full", 2), ("normal", 1)])
async def test_a_commit_is_as_durable_as_was_asked_for(
    stores: SqliteStores,
    connections: list[apsw.Connection],
    durability: Literal["full", "normal"],
    synchronous: int,
) -> None:
    await stores.open(options=StoreOptions(durability=durability, busy_seconds=1.5))
    writing, reading = connections
    assert pragma(writing, "journal_mode") == "wal"
    assert pragma(writing, "synchronous") == synchronous
    assert pragma(writing, "fullfsync") == (durability == "full")
    assert pragma(writing, "busy_timeout") == pragma(reading, "busy_timeout") == 1500


async def test_full_durability_is_what_you_get_unless_you_ask(
    stores: SqliteStores, connections: list[apsw.Connection]
) -> None:
    await stores.open()
    assert pragma(connections[0], "synchronous") == 2


async def test_the_reading_connection_changes_nothing(
    stores: SqliteStores, connections: list[apsw.Connection]
) -> None:
    store = await stores.open()
    await begin(store)
    with pytest.raises(apsw.ReadOnlyError):
        execute(connections[1], "DELETE FROM runs")
    assert len(await store.runs()) == 1


async def test_a_look_for_requests_does_not_read_those_that_were_taken(
    stores: SqliteStores, connections: list[apsw.Connection]
) -> None:
    store = await stores.open()
    lease = await begin(store)
    for number in range(300):
        request = await store.request(Request("r1", "answer", f"q{number}"))
        await store.append(lease, Batch(taken=[request.id]))
    steps: list[int] = []
    connections[1].set_progress_handler(lambda: bool(steps.append(1)), 100)
    assert await store.inbox() == []
    assert len(steps) < 2, "an empty inbox takes fewer than two hundred steps of SQLite's machine"


async def test_a_damaged_page_is_told_and_not_read_over(stores: SqliteStores, place: Path) -> None:
    store = await stores.open()
    lease = await begin(store)
    for seq in range(3, 60):
        await store.append(lease, Batch([event(seq, data=f'"{"x" * 1000}"')]))
    await store.close()
    damage(place)
    again = await stores.open()
    for refused in (again.log("r1"), again.stream(), again.runs(), again.claim("r1"), begin(again, "r2")):
        with pytest.raises(StoreDamaged, match="backup") as raised:
            await refused
        assert str(place) in str(raised.value)
    with pytest.raises(StoreDamaged, match=r"store\.db is damaged"):
        await again.backup(str(place.with_name("copy")))
    assert "copy" not in " ".join(names(place.parent))


async def test_a_file_that_was_cut_short_is_told(stores: SqliteStores, place: Path) -> None:
    store = await stores.open()
    lease = await begin(store)
    await store.append(lease, Batch([event(3, data=f'"{"x" * 100_000}"')]))
    await store.close()
    cut(place)
    with pytest.raises(StoreDamaged, match="backup"):
        await (await stores.open()).log("r1")


@pytest.mark.parametrize("damage", ["CAST(x'22ff22' AS TEXT)", "NULL"], ids=["no text", "no payload"])
async def test_data_that_cannot_have_been_written_is_told_as_damage(
    stores: SqliteStores, connections: list[apsw.Connection], damage: str
) -> None:
    store = await stores.open()
    await begin(store)
    execute(connections[0], f"UPDATE events SET data = {damage} WHERE seq = 2")
    for refused in (store.log("r1"), store.stream()):
        with pytest.raises(StoreDamaged, match="backup"):
            await refused
    assert len(await store.log("r1", limit=1)) == 1


async def test_room_that_pruning_made_is_used_again(
    stores: SqliteStores, connections: list[apsw.Connection]
) -> None:
    store = await stores.open()
    sizes: list[int] = []
    for turn in range(4):
        lease = await begin(store, f"r{turn}")
        await store.append(lease, Batch([event(seq, data=f'"{seq}{"x" * 3000}"') for seq in range(3, 100)]))
        await end(store, lease, 100)
        await store.prune(ended_before=1e9)
        sizes.append(pragma(connections[0], "page_count"))
    assert sizes[1:] == sizes[:-1]


async def test_trouble_of_any_other_kind_is_told_as_the_stores(
    stores: SqliteStores, connections: list[apsw.Connection], place: Path
) -> None:
    store = await stores.open()
    lease = await begin(store)
    execute(connections[0], "DROP TABLE shelf")
    with pytest.raises(StoreError, match="shelf") as raised:
        await store.append(lease, Batch(settle=lambda shelf: event(3, data=str(shelf.keys("memory")))))
    assert str(place) in str(raised.value)
    await store.append(lease, Batch(events(3, "step.started")))


def damage(place: Path) -> None:
    """Write over all pages but the first."""
    with place.open("r+b") as file:
        file.seek(PAGE)
        file.write(b"\xa5" * (place.stat().st_size - PAGE))


def cut(place: Path) -> None:
    with place.open("r+b") as file:
        file.truncate(place.stat().st_size // PAGE // 2 * PAGE)
