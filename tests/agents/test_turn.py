"""A turn asks, calls tools together, and answers; each of these is a touch, and none is ever done twice."""

from __future__ import annotations

from typing import Any, cast

import pytest

from quintet.agents.sessions import Session
from quintet.agents.turn import VERSION, Agent, Limits, Tool, Wish, turn
from quintet.engine.context import Context
from quintet.engine.failures import Failed, Failure
from quintet.engine.programs import Program
from quintet.engine.values import Json, decode
from quintet.testing import Crash, Fault, MemoryHost, scripted

TOOLS = {
    "agents": {
        "ann": [
            {"tools": [{"name": "look", "arguments": {"q": "{{prompt}}"}}, {"name": "break"}]},
            {"reply": {"found": "{{prompt}}"}, "tokens": {"input": 7, "output": 2}},
        ]
    },
    "tools": {"look": [{"result": {"hit": 42}, "delay": 3}], "break": [{"error": "it broke"}]},
}


async def ask_ann(ctx: Context, arguments: Json) -> Json:
    answer = await turn(ctx, Agent("ann"), "find it")
    return [answer.text, answer.value, answer.input_tokens, answer.output_tokens, answer.agent.name]


PROGRAM = Program("ask", ask_ann, (VERSION,))


def requests(host: MemoryHost) -> list[Any]:
    return [decode(event.data) for event in host.logs["run"].events if event.kind == "model.requested"]


def test_tools_are_called_together_and_their_results_told_to_the_model() -> None:
    host = MemoryHost(scripted(TOOLS))
    report = host.run(PROGRAM)
    assert report.output == ['{"found":"find it"}', {"found": "find it"}, 7, 2, "ann"]
    assert host.now == 3.0
    first, second = requests(host)
    assert first["messages"] == [{"role": "user", "text": "find it"}]
    assert second["messages"] == [
        {"role": "tool", "id": "1.1", "tool": "look", "result": {"hit": 42}},
        {"role": "tool", "id": "1.2", "tool": "break", "error": "it broke"},
    ]


def test_a_request_names_the_head_and_does_not_repeat_the_conversation() -> None:
    host = MemoryHost(scripted(TOOLS))
    host.run(PROGRAM)
    first, second = requests(host)
    assert first["before"] is None
    assert isinstance(second["before"], str)
    assert "find it" not in str(second)


def test_a_turn_that_was_cut_anywhere_goes_on_there() -> None:
    whole = MemoryHost(scripted(TOOLS))
    output = whole.run(PROGRAM).output
    for append in range(1, whole.appends + 1):
        host = MemoryHost(scripted(TOOLS), faults=[Fault("crash after", append)])
        with pytest.raises(Crash):
            host.run(PROGRAM)
        if host.logs["run"].status == "running":
            assert host.resume("run", PROGRAM).output == output


def test_an_agent_that_only_ever_calls_tools_is_stopped() -> None:
    script = {
        "agents": {"ann": [{"tool": {"name": "look", "arguments": {"n": "{{call}}"}}}]},
        "tools": {"look": [{"result": 1}]},
    }
    host = MemoryHost(scripted(script))
    failure = host.run(PROGRAM).failure
    assert failure is not None
    assert failure.kind == "limit"
    assert len(requests(host)) == Limits().requests


def test_an_agent_that_asks_for_the_same_again_and_again_is_stopped() -> None:
    script = {"agents": {"ann": [{"tool": {"name": "look"}}]}, "tools": {"look": [{"result": 1}]}}
    host = MemoryHost(scripted(script))
    failure = host.run(PROGRAM).failure
    assert failure is not None
    assert (failure.kind, failure.message) == ("limit", "it asked for the same 6 times in a row: look")
    assert len(requests(host)) == Limits().same + 1


def test_a_tool_that_nobody_has_is_an_error_for_the_model() -> None:
    script = {"agents": {"ann": [{"tool": {"name": "none"}}, {"reply": "sorry"}]}}
    host = MemoryHost(scripted(script))
    output = host.run(PROGRAM).output
    assert isinstance(output, list)
    assert output[0] == "sorry"
    assert "error" in requests(host)[1]["messages"][0]


def test_the_notes_of_a_turn_say_how_it_ended() -> None:
    for script, last in (
        (TOOLS, "turn.completed"),
        ({"agents": {"ann": [{"error": "no"}]}}, "turn.failed"),
    ):
        host = MemoryHost(scripted(script))
        host.run(PROGRAM)
        notes = [event.kind for event in host.logs["run"].events if event.kind.startswith("turn.")]
        assert notes == ["turn.started", last]
    host = MemoryHost(scripted({"agents": {"ann": [{"reply": "late", "delay": 9}]}}))
    host.cancel("run", after=1.0)
    host.run(PROGRAM)
    last = [event.kind for event in host.logs["run"].events[-3:]]
    assert last == ["touch.cancelled", "turn.cancelled", "run.cancelled"]


