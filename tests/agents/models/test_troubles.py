"""Every way to fail, over the wires of OpenAI and of Anthropic."""

from __future__ import annotations

import asyncio
import socket
import traceback
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

from quintet.agents.messages import user
from quintet.agents.models.port import Ask
from quintet.agents.models.remote import Connection, remote
from quintet.engine.performing import unheard
from tests.agents.models.stage import ANTHROPIC, HELLO, KEY, OPENAI, SPEECHES, Played, Speech, outcome
from tests.servers.replies import Hangs, Refuses, Says, Vanishes

both = pytest.mark.parametrize("speech", SPEECHES, ids=["openai", "anthropic"])


@both
@pytest.mark.parametrize(
    ("status", "told"),
    [
        (400, ("rejected", False, True)),
        (401, ("auth", False, True)),
        (403, ("auth", False, True)),
        (404, ("rejected", False, True)),
        (408, ("provider", True, False)),
        (413, ("rejected", False, True)),
        (422, ("rejected", False, True)),
        (429, ("rate_limit", True, True)),
        (500, ("provider", True, False)),
        (502, ("provider", True, False)),
        (503, ("provider", True, False)),
        (529, ("provider", True, False)),
    ],
)
def test_a_refusal_is_of_a_kind_and_keeps_the_providers_words(
    speech: Speech, status: int, told: tuple[str, bool, bool]
) -> None:
    played = speech.play([Refuses(status, "out of tea leaves")])
    assert played.told == told
    assert str(played.trouble) == f"{speech.model}: out of tea leaves (status {status})"
    assert len(played.requests) == 1, "nobody but the policy repeats"


@both
def test_how_long_a_provider_asks_to_wait_is_told(speech: Speech) -> None:
    later = format_datetime(datetime.now(UTC) + timedelta(seconds=90), usegmt=True)
    headers = [
        {"retry-after": "7"},
        {"retry-after-ms": "250"},
        {"retry-after": later},
        {"retry-after": "soon"},
    ]
    played = speech.play([Refuses(429, headers=given) for given in headers])
    seconds, milliseconds, date, nonsense = (getattr(it, "retry_after", None) for it in played.outcomes)
    assert (seconds, milliseconds, nonsense) == (7, 0.25, None)
    assert date == pytest.approx(90, abs=5)


@pytest.mark.parametrize(
    ("speech", "refusal"),
    [
        (OPENAI, Refuses(400, "too long", code="context_length_exceeded")),
        (OPENAI, Refuses(400, "the request exceeds the available context size, try increasing it")),
        (ANTHROPIC, Refuses(400, "prompt is too long: 210000 tokens > 200000 maximum")),
    ],
)
def test_a_conversation_that_has_become_too_long_is_told(speech: Speech, refusal: Refuses) -> None:
    assert speech.play([refusal]).told == ("context_length", False, True)


def test_what_is_used_up_does_not_pass() -> None:
    assert OPENAI.play([Refuses(429, "no credit", code="insufficient_quota")]).told == (
        "rejected",
        False,
        True,
    )


@both
def test_a_connection_that_drops_may_have_cost_something(speech: Speech) -> None:
    for reply in (Vanishes(), Says(["Hel"], ending="dropped")):
        assert speech.play([reply]).told == ("provider", True, False)


@both
def test_an_answer_that_ends_in_the_middle_is_none(speech: Speech) -> None:
    played = speech.play([Says(["Hel"], ending="cut")])
    assert played.told == ("provider", True, False)
    assert str(played.trouble) == f"{speech.model}: the answer ended in the middle"


@both
@pytest.mark.parametrize(
    "reply",
    [
        Says(["Hel"], ending="garbled"),
        Refuses(200, body="<html>busy</html>", headers={"content-type": "text/html"}),
        Refuses(200, body="data: {]\n\n", headers={"content-type": "text/event-stream"}),
        Refuses(200, body='data: {"choices": 7}\n\n', headers={"content-type": "text/event-stream"}),
        Refuses(200, body="", headers={"content-type": "text/event-stream"}),
    ],
    ids=["cut JSON", "HTML", "no JSON", "other JSON", "nothing"],
)
def test_what_is_no_answer_is_the_providers_trouble(speech: Speech, reply: Says | Refuses) -> None:
    assert speech.play([reply]).told == ("provider", True, False)


@both
def test_silence_is_a_timeout(speech: Speech) -> None:
    ask = Ask([user("hi")], parameters={"timeout": 0.2})
    for reply in (Hangs(), Says(["Hel"], ending="hanging")):
        played = speech.play([reply], ask)
        assert played.told == ("timeout", True, False)
        assert str(played.trouble) == f"{speech.model}: nothing came for 0.2 seconds"


def test_an_answer_that_takes_too_long_in_all_is_a_timeout(monkeypatch: pytest.MonkeyPatch) -> None:
    OPENAI.play([Says()])  # whoever is asked first waits for an import
    monkeypatch.setattr("quintet.agents.models.wire.LONGEST", 0.3)
    endless = Says(["on and "] * 1000, delay=0.01)
    played = OPENAI.play([endless], Ask([user("hi")], parameters={"timeout": 0.3}))
    assert played.told == ("timeout", True, False)
    assert str(played.trouble) == f"{OPENAI.model}: not done after 0.3 seconds"


@both
def test_an_error_in_the_middle_of_a_stream_is_of_its_kind(speech: Speech) -> None:
    played = speech.play([Says(["Hel"], ending="failing", error="overloaded")])
    assert played.told == ("provider", True, False)
    assert "overloaded" in str(played.trouble)
    played = speech.play([Says(["Hel"], ending="failing", error=_RATE_LIMIT[speech])])
    assert played.told == ("rate_limit", True, False)


_RATE_LIMIT = {OPENAI: "rate_limit_exceeded", ANTHROPIC: "rate_limit"}


@both
def test_where_nobody_listens_nothing_has_happened(speech: Speech) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    connection = Connection(speech.model, f"http://127.0.0.1:{port}/v1", KEY)
    trouble = asyncio.run(outcome(remote(connection).ask(HELLO, unheard)))
    assert Played([trouble]).told == ("provider", True, True)
    assert "cannot be reached" in str(trouble)


@both
def test_no_secret_is_told_though_the_provider_tells_it(speech: Speech) -> None:
    words = f"bad key {KEY} of team tea-and-biscuits"
    for reply in (Refuses(401, words), Says(["x"], ending="failing", error=words)):
        trouble = speech.play([reply]).trouble
        assert "[secret]" in str(trouble)
        told = "".join(traceback.format_exception(trouble))
        assert KEY not in told
        assert "tea-and-biscuits" not in told
