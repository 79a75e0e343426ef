"""A process that holds runs which wait for a person, and says as JSON what that costs it.

    python -m bench.waiting FOLDER RUNS allocated|resident

So many runs come first that end: they leave tables as large as so much concurrency makes them.  Then as many
are started that wait, by the same host, which lives on, and once more as many.  Before, between and behind,
it is counted what Python has allocated, or what of the process lies in memory: tracing the first takes room
itself.
"""

from __future__ import annotations

import asyncio
import gc
import json
import sys
import tracemalloc
from collections.abc import Callable
from pathlib import Path

from bench.steps import SEQUENCE, WAIT, open_host, run

_PAGE = 4096


def allocated() -> int:
    return tracemalloc.get_traced_memory()[0]


def resident() -> int:
    """0 where the system does not tell."""
    statm = Path("/proc/self/statm")
    return int(statm.read_text().split()[1]) * _PAGE if statm.exists() else 0


async def hold(place: Path, runs: int, count: Callable[[], int]) -> list[int]:
    """What was counted before, between and behind."""
    counted: list[int] = []
    async with open_host(place, "normal") as host:
        for program, status in ((SEQUENCE, "completed"), (WAIT, "paused"), (WAIT, "paused")):
            await asyncio.gather(*(run(host, program, 1, status=status) for _ in range(runs)))
            await run(host, SEQUENCE, 1)  # and of the last commit only what one run needs is left
            await asyncio.sleep(0.2)
            gc.collect()
            counted.append(count())
    return counted


def main(place: str, runs: str, what: str) -> None:
    if what == "allocated":
        tracemalloc.start()
    count = allocated if what == "allocated" else resident
    print(json.dumps(asyncio.run(hold(Path(place), int(runs), count))))


if __name__ == "__main__":
    main(*sys.argv[1:])
