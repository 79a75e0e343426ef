"""One SQLite store for one test, opened as often as the test likes."""

from pathlib import Path
from typing import Any

import apsw

from quintet.store.holders import Holder
from quintet.store.port import Store, StoreOptions
from quintet.store.sqlite import SqliteStore
from tests.store.conformance.stores import Clock


def pragma(connection: apsw.Connection, name: str, value: int | None = None) -> Any:
    """What SQLite says of a connection, or is told."""
    untyped: Any = connection  # apsw names a type that Python 3.11 does not have
    return untyped.pragma(name) if value is None else untyped.pragma(name, value)


def execute(connection: apsw.Connection, sql: str, *values: str | int) -> list[tuple[Any, ...]]:
    untyped: Any = connection
    return untyped.execute(sql, values).fetchall()


def leave_room(connection: apsw.Connection, pages: int) -> None:
    """The store may grow by so many pages and no further."""
    pragma(connection, "max_page_count", pragma(connection, "page_count") + pages)


class SqliteStores:
    """Opens the store of a test, and closes all in the end."""

    def __init__(self, place: str | Path) -> None:
        self.clock = Clock()
        self.place = place
        self._opened: list[SqliteStore] = []

    async def open(self, holder: Holder | None = None, options: StoreOptions | None = None) -> SqliteStore:
        return await self._open(self.place, holder, options)

    async def open_copy(self, path: Path) -> SqliteStore:
        return await self._open(path)

    async def beat(self, store: Store) -> None:
        assert isinstance(store, SqliteStore)
        await store.beat()

    async def close(self) -> None:
        for store in self._opened:
            await store.close()

    async def _open(
        self, place: str | Path, holder: Holder | None = None, options: StoreOptions | None = None
    ) -> SqliteStore:
        store = await SqliteStore.open(place, options, clock=self.clock, holder=holder)
        self._opened.append(store)
        return store
