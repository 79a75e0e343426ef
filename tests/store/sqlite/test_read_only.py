"""A store that may not be written is refused when it is opened, not when work is to be kept."""

import asyncio
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from quintet.store.sqlite import SqliteStore

# Root may write everywhere, so it becomes nobody first.
_OPEN = """
import asyncio, os, sys
from quintet.store.port import StoreError
from quintet.store.sqlite import SqliteStore
async def open_it():
    try:
        await SqliteStore.open(sys.argv[1])
    except StoreError as error:
        print(error)
with asyncio.Runner() as runner:
    runner.run(asyncio.to_thread(int))
    if os.getuid() == 0:
        os.setuid(65534)
    runner.run(open_it())
"""


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder that everybody can see into."""
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o755)
        yield Path(name)


async def make(place: Path) -> None:
    store = await SqliteStore.open(place)
    await store.close()


@pytest.mark.parametrize("mode", [0o555, 0o777], ids=["nor may its folder", "its folder may"])
def test_a_store_that_may_not_be_written_is_refused(folder: Path, mode: int) -> None:
    place = folder / "store.db"
    asyncio.run(make(place))
    place.chmod(0o444)
    folder.chmod(mode)
    told = subprocess.run(
        [sys.executable, "-c", _OPEN, str(place)], capture_output=True, text=True, check=True
    )
    folder.chmod(0o755)
    assert f"{place} cannot be written" in told.stdout
    assert "permissions" in told.stdout
