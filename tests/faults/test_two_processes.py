"""Two real processes and one run: who works on it, who is told so, and who takes it over."""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import signal
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from multiprocessing.connection import Connection
from pathlib import Path

import pytest

from quintet.engine.context import Context
from quintet.engine.events import Event
from quintet.engine.failures import Held
from quintet.engine.local import Equipment, LocalHost, Performers
from quintet.engine.performing import Call
from quintet.engine.programs import Program
from quintet.engine.questions import Field, Question
from quintet.engine.reports import Report
from quintet.engine.values import Json
from quintet.store.holders import this_process
from quintet.store.port import StoreOptions
from quintet.store.sqlite import SqliteStore

SPAWN = multiprocessing.get_context("forkserver")
RUN = "shared"
PATIENCE = 60.0
"""Seconds after which something that should have happened has not."""
SILENT = StoreOptions(lease_seconds=3600.0)
"""No sign of life is written while a test looks."""


async def body(ctx: Context, arguments: Json) -> Json:
    said = [await ctx.tool("one", 1), await ctx.tool("two", 2), await ctx.tool("three", 3)]
    if arguments == "ask":
        said.append(await ctx.ask("sure", Question("sure?", (Field("by", "text"),))))
    return said


PROGRAM = Program("shared", body)


def host_over(store: SqliteStore, outside: Path, gate: Connection | None = None) -> LocalHost:
    """A host whose second tool tells that it was called, and waits to be told to go on."""

    async def tool(call: Call) -> Json:
        with outside.open("a") as file:
            file.write(f"{os.getpid()} {call.name}\n")
        if call.name == "two" and gate is not None:
            gate.send("called")
            try:
                await asyncio.get_running_loop().run_in_executor(None, gate.recv)
            except asyncio.CancelledError:
                gate.send("stopped")
                raise
        return call.name

    return LocalHost(store, lambda created: Equipment(PROGRAM, Performers(tool=tool)))


def child(place: Path, gate: Connection) -> None:
    """Begin the run, stop in its second tool until told otherwise, and tell how the work ended."""
    gate.send(last_words(lambda: _child(place, gate)))


def last_words(work: Callable[[], Awaitable[str]]) -> str:
    """What a process has to say in the end, whatever came of its work."""

    async def main() -> str:
        return await work()

    try:
        return asyncio.run(main())
    except Exception as error:
        return f"{type(error).__name__}: {error}"


async def _child(place: Path, gate: Connection) -> str:
    store = await SqliteStore.open(place / "store.db", SILENT)
    try:
        async with host_over(store, place / "outside.txt", gate) as host:
            run = await host.start(PROGRAM, run_id=RUN)
            return (await run.wait()).status
    finally:
        await store.close()


async def until_nothing_is_written(place: Path) -> None:
    """Until all that a process has to say before its second tool ends is kept, and its writer has let go."""
    store = await SqliteStore.open(place / "store.db")
    try:
        while [event.kind for event in await store.log(RUN)].count("tool.called") < 2:
            pass
        await store.beat()  # in its turn: behind whoever is writing
    finally:
        await store.close()


class Other:
    """The other process, in the middle of its second tool: nothing is written until it ends."""

    def __init__(self, place: Path) -> None:
        self._gate, theirs = SPAWN.Pipe()
        self._process = SPAWN.Process(target=child, args=(place, theirs))
        self._process.start()
        assert self._told() == "called"
        assert self._process.pid is not None
        self.pid = self._process.pid
        asyncio.run(until_nothing_is_written(place))

    def go_on(self) -> str:
        """Let it go on, and wait for its last words."""
        self._gate.send("go on")
        return self._told()

    def last_words(self) -> str:
        return self._told()

    def signal(self, number: signal.Signals) -> None:
        os.kill(self.pid, number)
        if number is signal.SIGKILL:
            self._process.join(PATIENCE)

    def end(self) -> None:
        with suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGKILL)
        self._process.join(PATIENCE)

    def _told(self) -> str:
        return told_by(self._gate)


def told_by(pipe: Connection) -> str:
    assert pipe.poll(PATIENCE), "the other process says nothing"
    return str(pipe.recv())


@pytest.fixture
def other(tmp_path: Path) -> object:
    process = Other(tmp_path)
    yield process
    process.end()


async def resume(place: Path, options: StoreOptions | None = None, *, elsewhere: bool = False) -> Report:
    """Take the run up in this process; `elsewhere` makes it one of another machine."""
    holder = replace(this_process(), host="another machine") if elsewhere else None
    store = await SqliteStore.open(place / "store.db", options, holder=holder)
    try:
        async with host_over(store, place / "outside.txt") as host:
            return await (await host.resume(RUN)).wait()
    finally:
        await store.close()


