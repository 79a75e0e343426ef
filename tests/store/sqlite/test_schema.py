"""The schema: files of other programs and of newer releases are left alone, older ones are brought along."""

import asyncio
from pathlib import Path

import apsw
import pytest

from quintet.store.port import StoreBusy, StoreDamaged, StoreError, StoreNewer, StoreOptions
from quintet.store.sqlite import SqliteStore, schema
from quintet.store.sqlite.schema import APPLICATION_ID, MIGRATIONS, Migration
from tests.store.conformance.stores import begin, beginning
from tests.store.sqlite.stores import SqliteStores, execute, pragma

LATER = Migration(
    "a later one", ("ALTER TABLE runs ADD COLUMN mood TEXT", "CREATE INDEX moods ON runs(mood)")
)
BROKEN = Migration("a broken one", ("CREATE TABLE half (done TEXT)", "ALTER TABLE nothing ADD COLUMN x"))


def database(place: Path, *statements: str) -> bytes:
    """A file that another program has written."""
    connection = apsw.Connection(str(place))
    for statement in statements:
        execute(connection, statement)
    connection.close()
    return place.read_bytes()


def refused(place: Path, kind: type[StoreError], text: str) -> None:
    """It is refused, naming it, and left as it was."""
    before = place.read_bytes()
    with pytest.raises(kind, match=text) as raised:
        asyncio.run(SqliteStore.open(place))
    assert str(place) in str(raised.value)
    assert place.read_bytes() == before
    assert sorted(place.parent.iterdir()) == [place]


async def make(place: Path) -> None:
    store = await SqliteStore.open(place)
    await begin(store)
    await store.close()


def test_a_store_of_a_newer_release_is_refused_before_anything_is_touched(place: Path) -> None:
    asyncio.run(make(place))
    database(place, f"PRAGMA user_version = {len(MIGRATIONS) + 1}")
    refused(place, StoreNewer, "newer release")


@pytest.mark.parametrize(
    "statement",
    ["CREATE TABLE songs (title TEXT)", "PRAGMA application_id = 77", "PRAGMA user_version = 1"],
)
def test_a_database_of_another_program_is_refused(place: Path, statement: str) -> None:
    database(place, statement)
    refused(place, StoreError, "another program")


def test_a_file_that_is_no_database_is_refused(place: Path) -> None:
    place.write_text("Dear diary, " * 1000)
    refused(place, StoreDamaged, "no store at all")


def test_an_empty_file_becomes_a_store(place: Path) -> None:
    place.touch()
    asyncio.run(make(place))


async def test_a_place_that_cannot_hold_a_file_is_named(tmp_path: Path) -> None:
    for place in (tmp_path, tmp_path / "nowhere" / "store.db"):
        with pytest.raises(StoreError, match="folder") as raised:
            await SqliteStore.open(place)
        assert str(place) in str(raised.value)


async def test_a_file_says_whose_it_is_and_what_it_has_seen(
    stores: SqliteStores, connections: list[apsw.Connection]
) -> None:
    await stores.open()
    assert pragma(connections[0], "application_id") == APPLICATION_ID
    assert pragma(connections[0], "user_version") == len(MIGRATIONS)
    told = execute(connections[0], "SELECT number, name, applied FROM migrations")
    assert told == [(n, one.name, stores.clock.now) for n, one in enumerate(MIGRATIONS, 1)]


async def test_a_store_of_an_older_release_is_brought_along_with_all_it_holds(
    stores: SqliteStores, connections: list[apsw.Connection], monkeypatch: pytest.MonkeyPatch
) -> None:
    old = await stores.open()
    await begin(old)
    await old.close()
    connections.clear()
    monkeypatch.setattr(schema, "MIGRATIONS", (*MIGRATIONS, LATER))
    new = await stores.open()
    assert [one._replace(position=0) for one in await new.log("r1")] == beginning()
    assert execute(connections[0], "SELECT mood FROM runs") == [(None,)]
    assert execute(connections[0], "SELECT name FROM migrations")[-1] == ("a later one",)
    monkeypatch.undo()
    with pytest.raises(StoreNewer):
        await stores.open()


async def test_a_migration_that_fails_leaves_the_store_as_it_was(
    stores: SqliteStores, connections: list[apsw.Connection], monkeypatch: pytest.MonkeyPatch
) -> None:
    old = await stores.open()
    await begin(old)
    await old.close()
    monkeypatch.setattr(schema, "MIGRATIONS", (*MIGRATIONS, LATER, BROKEN))
    with pytest.raises(StoreError, match="nothing"):
        await stores.open()
    monkeypatch.undo()
    connections.clear()
    again = await stores.open()
    assert len(await again.log("r1")) == 2
    assert execute(connections[0], "SELECT name FROM sqlite_schema WHERE name IN ('half', 'moods')") == []


async def test_a_new_store_waits_for_another_process_that_is_making_it(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = apsw.Connection(str(place))
    execute(other, "BEGIN IMMEDIATE")

    def let_go(seconds: float) -> None:
        execute(other, "ROLLBACK")

    monkeypatch.setattr("quintet.store.sqlite.database.sleep", let_go)
    await make(place)
    other.close()


async def test_a_new_store_waits_no_longer_than_it_was_told(place: Path) -> None:
    other = apsw.Connection(str(place))
    execute(other, "BEGIN IMMEDIATE")
    with pytest.raises(StoreBusy, match="locked by another program"):
        await SqliteStore.open(place, StoreOptions(busy_seconds=0.01))
    other.close()


async def test_many_may_open_a_new_store_at_once(tmp_path: Path) -> None:
    for turn in range(5):
        stores = [SqliteStores(tmp_path / f"{turn}.db") for _ in range(8)]
        opened = await asyncio.gather(*(one.open() for one in stores))
        await asyncio.gather(*(begin(store, f"r{n}") for n, store in enumerate(opened)))
        assert len(await opened[0].runs()) == 8
        await asyncio.gather(*(one.close() for one in stores))
