"""Which entry answers which call follows from the name and the number of the call, and from nothing else."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quintet.agents.script import Line, Reply, Script, filled, nth, sent
from quintet.agents.turn import Agent
from quintet.engine.values import Json

A, B, C = (Line(Reply(text)) for text in "abc")


def test_entries_are_used_in_order_and_the_last_one_repeats() -> None:
    assert [nth([A, B, C], call) for call in range(1, 6)] == [A, B, C, C, C]


def test_who_is_not_listed_is_the_star_or_does_not_exist() -> None:
    listed = Script({"ann": [A], "*": [B]})
    assert [listed.lines(Agent(name), name) for name in ("ann", "bob")] == [[A], [B]]
    assert Script({"ann": [A]}).lines(Agent("bob"), "bob") is None
    assert Script(default_agents=True).lines(Agent("bob"), "bob") == (Line(Reply("ok")),)
    assert Script({"*": [B]}, default_agents=True).lines(Agent("bob"), "bob") == [B]


def test_an_agent_is_looked_up_under_its_name_and_then_under_its_id() -> None:
    known = Agent(id="0b5c")
    assert Script({"ann": [A], "0b5c": [B]}).lines(known, "ann") == [A]
    assert Script({"0b5c": [B], "*": [C]}).lines(known, "ann") == [B]


def test_a_copy_is_looked_up_under_its_own_name_and_then_under_the_agents() -> None:
    copy = Agent("ann_critique", copy_of="ann")
    assert Script({"ann": [A], "ann_critique": [B]}).lines(copy, "ann_critique") == [B]
    assert Script({"ann": [A], "*": [B]}).lines(copy, "ann_critique") == [A]
    assert Script({"*": [B]}).lines(copy, "ann_critique") == [B]


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("{{prompt}} {{call}}", "{{call}} 2"),
        ({"{{call}}": ["{{call}}", 1, None]}, {"{{call}}": ["2", 1, None]}),
        ("{{ call }} {{other}}", "{{ call }} {{other}}"),
    ],
)
def test_placeholders_are_filled_in_once_wherever_a_text_stands(value: Json, said: Json) -> None:
    assert filled(value, "{{call}}", 2) == said


@given(st.text(), st.text(), st.integers(1, 9))
def test_a_text_without_placeholders_is_sent_as_it_is(value: str, prompt: str, call: int) -> None:
    if "{{" not in value:
        assert filled(value, prompt, call) == value


def test_what_is_no_text_is_sent_as_json() -> None:
    assert [sent(value) for value in ("a", {"b": [1]}, [True], 7)] == ["a", '{"b":[1]}', "[true]", "7"]
