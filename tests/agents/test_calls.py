"""Calls are numbered over all lives of a run, and a call that was interrupted keeps its number."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from quintet.agents.acting import name_of
from quintet.agents.calls import Calls, names_called
from quintet.agents.manifest import Manifest
from quintet.agents.roster import Roster
from quintet.engine.events import Event
from quintet.engine.paths import parse
from quintet.engine.performing import Call
from quintet.engine.values import Json, encode

NOBODY = Roster()
ID = "0b5c1f4e-1f0e-4d3a-9b51-2f1c8f6f3a11"


def request(agent: str) -> dict[str, Json]:
    return {"agent": {"name": agent}, "messages": []}


def started(seq: int, path: str, agent: str) -> Event:
    return Event(seq, 0.0, "model.requested", parse(path), 0, encode(request(agent)))


def answered(seq: int, path: str) -> Event:
    return Event(seq, 0.0, "model.answered", parse(path), 0, "{}")


def call(path: str, agent: str) -> Call:
    return Call("run", parse(path), "model", "model", request(agent), "key")


class Log:
    """A log that can be read, and how often it was."""

    def __init__(self, *events: Event) -> None:
        self.events = events
        self.reads = 0

    async def read(self, run_id: str) -> Sequence[Event]:
        self.reads += 1
        return self.events


def numbers(calls: Calls, *asked: tuple[str, str]) -> list[int]:
    async def ask() -> list[int]:
        return list(await asyncio.gather(*(calls.number(call(path, agent)) for path, agent in asked)))

    return asyncio.run(ask())


def test_names_are_counted_apart_and_in_order() -> None:
    calls = Calls(Log().read, NOBODY)
    assert numbers(calls, ("a", "x"), ("b", "y"), ("c", "x"), ("a", "x")) == [1, 1, 2, 1]


def test_the_count_goes_on_where_the_log_ends() -> None:
    log = Log(started(3, "a", "x"), answered(4, "a"), started(5, "b", "x"))
    calls = Calls(log.read, NOBODY)
    assert numbers(calls, ("c", "x")) == [3]
    assert log.reads == 1


def test_an_interrupted_call_keeps_its_number() -> None:
    calls = Calls(Log(started(3, "a", "x"), started(4, "b", "x")).read, NOBODY)
    assert numbers(calls, ("b", "x"), ("a", "x"), ("c", "x")) == [2, 1, 3]


def test_a_log_that_was_heard_from_its_beginning_is_not_read() -> None:
    log = Log()
    calls = Calls(log.read, NOBODY)
    calls.hear([Event(1, 0.0, "run.created", (), 0, "{}"), started(2, "a", "x"), answered(3, "a")])
    assert numbers(calls, ("b", "x")) == [2]
    assert log.reads == 0


def test_what_was_added_while_the_log_was_read_is_counted_once() -> None:
    calls = Calls(Log(started(3, "a", "x"), started(4, "b", "x")).read, NOBODY)
    calls.hear([started(4, "b", "x"), started(5, "c", "x")])
    assert numbers(calls, ("d", "x")) == [4]


def test_what_a_retried_run_called_in_vain_counts() -> None:
    assert numbers(Calls(Log().read, NOBODY, {"agent x": 2}), ("a", "x"), ("b", "y")) == [3, 1]
    assert list(names_called([started(1, "a", "x"), answered(2, "a")], NOBODY)) == ["agent x"]


def test_an_agent_known_by_its_id_only_is_counted_under_it() -> None:
    assert name_of("model", {"agent": {"id": "7"}}, NOBODY) == "agent 7"
    assert name_of("tool", {"tool": "look"}, NOBODY) == "tool look"


def test_an_agent_is_counted_once_whether_called_by_its_name_or_its_id() -> None:
    """ "Entries are used one per call, in order, per name." """
    roster = Roster([Manifest("writer", ID)])
    assert name_of("model", {"agent": {"id": ID.upper()}}, roster) == "agent writer"
    assert name_of("model", {"agent": {"name": "writer"}}, roster) == "agent writer"
