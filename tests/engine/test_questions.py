"""Questions: what counts as an answer."""

from __future__ import annotations

import pytest

from quintet.engine.questions import Field, Question, WrongAnswer
from quintet.engine.values import Json, decode, encode

FORM = Question(
    "deploy?",
    (
        Field("go", "boolean"),
        Field("where", "choice", choices=("here", "there")),
        Field("count", "integer", required=False),
        Field("share", "number", required=False),
        Field("why", "text", required=False, description="for the record"),
        Field("more", "json", required=False),
    ),
)


@pytest.mark.parametrize(
    "answer",
    [
        {"go": True, "where": "here"},
        {"go": False, "where": "there", "count": 3, "share": 0.5, "why": "", "more": [None]},
        {"go": True, "where": "here", "share": 1},
    ],
)
def test_an_answer_that_fits_is_taken(answer: Json) -> None:
    FORM.check(answer)


@pytest.mark.parametrize(
    ("answer", "problem"),
    [
        ("yes", "an answer gives a value for each of: go, where, count, share, why, more"),
        ({"where": "here"}, "go is missing"),
        ({"go": 1, "where": "here"}, "go must be true or false"),
        ({"go": True, "where": "elsewhere"}, "where must be one of here, there"),
        ({"go": True, "where": ["here"]}, "where must be one of here, there"),
        ({"go": True, "where": "here", "count": True}, "count must be a whole number"),
        ({"go": True, "where": "here", "count": 1.5}, "count must be a whole number"),
        ({"go": True, "where": "here", "share": "1"}, "share must be a number"),
        ({"go": True, "where": "here", "why": None}, "why must be a text"),
        ({"go": True, "where": "here", "whom": 1}, "there is no field 'whom'"),
    ],
)
def test_an_answer_that_does_not_fit_is_refused_in_words(answer: Json, problem: str) -> None:
    with pytest.raises(WrongAnswer) as caught:
        FORM.check(answer)
    assert str(caught.value) == problem


def test_all_that_is_wrong_is_said_at_once() -> None:
    with pytest.raises(WrongAnswer, match=r"go is missing; where is missing; there is no field 'x'"):
        FORM.check({"x": 1})


@pytest.mark.parametrize("answer", [None, "yes", 3, {"any": "thing"}])
def test_without_fields_any_value_answers(answer: Json) -> None:
    Question("anything?").check(answer)


def test_a_question_is_read_back_as_it_was() -> None:
    assert Question.from_json(decode(encode(FORM.to_json()))) == FORM
