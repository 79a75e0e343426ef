"""Parsers: nothing is converted, defaults fill what is missing, and what is not declared is left out."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quintet.formats.hyperagent.parser import (
    ABSENT,
    Array,
    Boolean,
    Number,
    Object,
    Parser,
    Text,
    Unknown,
    parsed,
)
from quintet.formats.hyperagent.reply import NO_TEXT, Ear, NotUsable, again, payload
from tests.formats.hyperagent.test_template import VALUES

PARSERS: st.SearchStrategy[Parser] = st.recursive(
    st.sampled_from(
        [Unknown(), Text(), Text(enum=("a",)), Number(integer=True), Number(minimum=1), Boolean()]
    ),
    lambda inner: (
        st.builds(Array, inner)
        | st.builds(
            Object, st.dictionaries(st.sampled_from("ab"), inner), st.frozensets(st.sampled_from("ab"))
        )
    ),
    max_leaves=5,
)


@given(PARSERS, VALUES)
def test_every_value_fits_or_has_a_problem_and_what_fits_fits_again(parser: Parser, value: Any) -> None:
    found, problems = parsed(parser, value)
    if not problems:
        assert parsed(parser, found) == (found, [])


@pytest.mark.parametrize(
    ("parser", "value", "problem"),
    [
        (Text(), 1, "expected string, received number"),
        (Text(), None, "expected string, received null"),
        (Text(enum=("a", "b"), min_length=3), "c", "expected one of a, b"),
        (Text(min_length=2), "a", "expected at least 2 characters"),
        (Text(max_length=1), "😀", "expected at most 1 characters"),
        (Number(), "1", "expected number, received string"),
        (Number(), True, "expected number, received boolean"),
        (Number(integer=True), 2.5, "expected a whole number"),
        (Number(minimum=1, maximum=5), 7, "expected at most 5"),
        (Number(minimum=1), 0, "expected at least 1"),
        (Number(enum=(1, 2)), 3, "expected one of 1, 2"),
        (Boolean(), "true", "expected boolean, received string"),
        (Array(Text()), {}, "expected array, received object"),
        (Array(Text()), ["a", 1], "1: expected string, received number"),
        (Object({}), [], "expected object, received array"),
        (Object({"a": Text()}, frozenset("a")), {}, "a: expected string, received undefined"),
        (Object({"a": Text(default="x")}), {"a": None}, "a: expected string, received null"),
        (Object({"a": Object({"b": Boolean()})}), {"a": {"b": 1}}, "a.b: expected boolean, received number"),
        (Object({}, is_closed=True), {"zz": 1}, "unrecognized keys: zz"),
    ],
)
def test_what_does_not_fit(parser: Parser, value: Any, problem: str) -> None:
    assert parsed(parser, value)[1] == [problem]


@pytest.mark.parametrize(
    ("parser", "value", "expected"),
    [
        (Text(enum=("a",), max_length=0), "a", "a"),
        (Number(enum=(9,), maximum=5), 9, 9),
        (Number(integer=True), 3, 3),
        (Object({"a": Text(), "b": Text(default="x")}, frozenset("b")), {}, {"b": "x"}),
        (Object({"a": Number(maximum=1, default=5)}), {}, {"a": 5}),
        (Object({"b": Unknown(), "a": Unknown(default=None)}), {"zz": 1, "b": [1]}, {"b": [1], "a": None}),
        (Object({}, frozenset(["nowhere"])), {}, {}),
        (Array(Unknown(default="x")), [None], [None]),
    ],
)
def test_what_fits(parser: Parser, value: Any, expected: Any) -> None:
    """ "a compact JSON schema that supports `string`, `number`, `boolean`, `unknown`, `array`, and `object`
    types (with `enum`, `required`, and `default` support)" """
    assert parsed(parser, value) == (expected, [])


def test_a_default_of_the_parser_itself_stands_in_for_nothing() -> None:
    assert Unknown().default is ABSENT
    assert parsed(Text(default="x"), None)[1]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (' {"a": 1}\n', '{"a": 1}'),
        ('```json{"a":1}```', '{"a":1}'),
        ('Here:\n```JSON\n{"a": 1}\n```\nand ```json\n2\n```', '{"a": 1}'),
        ("```\n1\n```", "```\n1\n```"),
        ("```json\n1", "```json\n1"),
        ("", NO_TEXT),
    ],
)
def test_the_payload_of_a_reply(text: str, expected: str) -> None:
    assert payload(text) == expected


@given(st.text())
def test_every_reply_can_be_used_or_not(text: str) -> None:
    problem = ""
    try:
        json.dumps(Ear("a", "p", Unknown()).hear(text), allow_nan=False)
    except NotUsable as error:
        problem = str(error)
    assert problem == "" or problem.startswith("a returned invalid JSON: ")


@pytest.mark.parametrize(
    "text", ["NaN", "1e999", "9" * 5000, "[" * 100_000, "[" * 101 + "]" * 101, "'x'", "1 2"]
)
def test_what_is_no_json_cannot_be_used(text: str) -> None:
    with pytest.raises(NotUsable, match=r"^worker returned invalid JSON: "):
        Ear("worker", "p", Unknown()).hear(text)


def test_numbers_are_those_of_javascript() -> None:
    assert Ear("a", "p", Unknown()).hear("[1.0, 1e2, 0.5, 12345678901234567890]") == [
        1,
        100,
        0.5,
        12345678901234567000.0,
    ]


def test_what_does_not_fit_names_the_role_and_the_parser() -> None:
    with pytest.raises(NotUsable) as caught:
        Ear("worker", "report", Text()).hear("1")
    assert str(caught.value) == "[worker] parser 'report' validation failed: expected string, received number"


def test_a_reply_is_asked_for_again_with_the_prompt_and_what_was_wrong() -> None:
    assert again("Do it.", "why") == (
        "Do it.\n\nIMPORTANT: Your previous response was invalid JSON (why). "
        "Respond again with STRICT JSON only, without code fences or commentary."
    )
