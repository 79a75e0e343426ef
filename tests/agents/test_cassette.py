"""A request finds its answer by all that it says; what is not on the cassette is told as a difference."""

from __future__ import annotations

import pytest

from quintet.agents.cassette import Asked, Called, NotRecorded, Recording, Tape
from quintet.agents.messages import ToolCall, assistant, result, user

CALL = ToolCall("made-up", "search", {"q": "tea"})


def asking(text: str, agent: str = "writer") -> Asked:
    return Asked(agent, [user(text)])


def tape(*texts: str) -> Tape[Asked]:
    return Tape([Recording(asking(text), f"{text}-{n}", at=f"s{n}/model") for n, text in enumerate(texts, 1)])


def test_the_same_request_is_answered_in_the_recorded_order_and_once_for_each_recording() -> None:
    recorded = tape("a", "b", "a")
    assert recorded.take(asking("a"), "elsewhere/model", 1).value == "a-1"
    assert recorded.take(asking("a"), "elsewhere/model", 2).value == "a-3"
    with pytest.raises(NotRecorded, match="for the 3rd time, and recorded 2 times"):
        recorded.take(asking("a"), "elsewhere/model", 3)


def test_of_the_same_requests_the_one_of_the_same_place_answers() -> None:
    assert tape("a", "a").take(asking("a"), "s2/model", 1).value == "a-2"


def test_another_agent_conversation_schema_or_tool_is_another_request() -> None:
    plain = asking("a")
    others = [
        asking("a", "critic"),
        asking("b"),
        Asked("writer", [user("a")], {"type": "object"}),
        Asked("writer", [user("a")], None, [{"name": "t"}]),
        Asked("writer", [user("a"), assistant("b"), user("c")]),
    ]
    assert len({plain.key, *(other.key for other in others)}) == len(others) + 1


def test_the_names_that_models_give_to_calls_are_no_part_of_a_request() -> None:
    again = ToolCall("another", CALL.tool, CALL.arguments)
    one, two = ([user("a"), assistant("", [call]), result(call, 1)] for call in (CALL, again))
    assert Asked("writer", one).key == Asked("writer", two).key


def test_half_a_surrogate_pair_is_found_as_a_file_can_hold_it() -> None:
    assert asking("a\ud800").key == asking("a?").key


def test_a_miss_shows_the_difference_to_what_is_most_like_it() -> None:
    recorded = tape("Write about tea.\nBe short.", "Sing.")
    with pytest.raises(NotRecorded) as missed:
        recorded.take(asking("Write about rum.\nBe short."), "x/!attempt/model", 1)
    assert str(missed.value) == (
        "at x, the agent 'writer' is asked what is not on the cassette; record it anew, or mend it:\n"
        "--- recorded at s1\n"
        "+++ asked at x\n"
        "@@ -1,3 +1,3 @@\n"
        " user:\n"
        "-  Write about tea.\n"
        "+  Write about rum.\n"
        "   Be short."
    )


def test_a_long_difference_is_cut() -> None:
    with pytest.raises(NotRecorded, match="… and 144 lines more"):
        tape("\n".join(map(str, range(100)))).take(asking("\n".join("ab" * 50)), "x/model", 1)


def test_who_was_never_asked_is_told_from_those_who_were() -> None:
    with pytest.raises(NotRecorded, match="nothing of the agent 'critic', only of the agent 'writer'"):
        tape("a").take(asking("a", "critic"), "x/model", 1)


def test_a_call_of_a_tool_is_known_by_its_arguments_and_who_asks() -> None:
    keys = {Called("t", {"a": 1}).key, Called("t", {"a": 2}).key, Called("t", {"a": 1}, "writer").key}
    assert len(keys) == 3
