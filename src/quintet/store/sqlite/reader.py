"""The reader: a thread and a connection of its own, so that a long read delays no commit."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from quintet.store.port import StoreClosed
from quintet.store.sqlite.database import Database

T = TypeVar("T")


class Reader:
    """Answers questions, one after the other."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._thread = ThreadPoolExecutor(1, "quintet-reader")
        self._closed: asyncio.Future[None] | None = None

    async def ask(self, question: Callable[[Database], T]) -> T:
        if self._closed:
            raise StoreClosed("the store is closed")
        return await asyncio.get_running_loop().run_in_executor(self._thread, question, self._database)

    async def close(self) -> None:
        """Answer what was asked, then end."""
        if not self._closed:
            loop = asyncio.get_running_loop()
            self._closed = loop.run_in_executor(self._thread, self._database.close)
            self._thread.shutdown(wait=False)
        await asyncio.shield(self._closed)
