"""Sessions go on from turn to turn, also from two at once and from run to run, and nothing is said twice."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from quintet.agents.conversations import Conversations, Lost, sessions
from quintet.agents.sessions import Session, continued
from quintet.agents.turn import VERSION, Agent, turn
from quintet.engine.context import Context
from quintet.engine.events import Event
from quintet.engine.programs import Program
from quintet.engine.values import Json, decode
from quintet.testing import MemoryHost, scripted

ECHO = {"agents": {"ann": [{"reply": "<{{prompt}}>"}]}}


def spoken(host: MemoryHost, run: str = "run") -> list[Any]:
    return [decode(event.data) for event in host.logs[run].events if event.kind == "model.requested"]


def ran(program: Program, host: MemoryHost) -> Sequence[Event]:
    report = host.run(program)
    assert report.status == "completed", report
    return host.logs["run"].events


def texts(messages: Sequence[Any]) -> list[str]:
    return [message["text"] for message in messages]


async def twice(ctx: Context, arguments: Json) -> Json:
    session = Session("work")
    for number in ("one", "two"):
        await ctx.branch(number, lambda ctx, number=number: turn(ctx, Agent("ann"), number, session=session))
    return session.head


TWICE = Program("twice", twice, (VERSION,))


def test_a_second_turn_goes_on_where_the_first_has_ended() -> None:
    host = MemoryHost(scripted(ECHO))
    log = ran(TWICE, host)
    first, second = spoken(host)
    assert first["before"] is None
    assert texts(second["messages"]) == ["two"], "what was said before is named, and not said again"
    told = Conversations(nobody)
    told.hear(log)
    assert texts(told.said(second["head"])) == ["one", "<one>", "two"]


def test_each_message_is_in_the_log_once() -> None:
    host = MemoryHost(scripted(ECHO))
    assert sum(event.data.count("<one>") for event in ran(TWICE, host)) == 1


async def at_once(ctx: Context, arguments: Json) -> Json:
    session = Session("work")
    branches = [
        ctx.branch(name, lambda ctx, name=name: turn(ctx, Agent(name), f"to {name}", session=session))
        for name in ("slow", "fast")
    ]
    for branch in branches:
        await branch
    await ctx.branch("last", lambda ctx: turn(ctx, Agent("ann"), "and now", session=session))
    return session.head


def test_turns_that_run_at_once_lose_nothing() -> None:
    script = {
        "agents": {
            "slow": [{"reply": "I am slow", "delay": 2}],
            "fast": [{"reply": "I am fast", "delay": 1}],
            "*": [{"reply": "bye"}],
        }
    }
    host = MemoryHost(scripted(script))
    log = ran(Program("at once", at_once, (VERSION,)), host)
    told = Conversations(nobody)
    told.hear(log)
    said = texts(told.said(spoken(host)[-1]["head"]))
    assert said == ["to fast", "I am fast", "to slow", "I am slow", "and now"]
    assert texts(sessions(log)["work"].messages) == [*said, "bye"]


async def instructed(ctx: Context, arguments: Json) -> Json:
    session = Session("work")
    for number, words in enumerate(("be brief", "be brief", "be kind")):
        agent = Agent("ann", instructions=words)
        await ctx.branch(f"{number}", lambda ctx, agent=agent: turn(ctx, agent, "go", session=session))
    return None


def test_instructions_are_said_once_as_long_as_they_stay_the_same() -> None:
    host = MemoryHost(scripted(ECHO))
    ran(Program("instructed", instructed, (VERSION,)), host)
    roles = [[message["role"] for message in one["messages"]] for one in spoken(host)]
    assert roles == [["system", "user"], ["user"], ["system", "user"]]


async def again(ctx: Context, arguments: Json) -> Json:
    known = await continued(ctx, "earlier")
    await ctx.branch("three", lambda ctx: turn(ctx, Agent("ann"), "three", session=known["work"]))
    return sorted(known)


def test_a_run_goes_on_with_the_sessions_of_an_earlier_one_and_holds_them_itself() -> None:
    first = MemoryHost(scripted(ECHO))
    earlier = sessions(ran(TWICE, first))
    stand_in = scripted(ECHO)

    def world(call: Any) -> object:
        if call.kind != "effect":
            return stand_in(call)
        assert call.request == {"run": "earlier"}
        return {
            "sessions": {name: {"head": end.head, "messages": end.messages} for name, end in earlier.items()}
        }

    host = MemoryHost(world)
    log = ran(Program("again", again, (VERSION,)), host)
    told = Conversations(nobody)
    told.hear(log)
    assert texts(told.said(spoken(host)[-1]["head"])) == ["one", "<one>", "two", "<two>", "three"]


def test_a_conversation_that_the_log_does_not_hold_is_said_to_be_lost() -> None:
    with pytest.raises(Lost, match="nowhere"):
        Conversations(nobody).said("nowhere")


async def nobody(run_id: str) -> Sequence[Event]:
    return ()
