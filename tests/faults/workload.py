"""A run that real processes work on, and are killed at: what it does, and what it leaves outside.

It has branches under a limit, retries after definite failures, sleeps, time limits, effects outside and
effects in the store.  Whatever is performed is written to a file at once, so that it is known even of a
process that was killed.
"""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

from quintet.engine.combinators import attempts, deadline, gather
from quintet.engine.context import Context
from quintet.engine.events import Event
from quintet.engine.failures import Failed, Failure
from quintet.engine.local import Equipment, LocalHost, Performers
from quintet.engine.paths import write
from quintet.engine.performing import Call
from quintet.engine.programs import Program
from quintet.engine.retry import Policy
from quintet.engine.rules import Rules
from quintet.engine.scopes import Returned
from quintet.engine.values import Json
from quintet.store.port import Batch, Lease, NoSuchRun, Shelf, StoreOptions
from quintet.store.sqlite import SqliteStore

RUN = "the-run"
MEMBERS = 4
ROUNDS = 3

When = Literal["before", "after"]
Durability = Literal["full", "normal"]


async def body(ctx: Context, arguments: Json) -> Json:
    async def member(ctx: Context, number: int) -> Json:
        said: list[Json] = []
        for number_of_round in range(ROUNDS):
            ctx.note("round.started", {"round": number_of_round})
            said.append(await ctx.model("ask", [number, number_of_round]))
            said.append(await attempts(ctx, "try", Policy(3), lambda ctx: ctx.tool("flaky", number)))
            said.append(await ctx.effect("count", "counter"))
        return said

    async def limited(ctx: Context) -> Json:
        results = await gather(
            ctx,
            [(f"member {n}", lambda ctx, n=n: member(ctx, n)) for n in range(MEMBERS)],
            limit=3,
            on_error="collect",
        )
        await ctx.sleep("nap", 0.001)
        return [result.value for result in results if isinstance(result, Returned)]

    members: Any = await deadline(ctx, "limit", 600, limited)
    return {"flaky": [said[1::3] for said in members], "asked": [said[0::3] for said in members]}


PROGRAM = Program("workload", body)
EXPECTED: Json = {
    "flaky": [["2nd"] * ROUNDS] * MEMBERS,
    "asked": [[f"answer {n} {r}" for r in range(ROUNDS)] for n in range(MEMBERS)],
}
EFFECTS = MEMBERS * ROUNDS
"""How often the counter in the store is moved: exactly so often, however often the process dies."""


def equipment(outside: Path) -> Equipment:
    """Performers that write down what they do."""

    def performed(call: Call) -> None:
        with outside.open("a") as file:
            file.write(f"{os.getpid()} {call.idempotency_key} {write(call.path)}\n")

    async def model(call: Call) -> Json:
        performed(call)
        number, number_of_round = call.request  # pyright: ignore - a pair of numbers, as asked above
        return f"answer {number} {number_of_round}"

    async def tool(call: Call) -> Json:
        performed(call)
        await asyncio.sleep(0)
        if "!attempt#2" not in write(call.path):
            raise Failed(Failure("tool", "the first attempt fails", definite=True))
        return "2nd"

    def counter(shelf: Shelf, call: Call) -> Json:
        count = shelf.get("faults", "count")
        assert isinstance(count, int | None)
        shelf.put("faults", "count", (count or 0) + 1)
        return (count or 0) + 1

    return Equipment(PROGRAM, Performers(model=model, tool=tool, shelf={"counter": counter}), Rules())


class Mortal(SqliteStore):
    """A store whose process kills itself at one of its appends."""

    kill_at = 0
    when: When = "before"
    _appends = 0

    async def append(self, lease: Lease, batch: Batch) -> Sequence[Event]:
        self._appends += 1
        if self._appends == self.kill_at and self.when == "before":
            os.kill(os.getpid(), signal.SIGKILL)
        events = await super().append(lease, batch)
        if self._appends == self.kill_at and self.when == "after":
            os.kill(os.getpid(), signal.SIGKILL)
        return events


async def work(place: Path, kill_at: int = 0, when: When = "before", durability: Durability = "full") -> str:
    """Begin the run, or take it up, and work on it; gives the status it ends with."""
    store = await Mortal.open(place / "store.db", StoreOptions(durability=durability))
    assert isinstance(store, Mortal)
    store.kill_at, store.when = kill_at, when
    async with LocalHost(store, lambda created: equipment(place / "outside.txt")) as host:
        try:
            run = await host.resume(RUN)
        except NoSuchRun:
            run = await host.start(PROGRAM, run_id=RUN)
        report = await run.wait()
        assert report.output == EXPECTED
    await store.close()
    return report.status


def live(place: Path, kill_at: int, when: When, durability: Durability) -> None:
    """What a child process does."""
    asyncio.run(work(place, kill_at, when, durability))
