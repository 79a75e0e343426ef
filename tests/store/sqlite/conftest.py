"""A store in a file, and what lies beneath it."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import apsw
import pytest

from tests.store.sqlite.stores import SqliteStores


@pytest.fixture
def place(tmp_path: Path) -> Path:
    return tmp_path / "store.db"


@pytest.fixture
def stores(runner: asyncio.Runner, place: Path) -> Iterator[SqliteStores]:
    stores = SqliteStores(place)
    yield stores
    runner.run(stores.close())


@pytest.fixture
def connections() -> Iterator[list[apsw.Connection]]:
    """Every connection that is opened meanwhile: of a store, the writing one and then the reading one."""
    opened: list[apsw.Connection] = []
    apsw.connection_hooks.append(opened.append)
    yield opened
    apsw.connection_hooks.remove(opened.append)
