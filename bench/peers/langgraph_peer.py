"""LangGraph, measured on request: reads one order a line as JSON, and answers each with what it took.

It lives in an environment of its own, so it knows nothing of Quintet.  A step is one pass of a graph's only
node, which returns at once; the graph goes round until it has taken so many.

    {"runs": 100, "steps": 10, "saver": "full"}   →   {"seconds": 1.9, "cpu": 1.8}

`saver` says what SQLite promises of a finished step, `full` or `normal`; `none` is no checkpointer at all.
LangGraph itself runs in its default mode, in which a checkpoint is written while the next step runs.
"""

from __future__ import annotations

import asyncio
import gc
import json
import sys
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib.metadata import version
from pathlib import Path
from typing import Any, TypedDict

import aiosqlite
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
from langgraph.graph import END, START, StateGraph


class State(TypedDict):
    taken: int
    steps: int


async def step(state: State) -> dict[str, int]:
    return {"taken": state["taken"] + 1}


def again(state: State) -> str:
    return "step" if state["taken"] < state["steps"] else END


def graph(saver: AsyncSqliteSaver | None) -> Any:
    builder = StateGraph(State)
    builder.add_node("step", step)
    builder.add_edge(START, "step")
    builder.add_conditional_edges("step", again, ["step", END])
    return builder.compile(checkpointer=saver)


@asynccontextmanager
async def saving(folder: str, saver: str) -> AsyncIterator[AsyncSqliteSaver | None]:
    if saver == "none":
        yield None
        return
    async with aiosqlite.connect(Path(folder) / "checkpoints.db") as connection:
        checkpointer = AsyncSqliteSaver(connection)
        await checkpointer.setup()
        await connection.execute(f"PRAGMA synchronous={saver}")
        yield checkpointer


async def runs(folder: str, order: dict[str, Any]) -> dict[str, float]:
    """So many runs of so many steps at once."""
    async with saving(folder, order["saver"]) as saver:
        app, steps = graph(saver), order["steps"]

        async def run(number: int) -> None:
            config = {"configurable": {"thread_id": str(number)}, "recursion_limit": steps + 5}
            state = await app.ainvoke({"taken": 0, "steps": steps}, config)
            assert state["taken"] == steps

        await app.ainvoke({"taken": 0, "steps": 1}, {"configurable": {"thread_id": "warm-up"}})
        gc.collect()
        began, cpu = time.perf_counter(), time.process_time()
        await asyncio.gather(*(run(number) for number in range(order["runs"])))
        return {"seconds": time.perf_counter() - began, "cpu": time.process_time() - cpu}


def versions() -> dict[str, str]:
    return {name: version(name) for name in ("langgraph", "langgraph-checkpoint-sqlite")}


def main() -> None:
    folder = sys.argv[1]
    print(json.dumps(versions()), flush=True)
    for line in sys.stdin:
        with tempfile.TemporaryDirectory(dir=folder) as place:
            print(json.dumps(asyncio.run(runs(place, json.loads(line)))), flush=True)


if __name__ == "__main__":
    main()
