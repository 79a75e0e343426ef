"""Whatever a run has asked, its cassette answers: sessions, schemas, tools, time limits, people."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any, cast

import pytest

from quintet.agents.cassette import Cassette, NotRecorded
from quintet.agents.cassette_file import parse
from quintet.agents.cassette_text import text_of
from quintet.agents.manifest import parse as manifest
from quintet.agents.playing import Players, world
from quintet.agents.roster import Roster
from quintet.agents.sessions import EARLIER, Session, continued
from quintet.agents.taping import Taping
from quintet.agents.turn import VERSION, Agent, Tool, Wish, turn
from quintet.engine.combinators import deadline, gather
from quintet.engine.context import Context
from quintet.engine.events import Event
from quintet.engine.failures import Failed
from quintet.engine.memory import Fault, World
from quintet.engine.paths import parse as parse_path
from quintet.engine.performing import Call
from quintet.engine.programs import Program
from quintet.engine.questions import Question
from quintet.engine.redaction import Redactor
from quintet.engine.scopes import Returned
from quintet.engine.values import Json
from quintet.testing import Crash, MemoryHost, scripted

SCHEMA = {"type": "object", "required": ["a"]}
LOOK = Tool("look", "looks", {"type": "object"})
SCRIPT = {
    "agents": {
        "ann": [
            {"reply": "<{{prompt}}>", "delay": 2},
            {"reply": "<{{prompt}}>", "delay": 1},
            {"reply": "both"},
        ],
        "bob": [{"reply": "no JSON"}, {"tool": {"name": "look", "arguments": {"q": 1}}}, {"reply": {"a": 1}}],
        "slow": [{"reply": "late", "delay": 99}],
        "eve": [{"error": {"kind": "refused", "message": "no"}}],
    },
    "tools": {"look": [{"result": [1]}]},
}
EARLIER_SAID = {"head": "h", "messages": [{"role": "user", "text": "long ago"}]}
ROSTER = Roster([manifest('name = "ann"\n[model]\nsystem_prompt = "You are Ann."\n', "agent.toml")])


async def everything(ctx: Context, arguments: Json) -> Json:
    session = (await continued(ctx, "old"))["work"]

    async def ann(ctx: Context, name: str) -> str:
        return (await turn(ctx, Agent("ann"), name, session=session)).text

    both = await gather(ctx, [("x", lambda ctx: ann(ctx, "x")), ("y", lambda ctx: ann(ctx, "y"))])
    last = await ctx.branch("last", lambda ctx: turn(ctx, Agent("ann", history=4), "z", session=session))
    wish = Wish(SCHEMA, (LOOK,))
    value = await ctx.branch("bob", lambda ctx: turn(ctx, Agent("bob"), "fit", wish=wish))
    failed: list[str] = []
    for name, seconds in (("slow", 5.0), ("eve", 5.0)):
        try:
            await deadline(ctx, name, seconds, lambda ctx, name=name: turn(ctx, Agent(name), "?"))
        except Failed as failure:
            failed.append(failure.failure.kind)
    allowed = await ctx.ask("allowed", Question("May I?"))
    return [[one.value for one in both if isinstance(one, Returned)], last.text, value.value, failed, allowed]


PROGRAM = Program("everything", everything, (VERSION,))


def performing(call: Call) -> object:
    if call.kind == "effect":
        return {EARLIER: {"work": EARLIER_SAID}}
    return _SCRIPTED(call)


_SCRIPTED: World = scripted(SCRIPT)


@pytest.fixture(scope="module")
def recorded() -> tuple[Json, Cassette]:
    host = MemoryHost(performing, person=lambda asked: "yes")
    report = host.run(PROGRAM)
    assert report.status == "completed", report
    taping = Taping(ROSTER)
    taping.hear(host.logs["run"].events)
    cassette = Cassette(
        models=taping.models, tools=taping.tools, services=taping.services, answers=taping.answers
    )
    return report.output, parse(text_of(cassette), "c.yaml")


def playing(cassette: Cassette, **options: Any) -> MemoryHost:
    host = MemoryHost(person=lambda asked: _answer(cassette, asked.target), **options)
    host.world = world(cassette, ROSTER, Redactor(), lambda run_id: host.logs[run_id].events)
    return host


def _answer(cassette: Cassette, target: str) -> Json:
    return next(one.answer for one in cassette.answers if one.at == target)


def test_everything_comes_out_as_it_was(recorded: tuple[Json, Cassette]) -> None:
    output, cassette = recorded
    assert output == [["<x>", "<y>"], "both", {"a": 1}, ["timeout", "refused"], "yes"]
    assert playing(cassette).run(PROGRAM).output == output


def test_a_run_that_is_cut_anywhere_plays_on(recorded: tuple[Json, Cassette]) -> None:
    output, cassette = recorded
    host = playing(cassette)
    host.run(PROGRAM)
    for append in range(2, host.appends + 1):
        cut = playing(cassette, faults=[Fault("crash after", append)])
        with pytest.raises(Crash):
            cut.run(PROGRAM)
        if cut.logs["run"].status == "running":
            cut.world = world(cassette, ROSTER, Redactor(), lambda run_id, cut=cut: cut.logs[run_id].events)
            assert cut.resume("run", PROGRAM).output == output


def test_instructions_of_an_agent_are_part_of_what_it_is_asked(recorded: tuple[Json, Cassette]) -> None:
    _, cassette = recorded
    assert cassette.models[0].request.words[0] == {"role": "system", "text": "You are Ann."}
    host = MemoryHost(person=lambda asked: "yes")
    host.world = world(cassette, Roster(), Redactor(), lambda run_id: host.logs[run_id].events)
    with pytest.raises(NotRecorded, match="-system: You are Ann"):
        host.run(PROGRAM)


def test_what_belongs_to_no_recording_is_not_there(recorded: tuple[Json, Cassette]) -> None:
    with pytest.raises(NotRecorded, match="'sessions' is asked what is not on the cassette"):
        playing(Cassette(models=recorded[1].models)).run(PROGRAM)


async def again(ctx: Context, arguments: Json) -> Json:
    said: list[str] = []
    for name in cast("Sequence[str]", arguments):
        answer = await ctx.branch(name, lambda ctx: turn(ctx, Agent("ann"), "?", session=Session("s")))
        said.append(answer.text)
    return said


AGAIN = Program("again", again, (VERSION,))


def test_a_run_of_a_changed_workflow_goes_on_in_the_recorded_order_when_it_is_resumed() -> None:
    host = MemoryHost(scripted({"agents": {"ann": [{"reply": "1"}, {"reply": "2"}]}}))
    host.run(AGAIN, ["a", "b"])
    taping = Taping(Roster())
    taping.hear(host.logs["run"].events)
    cassette = Cassette(models=taping.models)
    changed = MemoryHost()
    changed.world = world(cassette, Roster(), Redactor(), lambda run_id: changed.logs[run_id].events)
    assert changed.run(AGAIN, ["x", "y"]).output == ["1", "2"]

    async def third() -> None:
        log: Sequence[Event] = changed.logs["run"].events

        async def read(run_id: str) -> Sequence[Event]:
            return log

        players = Players(cassette, Roster(), read, Redactor())
        asked = {
            "agent": {"name": "ann"},
            "before": None,
            "head": "h",
            "messages": [{"role": "user", "text": "?"}],
        }
        await players.model(Call("run", parse_path("z/model"), "model", "model", asked, "key"))

    with pytest.raises(NotRecorded, match="for the 3rd time, and recorded 2 times"):
        asyncio.run(third())
