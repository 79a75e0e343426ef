"""Short ways to run workflows in a store, in a time of their own."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

from quintet.api import Workflow, load
from quintet.runs.workshop import Workshop
from tests.engine.local import virtual_time

T = TypeVar("T")

THREE = ("one", "two", "three")


def flow(*agents: str, **keys: Any) -> Workflow:
    """A workflow of steps that are called like their agents, each asking `NAME INPUT`."""
    steps = [{"name": a, "agent_name": a, "prompt": f"{a} {{{{input}}}}", **keys} for a in agents]
    return load(json.dumps({"name": "flow", "steps": steps}))


def says(**agents: Any) -> dict[str, Any]:
    """A script in which agents say these texts or entries."""
    return {"agents": {name: [_entry(one) for one in said] for name, said in agents.items()}}


def in_workshop(story: Callable[[Workshop], Awaitable[T]], store: str = ":memory:") -> T:
    """A story told in a workshop; what takes time takes none."""

    async def tell() -> T:
        async with Workshop.open(store) as workshop:
            return await story(workshop)

    return virtual_time.run(tell())


def _entry(said: Any) -> Any:
    return {"reply": said} if isinstance(said, str) else said