SCHEMA: Json = {"type": "object", "required": ["ok"]}


async def ask_for_a_value(ctx: Context, arguments: Json) -> Json:
    answer = await turn(ctx, Agent("ann"), "is it?", wish=Wish(schema=cast("dict[str, Json]", SCHEMA)))
    return answer.value


VALUE = Program("value", ask_for_a_value, (VERSION,))


def test_an_answer_that_does_not_fit_is_given_anew_with_the_problem_told() -> None:
    host = MemoryHost(scripted({"agents": {"ann": [{"reply": "yes"}, {"reply": {}}, {"reply": {"ok": 1}}]}}))
    assert host.run(VALUE).output == {"ok": 1}
    first, second, third = requests(host)
    assert first["schema"] == SCHEMA
    assert "it is no JSON" in second["messages"][0]["text"]
    assert '"ok" is a required property' in third["messages"][0]["text"]


def test_an_answer_that_never_fits_is_a_failure_that_keeps_it() -> None:
    host = MemoryHost(scripted({"agents": {"ann": [{"reply": "yes"}]}}))
    failure = host.run(VALUE).failure
    assert failure is not None
    assert failure.kind == "invalid_answer"
    assert "asked 2 more times" in failure.message
    assert failure.detail == {"text": "yes"}
    assert len(requests(host)) == 1 + Limits().repairs


def test_a_tool_of_the_workflow_is_offered_with_the_request() -> None:
    tool = Tool("delegate", "Hand a task on", {"type": "object"})

    async def offer(ctx: Context, arguments: Json) -> Json:
        return (await turn(ctx, Agent("ann"), "go", wish=Wish(tools=[tool]))).text

    host = MemoryHost(scripted({"agents": {"ann": [{"reply": "done"}]}}))
    host.run(Program("offer", offer, (VERSION,)))
    assert requests(host)[0]["tools"] == [tool.to_json()]


def test_arguments_that_are_no_json_are_told_to_the_model_and_nothing_is_called() -> None:
    script = {"agents": {"ann": [{"tool": {"name": "look", "arguments": '{"q": '}}, {"reply": "sorry"}]}}
    host = MemoryHost(scripted(script))
    host.run(PROGRAM)
    assert "no JSON object" in requests(host)[1]["messages"][0]["error"]
    assert not any(call.kind == "tool" for call in host.performed)


GREEDY = {
    "agents": {"ann": [{"tools": [{"name": "look"}, {"name": "break"}]}, {"reply": "done"}]},
    "tools": {"look": [{"result": 1}], "break": [{"result": 2}]},
}


async def closed(ctx: Context, arguments: Json) -> Json:
    wish = Wish(tools=[Tool("look", "Looks.", {})], closed=True, context={"tenant": "acme"})
    return (await turn(ctx, Agent("ann"), "find it", wish=wish)).text


def test_a_tool_beyond_those_of_a_closed_turn_is_refused_and_the_model_told() -> None:
    host = MemoryHost(scripted(GREEDY))
    assert host.run(Program("closed", closed, (VERSION,))).output == "done"
    assert [call.request["tool"] for call in map(cast_any, host.performed) if call.kind == "tool"] == ["look"]
    told = requests(host)[1]["messages"]
    assert told[1]["error"] == "not called: the agent may not call 'break'; it may call: look"


def test_the_context_of_a_turn_reaches_every_tool_and_no_model() -> None:
    host = MemoryHost(scripted(GREEDY))
    host.run(Program("closed", closed, (VERSION,)))
    calls = [call for call in map(cast_any, host.performed) if call.kind == "tool"]
    assert [call.request["context"] for call in calls] == [{"tenant": "acme"}]
    assert "acme" not in str(requests(host))


def cast_any(value: object) -> Any:
    return value


def whole(text: str) -> Json:
    """A number that a text is."""
    if not text.isdecimal():
        raise Failed(Failure("odd", f"{text} is no number"))
    return int(text)


def test_a_format_may_say_itself_what_an_answer_comes_to_and_what_it_refuses_was_said_all_the_same() -> None:
    async def body(ctx: Context, arguments: Json) -> Json:
        session, found = Session("ann"), list[Json]()
        for name in ("first", "second"):
            try:
                one = ctx.branch(name, lambda ctx: turn(ctx, Agent("ann"), "?", session=session, wish=WHOLE))
                found.append((await one).value)
            except Failed as failed:
                found.append(str(failed))
        return found

    host = MemoryHost(scripted({"agents": {"ann": [{"reply": "x"}, {"reply": "7"}]}}))
    assert host.run(Program("count", body, (VERSION,))).output == ["x is no number", 7]
    first, second = requests(host)
    assert (first["before"], second["before"] is None) == (None, False)
    kinds = [event.kind for event in host.logs["run"].events if event.kind.startswith("turn.")]
    assert kinds == ["turn.started", "turn.failed", "turn.started", "turn.completed"]


WHOLE = Wish(accept=whole)
