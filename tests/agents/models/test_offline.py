"""The offline model answers as any model does; the tests that ask it run where it is installed."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

from quintet.agents.messages import ToolCall, assistant, failed, result, user
from quintet.agents.models import llama, offline, weights
from quintet.agents.models.offline import Answer, Offline, request_of
from quintet.agents.models.port import Ask, Said, Tokens, ToolOffer, Trouble
from quintet.engine.performing import unheard
from quintet.engine.values import Json

INSTALLED = weights.find() is not None and llama.is_installed()
real = pytest.mark.skipif(not INSTALLED, reason="the offline model is not installed: quintet model install")


def ask(text: str, schema: dict[str, Json] | None = None, **parameters: Json) -> Ask:
    return Ask([user(text)], schema=schema, parameters={"max_tokens": 20, "temperature": 0, **parameters})


def said(*asks: Ask) -> Sequence[Said]:
    async def main() -> Sequence[Said]:
        return await asyncio.gather(*(Offline().ask(one, unheard) for one in asks))

    return asyncio.run(main())


# --- without the model --------------------------------------------------------------------------------


def test_a_request_says_what_the_ask_says_and_what_it_leaves_open_is_the_same_each_time() -> None:
    system = {"role": "system", "text": "Be brief."}
    request = request_of(Ask([system, user("Hi")], parameters={"top_p": 0.5, "stop": ["."], "seed": None}))
    assert request == {
        "messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Hi"}],
        "max_tokens": 256,
        "temperature": 0.2,
        "top_p": 0.5,
        "seed": 1,
        "stop": ["."],
        "repeat_penalty": 1.1,
        "cache_prompt": False,
    }


def test_tools_of_other_models_are_told_as_people_would_tell_them() -> None:
    call = ToolCall("1", "search", {"q": "bees"})
    history = [
        assistant("Let me look.", [call]),
        result(call, {"n": 1}),
        result(call, "one"),
        failed(call, "off"),
    ]
    told = request_of(Ask(history))["messages"]
    assert told == [
        {"role": "assistant", "content": "Let me look."},
        {"role": "user", "content": 'search gives: {"n":1}'},
        {"role": "user", "content": "search gives: one"},
        {"role": "user", "content": "search failed: off"},
    ]


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (
            Ask([], [ToolOffer("f", "", {}), ToolOffer("g", "", {})]),
            "cannot call tools, and is offered some: f, g",
        ),
        (Ask([], parameters={"max_token": 1}), "no parameter 'max_token'; did you mean 'max_tokens'"),
        (Ask([], parameters={"x": 1}), "it knows temperature, max_tokens, top_p, seed, stop"),
        (Ask([], parameters={"max_tokens": True}), "max_tokens has to be a whole number from 1, and is true"),
        (Ask([], parameters={"temperature": -1}), "temperature has to be a number from 0"),
        (Ask([], parameters={"top_p": 2}), "top_p has to be a number from 0 to 1"),
        (Ask([], parameters={"seed": 0.5}), "seed has to be a whole number"),
        (Ask([], parameters={"stop": [1]}), "stop has to be a text, or a list of texts"),
    ],
)
def test_what_the_model_cannot_do_is_refused_and_not_skipped(wrong: Ask, message: str) -> None:
    with pytest.raises(Trouble, match=message) as refused:
        request_of(wrong)
    assert (refused.value.kind, refused.value.passing, refused.value.definite) == ("rejected", False, True)


@pytest.mark.parametrize(
    ("error", "kind", "passing"),
    [
        (
            {"type": "exceed_context_size_error", "n_prompt_tokens": 3000, "n_ctx": 2048},
            "context_length",
            False,
        ),
        ({"type": "invalid_request_error", "message": "no"}, "rejected", False),
        ({"type": "unavailable_error", "message": "loading"}, "provider", True),
    ],
)
def test_errors_that_come_as_values_are_troubles(error: dict[str, Json], kind: str, passing: bool) -> None:
    with pytest.raises(Trouble) as refused:
        Answer().take({"error": error})
    assert (refused.value.kind, refused.value.passing) == (kind, passing)


def test_an_answer_that_breaks_off_is_no_answer() -> None:
    answer = Answer()
    assert answer.take({"choices": [{"delta": {"content": "Half"}}]}) == "Half"
    with pytest.raises(Trouble, match="in the middle"):
        answer.said()


def test_where_it_is_not_installed_it_says_how_to_install_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("QUINTET_HOME", str(tmp_path))
    monkeypatch.setattr(weights, "MODULE", "no_such_package")
    monkeypatch.setattr(offline, "_engine", offline._load.__wrapped__)  # pyright: ignore[reportPrivateUsage]
    with pytest.raises(Trouble, match=r"not installed \(no weights\): quintet model install"):
        said(ask("Hi"))


# --- with it ------------------------------------------------------------------------------------------


@real
def test_it_says_the_same_again_in_another_loop_and_in_silence(capfd: pytest.CaptureFixture[str]) -> None:
    first, second = said(ask("Tell me about bees.")), said(ask("Tell me about bees."))
    assert first == second
    (answer,) = first
    assert "bees" in str(answer.message["text"]).lower()
    assert (answer.finish, answer.model, answer.tokens) == ("length", weights.NAME, Tokens(35, 20))
    assert capfd.readouterr() == ("", "")


@real
def test_the_pieces_are_shown_as_they_come_and_are_the_answer() -> None:
    pieces: list[str] = []
    answer = asyncio.run(Offline().ask(ask("Tell me about bees.", stop=".", max_tokens=80), pieces.append))
    assert len(pieces) > 5
    assert "".join(pieces) == answer.message["text"]
    assert answer.finish == "stop"


@real
def test_an_answer_fits_its_schema_and_ends() -> None:
    schema: dict[str, Json] = {
        "type": "object",
        "required": ["verdict", "reasons"],
        "properties": {
            "verdict": {"enum": ["APPROVED", "CHANGES"]},
            "reasons": {"type": "array", "items": {"type": "string", "maxLength": 30}, "maxItems": 2},
        },
    }
    (answer,) = said(ask("Review: bees make honey.", schema, max_tokens=100))
    value = json.loads(str(answer.message["text"]))
    assert answer.finish == "stop"
    assert value["verdict"] in {"APPROVED", "CHANGES"}
    assert value.keys() == {"verdict", "reasons"}
    assert len(value["reasons"]) <= 2


@real
def test_a_schema_that_is_none_is_refused() -> None:
    with pytest.raises(Trouble, match="no JSON Schema") as refused:
        said(ask("Hi", {"type": "strng"}))
    assert refused.value.kind == "rejected"


@real
def test_a_request_longer_than_its_memory_is_refused() -> None:
    with pytest.raises(Trouble, match="has 3,031 tokens; the offline model takes 2,048") as refused:
        said(ask("word " * 3000))
    assert refused.value.kind == "context_length"


@real
def test_more_requests_than_it_answers_at_once_wait_and_are_all_answered() -> None:
    asks = [ask(f"Say {n}.", max_tokens=3) for n in range(llama.SLOTS * 2 + 1)]
    assert all(answer.tokens.output <= 3 for answer in said(*asks))


@real
def test_what_is_cancelled_really_stops_also_before_its_first_word() -> None:
    async def main() -> float:
        long = [ask("word " * 1500, max_tokens=500) for _ in range(llama.SLOTS + 1)]
        tasks = [asyncio.create_task(Offline().ask(one, unheard)) for one in long]
        await asyncio.sleep(0)
        for task in tasks:
            task.cancel()
        assert all(
            isinstance(end, asyncio.CancelledError)
            for end in await asyncio.gather(*tasks, return_exceptions=True)
        )
        heard = asyncio.Event()
        talking = asyncio.create_task(Offline().ask(ask("Go on.", max_tokens=1500), lambda _: heard.set()))
        await heard.wait()
        talking.cancel()
        began = time.monotonic()
        await Offline().ask(ask("Hi", max_tokens=1), unheard)
        return time.monotonic() - began

    assert asyncio.run(main()) < 5
