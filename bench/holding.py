"""A process that holds so many answers open at once, and says as JSON what that takes of its memory.

    python -m bench.holding ADDRESS FOLDER COUNT bare|turns|runs

The provider at the address must be one that holds its streams.  One answer is opened before it is counted for
the first time: by then everything is there that is there once.  It is counted for the second time when the
first piece of each has come.
"""

from __future__ import annotations

import asyncio
import gc
import json
import os
import sys
from collections.abc import Awaitable, Sequence
from pathlib import Path

from bench.asking import Turns, bare
from bench.waiting import resident
from quintet.engine.events import Event


class Count:
    """Counts who has said something; an audience, too."""

    def __init__(self) -> None:
        self._heard = 0
        self._changed = asyncio.Event()

    def kept(self, run_id: str, events: Sequence[Event]) -> None:
        pass

    def said(self, run_id: str, path: object, piece: str) -> None:
        self.say(piece)

    def say(self, piece: str) -> None:
        self._heard += 1
        self._changed.set()

    async def until(self, heard: int) -> None:
        while self._heard < heard:
            self._changed.clear()
            await self._changed.wait()


async def hold(url: str, place: Path, count: int, what: str) -> None:
    said = Count()
    async with bare(url) as once, Turns.open(url, place, "normal", said) as turns:

        def opened(many: int) -> list[Awaitable[None]]:
            match what:
                case "bare":
                    return [once(said.say) for _ in range(many)]
                case "turns":
                    return [turns.run(many, at_once=True)]
                case _:
                    return [turns.run(1) for _ in range(many)]

        first = await _held(opened(1), said, 1)
        print(json.dumps([first, await _held(opened(count), said, count + 1)]), flush=True)
        os._exit(0)  # nothing of it ends by itself


async def _held(opened: Sequence[Awaitable[None]], said: Count, heard: int) -> int:
    tasks = [asyncio.ensure_future(one) for one in opened]
    await said.until(heard)
    await asyncio.sleep(0.5)  # what was begun behind the pieces is done
    gc.collect()
    if any(task.done() for task in tasks):
        raise RuntimeError("an answer did not stay open")
    return resident()


if __name__ == "__main__":
    asyncio.run(hold(sys.argv[1], Path(sys.argv[2]), int(sys.argv[3]), sys.argv[4]))
