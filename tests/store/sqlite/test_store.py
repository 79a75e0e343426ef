"""The store in SQLite keeps every promise of the port, in a file and in memory."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from quintet.store.port import StoreError
from quintet.store.sqlite import SqliteStore
from tests.store.conformance import Alone, Conformance, Stores
from tests.store.conformance.keeping import names
from tests.store.conformance.stores import begin
from tests.store.sqlite.stores import SqliteStores


class TestInAFile(Conformance):
    """The fixture `stores` of this folder is a file."""


class TestInMemory(Alone):
    @pytest.fixture
    def stores(self, runner: asyncio.Runner) -> Iterator[Stores]:
        stores = SqliteStores(":memory:")
        yield stores
        runner.run(stores.close())


async def test_each_store_in_memory_is_a_world_of_its_own() -> None:
    first, second = await SqliteStore.open(":memory:"), await SqliteStore.open(":memory:")
    await begin(first)
    assert await second.runs() == []
    await first.close()
    await second.close()


async def test_a_store_in_memory_is_copied_to_a_file(tmp_path: Path) -> None:
    store = await SqliteStore.open(":memory:")
    await begin(store)
    await store.backup(str(tmp_path / "copy"))
    await store.close()
    copy = await SqliteStore.open(tmp_path / "copy")
    assert len(await copy.log("r1")) == 2
    await copy.close()
    assert names(tmp_path) == ["copy"]


async def test_a_store_stays_at_its_place_when_the_process_moves(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    store = await SqliteStore.open("store.db")
    await begin(store)
    monkeypatch.chdir("/")
    await store.backup(str(tmp_path / "copy"))
    await store.close()
    copy = await SqliteStore.open(tmp_path / "copy")
    assert len(await copy.runs()) == 1
    await copy.close()


async def test_a_store_that_vanished_is_not_copied_as_an_empty_one(tmp_path: Path) -> None:
    store = await SqliteStore.open(tmp_path / "store.db")
    for name in names(tmp_path):
        (tmp_path / name).unlink()
    with pytest.raises(StoreError, match=r"store\.db"):
        await store.backup(str(tmp_path / "copy"))
    await store.close()
    assert not (tmp_path / "copy").exists()