async def read(place: Path) -> Sequence[Event]:
    store = await SqliteStore.open(place / "store.db")
    try:
        return await store.log(RUN)
    finally:
        await store.close()


def test_while_one_process_works_the_other_is_told_who_holds_the_run(tmp_path: Path, other: Other) -> None:
    with pytest.raises(Held, match=f"process {other.pid} on "):
        asyncio.run(resume(tmp_path))
    assert other.go_on() == "completed"
    assert [event.kind for event in asyncio.run(read(tmp_path))].count("run.resumed") == 0


def test_a_holder_that_was_killed_on_this_machine_is_replaced_at_once(tmp_path: Path, other: Other) -> None:
    other.signal(signal.SIGKILL)
    report = asyncio.run(resume(tmp_path))
    assert report.output == ["one", "two", "three"]
    performed = (tmp_path / "outside.txt").read_text().split("\n")
    assert performed.count(f"{other.pid} one") == 1
    assert performed.count(f"{os.getpid()} one") == 0, "what was kept is not performed again"
    assert performed.count(f"{os.getpid()} two") == 1, "what was under way is"


def test_a_holder_that_only_sleeps_on_this_machine_is_not_replaced(tmp_path: Path, other: Other) -> None:
    other.signal(signal.SIGSTOP)
    with pytest.raises(Held):
        asyncio.run(resume(tmp_path, StoreOptions(lease_seconds=0.0)))
    other.signal(signal.SIGCONT)
    assert other.go_on() == "completed"


def test_a_holder_elsewhere_that_wakes_up_after_its_lease_ran_out_cannot_append(
    tmp_path: Path, other: Other
) -> None:
    other.signal(signal.SIGSTOP)
    report = asyncio.run(resume(tmp_path, StoreOptions(lease_seconds=0.0), elsewhere=True))
    assert report.status == "completed"
    before = asyncio.run(read(tmp_path))
    other.signal(signal.SIGCONT)
    assert other.go_on().startswith("LeaseLost: ")
    assert asyncio.run(read(tmp_path)) == before


def test_after_a_cancel_from_another_process_nothing_is_performed_or_added(
    tmp_path: Path, other: Other
) -> None:
    async def cancel() -> None:
        store = await SqliteStore.open(tmp_path / "store.db")
        async with host_over(store, tmp_path / "outside.txt") as host:
            await host.cancel(RUN, by="somebody")
        await store.close()

    asyncio.run(cancel())
    assert other.last_words() == "stopped"
    assert other.go_on() == "cancelled"
    log = asyncio.run(read(tmp_path))
    assert log[-1].kind == "run.cancelled"
    assert "three" not in (tmp_path / "outside.txt").read_text()


def theirs(ours: list[Connection]) -> Connection:
    """Their end of a pipe; ours goes to the others."""
    mine, other = SPAWN.Pipe()
    ours.append(mine)
    return other


def answer(place: Path, by: str, begin: Connection) -> None:
    """Answer the run's question when told to, and tell what came of it."""
    begin.send("ready")
    begin.recv()
    begin.send(last_words(lambda: _answer(place, by)))


async def _answer(place: Path, by: str) -> str:
    store = await SqliteStore.open(place / "store.db")
    try:
        async with host_over(store, place / "outside.txt") as host:
            run = await host.answer(RUN, "sure", {"by": by}, by=by)
            if run is not None:
                await run.wait()
        return "taken"
    finally:
        await store.close()


def test_of_two_processes_that_answer_at_once_one_wins_and_the_other_is_told(tmp_path: Path) -> None:
    async def until_asked() -> Report:
        store = await SqliteStore.open(tmp_path / "store.db")
        async with host_over(store, tmp_path / "outside.txt") as host:
            report = await (await host.start(PROGRAM, "ask", run_id=RUN)).wait()
        await store.close()
        return report

    assert asyncio.run(until_asked()).status == "paused"
    pipes: list[Connection] = []
    people = ["ann", "bob"]
    processes = [SPAWN.Process(target=answer, args=(tmp_path, by, theirs(pipes))) for by in people]
    for process, pipe in zip(processes, pipes, strict=True):
        process.start()
        assert told_by(pipe) == "ready"
    for pipe in pipes:
        pipe.send("go")
    told = dict(zip(people, map(told_by, pipes), strict=True))
    for process in processes:
        process.join(PATIENCE)
    (winner,) = [by for by, what in told.items() if what == "taken"]
    (loser,) = [by for by in people if by != winner]
    assert told[loser] == f"AlreadyDecided: already decided by {winner}"
    answered = [event for event in asyncio.run(read(tmp_path)) if event.kind == "question.answered"]
    assert [event.data for event in answered] == [f'{{"value":{{"by":"{winner}"}}}}']
