"""Speakers put a request together as a model must have it, and tell the turn what came of it."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quintet.agents.manifest import Manifest, Model
from quintet.agents.messages import ToolCall, assistant, result, system, user
from quintet.agents.models.choice import EVERYONE, Candidate, Choices
from quintet.agents.models.port import Ask, Finish, Said, Tokens, Trouble
from quintet.agents.models.remote import Unusable
from quintet.agents.models.settings import Alias, ModelSettings
from quintet.agents.roster import Roster
from quintet.agents.speakers import Speakers, recent
from quintet.agents.turn import NOT_FOUND
from quintet.engine.events import Event
from quintet.engine.failures import Failed
from quintet.engine.paths import Segment
from quintet.engine.performing import Call
from quintet.engine.values import Json

SCHEMA: Json = {"type": "object", "required": ["ok"]}


async def empty(run_id: str) -> Sequence[Event]:
    return ()


class Asked:
    """Models that say these things, one after the other."""

    def __init__(self, *said: Said | Exception) -> None:
        self._said = list(said)
        self.asked: list[tuple[str, Ask]] = []

    async def __call__(self, candidate: Candidate, ask: Ask, call: Call) -> Said:
        self.asked.append((str(candidate.model), ask))
        said = self._said.pop(0)
        if isinstance(said, Exception):
            raise said
        return said


def request(**more: Json) -> dict[str, Json]:
    messages: Json = [user("hello")]
    return {"agent": {"name": "ann"}, "before": None, "head": "h", "messages": messages, **more}


def spoken(asked: Asked, data: Json, roster: Roster | None = None, choices: Choices | None = None) -> Any:
    speakers = Speakers(roster or Roster(), choices or Choices({EVERYONE: "openai:m"}), asked, empty)
    call = Call("r", (Segment("step", 1), Segment("model", 1)), "model", "model", data, "key")
    return asyncio.run(speakers.model(call))


def said(text: str, finish: Finish = "stop", **more: Any) -> Said:
    return Said(assistant(text), finish, Tokens(7, 3), **more)


def failure(asked: Asked, data: Json, **more: Any) -> Any:
    with pytest.raises(Failed) as failed:
        spoken(asked, data, **more)
    return failed.value.failure


def test_a_model_is_told_the_agents_instructions_first_and_then_the_conversation() -> None:
    asked, roster = Asked(said("hi")), Roster([Manifest("ann", model=Model(system_prompt="Be brief."))])
    spoken(asked, request(), roster)
    assert asked.asked[0][1].messages == [system("Be brief."), user("hello")]


def test_instructions_of_the_workflow_go_before_those_of_the_place() -> None:
    asked, roster = Asked(said("hi")), Roster([Manifest("ann", model=Model(system_prompt="Be brief."))])
    spoken(asked, request(messages=[system("Be kind."), user("hello")]), roster)
    assert asked.asked[0][1].messages == [system("Be kind."), user("hello")]


def test_where_nobody_is_defined_whoever_has_a_name_is_an_agent() -> None:
    asked = Asked(said("hi"))
    spoken(asked, request())
    assert asked.asked[0][1].messages[0] == system("You are ann. You are a helpful AI agent.")


def test_where_some_are_defined_only_they_are() -> None:
    missing = failure(Asked(), request(), roster=Roster([Manifest("bob")]))
    assert (missing.kind, missing.definite) == (NOT_FOUND, True)
    assert failure(Asked(), request(agent={"id": "none"})).kind == NOT_FOUND


def test_a_reply_tells_who_has_answered_what_it_took_and_what_it_cost() -> None:
    reply = spoken(
        Asked(said("hi", model="gpt-4o-2024-08-06")), request(), None, Choices({EVERYONE: "openai:gpt-4o"})
    )
    assert reply["usage"] == {"input": 7, "output": 3}
    assert (reply["model"], reply["answered"]) == ("openai:gpt-4o", "gpt-4o-2024-08-06")
    assert reply["cost_usd"] == pytest.approx(7 * 2.5e-6 + 3 * 10e-6)
    assert reply["agent"]["name"] == "ann"


def test_a_price_that_nobody_knows_is_left_out() -> None:
    assert "cost_usd" not in spoken(
        Asked(said("hi")), request(), None, Choices({EVERYONE: "openai:no-such-thing"})
    )


def test_an_answer_that_is_to_be_a_value_is_checked() -> None:
    assert spoken(Asked(said('{"ok": 1}')), request(schema=SCHEMA))["value"] == {"ok": 1}
    reply = spoken(Asked(said("{}")), request(schema=SCHEMA))
    assert reply["problem"] == '"ok" is a required property'
    assert reply["message"]["text"] == "{}", "the raw text is kept"


def test_who_asks_for_tools_has_not_answered_yet() -> None:
    wants = Said(assistant("", [ToolCall("1", "look", {})]), "tools", Tokens(1, 1))
    assert "problem" not in spoken(Asked(wants), request(schema=SCHEMA))


@pytest.mark.parametrize(
    ("finish", "text", "kind"),
    [
        ("length", "half", "truncated"),
        ("content_filter", "", "content_filter"),
        ("refused", "no", "refused"),
        ("stop", "  \n", "empty"),
    ],
)
def test_what_is_no_answer_is_a_failure_of_its_kind_and_counts(finish: Finish, text: str, kind: str) -> None:
    found = failure(Asked(said(text, finish)), request())
    assert found.kind == kind
    detail = cast("Mapping[str, Any]", found.detail)
    assert detail["usage"] == {"input": 7, "output": 3}
    assert detail["text"] == text


def test_the_next_model_is_asked_where_one_does_not_answer() -> None:
    settings = ModelSettings(aliases={"fast": Alias("a:1", {}, ("b:2", "c:3"))})
    asked = Asked(Trouble("provider", "down"), Trouble("rate_limit", "slow"), said("hi"))
    reply = spoken(asked, request(), None, Choices({EVERYONE: "fast"}, settings))
    assert [model for model, _ in asked.asked] == ["a:1", "b:2", "c:3"]
    assert reply["model"] == "c:3"
    assert [(one["model"], one["kind"]) for one in reply["instead_of"]] == [
        ("a:1", "provider"),
        ("b:2", "rate_limit"),
    ]
    assert len({ask.idempotency_key for _, ask in asked.asked}) == 3, "each is a request of its own"


def test_a_model_that_cannot_be_asked_is_passed_over_where_another_can() -> None:
    settings = ModelSettings(aliases={"fast": Alias("a:1", {}, ("b:2",))})
    choices = Choices({EVERYONE: "fast"}, settings)
    assert spoken(Asked(Unusable("no key"), said("hi")), request(), None, choices)["model"] == "b:2"
    with pytest.raises(Unusable, match="no key"):
        spoken(Asked(Unusable("no key"), Unusable("no library")), request(), None, choices)


def test_where_nobody_answers_the_last_trouble_is_the_failure() -> None:
    settings = ModelSettings(aliases={"fast": Alias("a:1", {}, ("b:2",))})
    asked = Asked(Trouble("provider", "down"), Trouble("auth", "who are you", definite=True))
    found = failure(asked, request(), choices=Choices({EVERYONE: "fast"}, settings))
    assert (found.kind, found.message) == ("auth", "b:2: who are you; before that a:1: down")
    assert not found.definite, "the first may have begun to answer"


CALL = ToolCall("1", "look", {})
TALK = [
    system("old"),
    user("a"),
    assistant("", [CALL]),
    result(CALL, 1),
    assistant("b"),
    system("new"),
    user("c"),
]


@pytest.mark.parametrize(
    ("most", "kept"),
    [(None, "uatau"), (10, "uatau"), (5, "uatau"), (4, "u"), (3, "u"), (1, "u"), (0, "u")],
)
def test_of_a_long_conversation_the_last_messages_are_told_whole(most: int | None, kept: str) -> None:
    told = recent(TALK, most)
    assert told[0] == system("new"), "the last instructions hold, and count for nothing"
    assert "".join(str(message["role"])[0] for message in told[1:]) == kept


@given(st.lists(st.sampled_from(TALK)), st.integers(0, 5))
def test_what_is_left_of_a_conversation_begins_with_somebody_asking(talk: list[Any], most: int) -> None:
    rest = [message for message in recent([*talk, user("last")], most) if message["role"] != "system"]
    assert rest[-1] == user("last")
    if len(talk) + 1 > most and len([m for m in talk if m["role"] != "system"]) + 1 > most:
        assert rest[0]["role"] == "user"
