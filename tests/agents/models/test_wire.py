"""What is asked and answered, over the wires of OpenAI and of Anthropic."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from quintet.agents.messages import ToolCall, assistant, failed, result, user
from quintet.agents.models.port import Ask, Finish, Said, Tokens, ToolOffer, Trouble
from quintet.agents.models.remote import Connection, remote
from quintet.engine.performing import unheard
from quintet.engine.values import Json
from tests.agents.models.stage import ANTHROPIC, HELLO, KEY, OPENAI, SPEECHES, Speech, outcome
from tests.servers.openai import fitting
from tests.servers.replies import Call, Hangs, Says

both = pytest.mark.parametrize("speech", SPEECHES, ids=["openai", "anthropic"])
SEARCH = ToolOffer("search", "Look it up", {"type": "object", "properties": {"q": {"type": "string"}}})


@both
def test_an_answer_is_shown_piece_by_piece_and_given_whole(speech: Speech) -> None:
    played = speech.play([Says(["Hel", "lo", "."], input=12, output=5, cached=4)])
    assert played.pieces == ["Hel", "lo", "."]
    message = {"role": "assistant", "text": "Hello."}
    assert played.said == Said(message, "stop", Tokens(12, 5, 4, 0), speech.model.name)


@both
def test_a_piece_is_shown_before_the_next_has_come(speech: Speech) -> None:
    async def run() -> None:
        gate, shown = asyncio.Event(), asyncio.Event()
        async with speech.scene([Says(["slow", gate, "ly"])]) as (_, port):
            asking = asyncio.ensure_future(port.ask(HELLO, lambda _: shown.set()))
            await shown.wait()
            assert not asking.done()
            gate.set()
            assert (await asking).message["text"] == "slowly"

    asyncio.run(run())


@both
def test_thoughts_are_not_shown(speech: Speech) -> None:
    played = speech.play([Says(["Tea."], thinking="tea or coffee")])
    assert played.pieces == ["Tea."]
    assert played.said.message == {"role": "assistant", "text": "Tea."}


@both
def test_tools_are_offered_and_asked_for(speech: Speech) -> None:
    wanted = [Call("search", {"q": "tea"}), Call("search", {}, "call_2")]
    played = speech.play([Says([], calls=wanted)], Ask([user("hi")], tools=[SEARCH]))
    calls = [ToolCall("call_1", "search", {"q": "tea"}), ToolCall("call_2", "search", {})]
    assert (played.said.message, played.said.finish) == (assistant("", calls), "tools")
    sent = str(played.requests[0].body["tools"])
    assert "Look it up" in sent
    assert "strict" not in sent


@both
@pytest.mark.parametrize("arguments", ['{"q": "te', '{"q": NaN}', "[" * 100_000])
def test_arguments_that_are_no_json_are_given_as_they_came(speech: Speech, arguments: str) -> None:
    played = speech.play([Says([], calls=[Call("search", arguments)])])
    assert played.said.message == assistant("", [ToolCall("call_1", "search", arguments)])


@both
@pytest.mark.parametrize("finish", ["stop", "length", "refused", "tools"])
def test_why_a_model_stopped_is_told(speech: Speech, finish: Finish) -> None:
    calls = [Call("search", {})] if finish == "tools" else []
    said = speech.play([Says(["No."], calls, finish)]).said
    assert (said.finish, said.message["text"]) == (finish, "No.")


def test_a_filtered_answer_is_told() -> None:
    assert OPENAI.play([Says(["No."], finish="content_filter")]).said.finish == "content_filter"


def test_the_conversation_goes_out_to_openai_as_it_was() -> None:
    played = OPENAI.play([Says()], CONVERSATION)
    call = {"id": "c1", "type": "function", "function": {"name": "search", "arguments": '{"q":"tea"}'}}
    other = {"id": "c2", "type": "function", "function": {"name": "search", "arguments": '{"q":1}'}}
    assert played.requests[0].body["messages"] == [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "Find tea."},
        {"role": "assistant", "content": "Let me see.", "tool_calls": [call, other]},
        {"role": "tool", "tool_call_id": "c1", "content": '{"found":["green"]}'},
        {"role": "tool", "tool_call_id": "c2", "content": '{"error":"too hot"}'},
        {"role": "user", "content": "And?"},
    ]


def test_the_conversation_goes_out_to_anthropic_as_it_was() -> None:
    body = ANTHROPIC.play([Says()], CONVERSATION).requests[0].body
    assert body["system"] == "Be brief."
    first, second, third = body["messages"]
    assert (first["role"], second["role"], third["role"]) == ("user", "assistant", "user")
    assert [block["type"] for block in second["content"]] == ["text", "tool_use", "tool_use"]
    done, failure, more = third["content"]
    assert (done["content"][0]["text"], done["is_error"]) == ('{"found":["green"]}', False)
    assert (failure["content"][0]["text"], failure["is_error"]) == ("too hot", True)
    assert more["text"] == "And?"


_CALLS = [ToolCall("c1", "search", {"q": "tea"}), ToolCall("c2", "search", {"q": 1})]
CONVERSATION = Ask(
    [
        {"role": "system", "text": "Be long."},
        user("Find tea."),
        assistant("Let me see.", _CALLS),
        result(_CALLS[0], {"found": ["green"]}),
        failed(_CALLS[1], "too hot"),
        {"role": "system", "text": "Be brief."},
        user("And?"),
    ]
)


@both
def test_arguments_that_were_no_json_can_be_talked_about(speech: Speech) -> None:
    call = ToolCall("c1", "search", '{"q": "te')
    conversation = [user("hi"), assistant("", [call]), failed(call, "this is no JSON")]
    body = speech.play([Says()], Ask(conversation, tools=[SEARCH])).requests[0].body
    assert '{"q": "te' in str(body["messages"]).replace("\\", "")


@both
def test_half_a_character_that_a_model_wrote_stops_no_conversation(speech: Speech) -> None:
    half = "\ud83d"
    call = ToolCall("c1", f"look{half}", {f"a{half}": [half]})
    talk = [user(half), assistant(half, [call]), failed(call, half), user("And?")]
    played = speech.play([Says()], Ask(talk))
    assert "And?" in str(played.requests[0].body)
    assert half not in str(played.requests[0].body)


def test_signed_thoughts_go_back_with_the_results_of_the_tools() -> None:
    first = Says([], [Call("search", {"q": "tea"})], thinking="tea?")
    said = ANTHROPIC.play([first], Ask([user("hi")], tools=[SEARCH])).said
    conversation = [user("hi"), said.message, result(ToolCall("call_1", "search", {}), "green")]
    body = ANTHROPIC.play([Says()], Ask(conversation, tools=[SEARCH])).requests[0].body
    thought = body["messages"][1]["content"][0]
    assert (thought["type"], thought["thinking"], thought["signature"]) == ("thinking", "tea?", "signed")


SCHEMA: dict[str, Json] = {
    "type": "object",
    "properties": {"status": {"enum": ["APPROVED", "CHANGES"]}, "reason": {"type": "string"}},
    "required": ["status", "reason"],
    "additionalProperties": False,
}


def test_an_answer_in_a_form_is_asked_for_in_the_providers_own_way() -> None:
    ask = Ask([user("Review.")], schema=SCHEMA)
    played = OPENAI.play(fitting, ask)
    assert played.said.message["text"] == '{"status": "APPROVED", "reason": "word"}'
    form = played.requests[0].body["response_format"]
    assert form == {"type": "json_schema", "json_schema": {"name": "answer", "schema": SCHEMA}}
    form = ANTHROPIC.play([Says()], ask).requests[0].body["output_config"]["format"]
    assert form["schema"]["required"] == ["status", "reason"]


def test_a_form_that_a_provider_would_change_is_asked_for_in_words() -> None:
    schema: dict[str, Json] = {"type": "object", "additionalProperties": {"type": "number"}}
    ask = Ask([{"role": "system", "text": "Be brief."}, user("Count.")], schema=schema)
    body = ANTHROPIC.play([Says()], ask).requests[0].body
    assert "output_config" not in body
    assert body["system"].startswith("Be brief.\n\nAnswer with JSON alone")
    assert '{"type":"object","additionalProperties":{"type":"number"}}' in body["system"]


def test_parameters_go_out_under_the_names_that_old_servers_know() -> None:
    parameters: dict[str, Json] = {
        "temperature": 0,
        "max_tokens": 7,
        "top_p": 0.5,
        "top_k": 3,
        "seed": 1,
        "stop": "\n",
        "presence_penalty": 0.1,
        "frequency_penalty": 0.2,
        "extra": {"grammar": "root"},
        "timeout": 30,
    }
    request = OPENAI.play([Says()], Ask([user("hi")], (), None, parameters, "key-1")).requests[0]
    sent: dict[str, Any] = {**parameters, "stop": ["\n"], "grammar": "root"}
    del sent["extra"], sent["timeout"]
    assert {name: request.body.get(name) for name in sent} == sent
    assert request.headers["idempotency-key"] == "key-1"
    assert request.headers["x-team"] == "tea-and-biscuits"
    assert request.headers["authorization"] == f"Bearer {KEY}"


@pytest.mark.parametrize(
    ("speech", "parameters", "words"),
    [
        (OPENAI, {"temprature": 1}, "models have no parameter `temprature`"),
        (OPENAI, {"temperature": "hot"}, "the parameter `temperature` is a number"),
        (OPENAI, {"max_tokens": 1.5}, "the parameter `max_tokens` is a whole number"),
        (OPENAI, {"seed": True}, "the parameter `seed` is a number"),
        (OPENAI, {"stop": [1]}, "the parameter `stop` is a text or a list of texts"),
        (OPENAI, {"thinking": "very"}, "the parameter `thinking` is true, false, or one of"),
        (OPENAI, {"thinking": True}, "is not known to think"),
        (OPENAI, {"parallel_tool_calls": 1}, "the parameter `parallel_tool_calls` is true or false"),
        (OPENAI, {"extra": 1}, "the parameter `extra` is a map"),
        (OPENAI, {"timeout": 0}, "the parameter `timeout` is a number of seconds"),
        (ANTHROPIC, {"seed": 1}, "cannot be told `seed`"),
    ],
)
def test_a_parameter_that_cannot_be_passed_on_is_refused(
    speech: Speech, parameters: dict[str, Json], words: str
) -> None:
    played = speech.play([Says()], Ask([user("hi")], parameters=parameters))
    assert played.told == ("rejected", False, True)
    assert words in str(played.trouble)
    assert not played.requests


@both
def test_cancelling_closes_the_socket_at_once(speech: Speech) -> None:
    async def run() -> None:
        gate, shown = asyncio.Event(), asyncio.Event()
        async with speech.scene([Says(["Hel", gate, "lo"]), Hangs(), Says()]) as (server, port):
            asking = asyncio.ensure_future(port.ask(HELLO, lambda _: shown.set()))
            await shown.wait()
            asking.cancel()
            with pytest.raises(asyncio.CancelledError):
                await asking
            await server.left(1)
            asking = asyncio.ensure_future(port.ask(HELLO, unheard))  # before a byte has come
            await server.received(2)
            asking.cancel()
            with pytest.raises(asyncio.CancelledError):
                await asking
            await server.left(2)
            assert (await port.ask(HELLO, unheard)).message["text"] == "Hello."

    asyncio.run(run())


@both
def test_a_connection_is_kept_for_the_next_question(speech: Speech) -> None:
    async def run() -> None:
        async with speech.scene(lambda _: Says()) as (server, port):
            for _ in range(3):
                await port.ask(HELLO, unheard)
            assert server.web.connections == 1

    asyncio.run(run())


@both
def test_many_ask_at_once(speech: Speech) -> None:
    async def run() -> None:
        gate = asyncio.Event()
        async with speech.scene(lambda _: Says(["Hel", gate, "lo"])) as (server, port):
            asking = [asyncio.ensure_future(outcome(port.ask(HELLO, unheard))) for _ in range(50)]
            await server.received(50)
            gate.set()
            assert {str(said) for said in await asyncio.gather(*asking)} == {
                str(Said({"role": "assistant", "text": "Hello"}, "stop", Tokens(3, 2), speech.model.name))
            }

    asyncio.run(run())


def test_a_key_is_shown_nowhere() -> None:
    connection = Connection(OPENAI.model, "http://127.0.0.1:1/v1", KEY, {"authorization": "Bearer hidden"})
    shown = f"{connection!r} {connection}"
    assert KEY not in shown
    assert "hidden" not in shown
    trouble = asyncio.run(outcome(remote(connection).ask(HELLO, unheard)))
    assert isinstance(trouble, Trouble)
    assert KEY not in str(trouble)
