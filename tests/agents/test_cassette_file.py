"""A cassette is read back as it was written; one that is wrong says where."""

from __future__ import annotations

import pytest

from quintet.agents.cassette import Answered, Asked, Called, Cassette, Outcome, Recording, Served
from quintet.agents.cassette_file import parse, schema
from quintet.agents.cassette_text import text_of
from quintet.agents.messages import ToolCall, assistant, result, system, user
from quintet.engine.failures import Failure
from quintet.formats.invalid import InvalidFile

CALL = ToolCall("1", "search", {"q": "tea"})
USED = {"input": 3, "output": 4}
SCHEMA = {"type": "object"}
FIRST = [system("You write."), user("Write\nabout tea.")]
SECOND = [*FIRST, assistant("Let me see.", [CALL]), result(CALL, {"found": [1, None]})]
THIRD = [*SECOND, assistant("Done."), user("Again.")]
WHOLE = Cassette(
    "flow",
    "openfang",
    {"input": "tea"},
    Outcome("failed", error={"kind": "timeout", "message": "too late"}),
    [
        Recording(
            Asked("writer", FIRST, SCHEMA, [{"name": "search"}]),
            {"text": "Let me see.", "calls": [{"tool": "search", "arguments": {"q": "tea"}}], "usage": USED},
            at="draft/model",
            took=1.5,
        ),
        Recording(
            Asked("writer", SECOND, SCHEMA),
            {"text": "Done.", "calls": [], "usage": USED, "model": "a:b", "answered": "b-1", "cost_usd": 0.5},
            at="draft/model#2",
        ),
        Recording(
            Asked("writer", THIRD), failure=Failure("rate_limit", "slow down", True, {"a": 1}), at="x/model"
        ),
        Recording(Asked("writer", THIRD), answered=False, at="x/model#2"),
        Recording(
            Asked("critic", [user("?")]),
            {"text": "{}", "calls": [], "usage": {"input": 0, "output": 0}, "value": {}},
        ),
    ],
    [Recording(Called("search", {"q": "tea"}, "writer"), {"found": [1, None]}, at="draft/search/call")],
    [Recording(Served("sessions", {"run": "r"}), {"sessions": {}}, at="sessions")],
    [Answered("gate", {"decision": "yes"})],
)


def test_a_cassette_is_read_back_as_it_was_written() -> None:
    text = text_of(WHOLE)
    read = parse(text, "c.yaml")
    assert text_of(read) == text
    assert [one.request.key for one in read.models] == [one.request.key for one in WHOLE.models]
    assert [one.request.key for one in read.tools] == [one.request.key for one in WHOLE.tools]
    assert (read.outcome, read.arguments, read.answers) == (WHOLE.outcome, WHOLE.arguments, (*WHOLE.answers,))
    assert read.models[2].failure == WHOLE.models[2].failure
    assert [one.answered for one in read.models] == [True, True, True, False, True]


def test_what_was_said_before_is_not_written_again() -> None:
    text = text_of(WHOLE)
    assert text.count("about tea.") == 1
    assert "after: 1" in text
    assert "after: 2" in text


def test_what_is_said_again_in_a_cassette_by_hand_needs_no_places() -> None:
    by_hand = "cassette: 1\nagents: {writer: [{asked: [{user: Hello}], reply: Hi}]}\n"
    (recording,) = parse(by_hand).models
    assert recording.request == Asked("writer", [user("Hello")])
    assert recording.value == {"text": "Hi", "calls": [], "usage": {"input": 0, "output": 0}}


@pytest.mark.parametrize(
    ("text", "place", "message"),
    [
        ("agents: {}", "1:1", "a cassette needs the key 'cassette'"),
        ("cassette: 2", "1:11", "'cassette' must be from 1 to 1, and is 2"),
        (
            "cassette: 1\nagents: {a: [{asked: []}]}",
            "2:14",
            "an entry needs one of 'reply', 'tools', 'error'",
        ),
        (
            "cassette: 1\nagents: {a: [{asked: [], reply: a, error: b}]}",
            "2:36",
            "'error' cannot stand beside 'reply'",
        ),
        ("cassette: 1\nagents: {a: [{asked: [{}], reply: a}]}", "2:23", "a message needs 'system', 'user'"),
        ("cassette: 1\nagents: {a: [{asked: [], after: 7, reply: a}]}", "2:33", "no entry with this id: 7"),
        (
            "cassette: 1\nagents: {a: [{asked: [], id: 1, after: 1, reply: a}]}",
            "2:40",
            "comes after itself: 1",
        ),
        ("cassette: 1\nagents: {a: [{asked: [], wish: w, reply: a}]}", "2:32", "there is no wish 'w'"),
        ("cassette: 1\ntools: {t: [{arguments: {}}]}", "2:13", "an entry needs one of 'result', 'error'"),
        ("cassette: 1\noutcome: {status: fine}", "2:19", "'status' must be completed, failed, paused or"),
        ("cassette: 1\nanswers: [{at: x}]", "2:11", "an answer needs the key 'answer'"),
    ],
)
def test_a_cassette_that_is_wrong_says_where(text: str, place: str, message: str) -> None:
    with pytest.raises(InvalidFile) as invalid:
        parse(text, "c.yaml")
    (problem,) = invalid.value.problems
    assert str(problem).startswith(f"c.yaml:{place}")
    assert message in problem.message


def test_editors_are_told_its_shape() -> None:
    assert schema()["required"] == ["cassette"]
