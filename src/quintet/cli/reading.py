"""Reading: verbs that look into a store, or ask something of it, and work on no run.

async def look(workshop: Workshop) -> int:
    ...
return reading(place_of(store), look)
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, TypeAlias

from quintet.cli.stores import Place
from quintet.cli.trouble import plainly

if TYPE_CHECKING:
    from quintet.runs.workshop import Workshop

Look: TypeAlias = "Callable[[Workshop], Awaitable[int]]"
"""Does what is to be done; gives the exit code."""


def reading(place: Place, look: Look, run_id: str = "") -> int:
    """Open a store that is there, look, and close it; `run_id` is the run that is meant, if it is one."""

    async def opened() -> int:
        with plainly(place, run_id):
            async with place.open_kept() as workshop:
                return await look(workshop)

    return asyncio.run(opened())
