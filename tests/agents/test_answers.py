"""An answer that is to be a value is read and checked by us, whoever has given it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quintet.agents.answers import DEEPEST, MOST_PROBLEMS, BadSchema, check_schema, judged, worth
from quintet.engine.values import encode

POINT = {
    "type": "object",
    "required": ["x", "y"],
    "properties": {"x": {"type": "integer"}, "y": {"type": "integer"}},
    "additionalProperties": False,
}


def test_a_value_that_fits_is_given() -> None:
    assert judged('{"x": 1, "y": 2}', POINT).value == {"x": 1, "y": 2}


@pytest.mark.parametrize("fence", ["```json\n{}\n```", "```\n{}\n```", "  \n```JSON \n{}\n```\n"])
def test_a_code_fence_around_it_is_no_problem(fence: str) -> None:
    assert judged(fence.format('{"x": 1, "y": 2}').replace("{}", '{"x": 1, "y": 2}'), POINT).problem is None


def test_all_that_is_wrong_is_told_with_its_place() -> None:
    problem = judged('{"x": "one", "z": 3}', POINT).problem
    assert problem is not None
    assert 'at /x: "one" is not of type "integer"' in problem
    assert '"y" is a required property' in problem
    assert "'z' was unexpected" in problem


def test_problems_are_told_up_to_a_number() -> None:
    problem = judged(encode(["no"] * 50), {"items": {"type": "integer"}}).problem
    assert problem is not None
    assert len(problem.split("; ")) == MOST_PROBLEMS


@pytest.mark.parametrize("text", ["", "no", "{", "NaN", '{"x": 1', "[" * 100_000])
def test_a_text_that_is_no_json_is_a_problem_and_no_crash(text: str) -> None:
    assert "no JSON" in str(judged(text, {}).problem)


def test_a_value_that_is_nested_too_deep_is_a_problem() -> None:
    recursive = {"$defs": {"n": {"items": {"$ref": "#/$defs/n"}}}, "$ref": "#/$defs/n"}
    assert judged("[" * DEEPEST + "]" * DEEPEST, recursive).problem is None
    assert judged("[" * (DEEPEST + 1) + "]" * (DEEPEST + 1), recursive).problem is not None


def test_formats_are_checked_and_nothing_is_fetched() -> None:
    assert judged('"yesterday"', {"type": "string", "format": "date"}).problem is not None
    with pytest.raises(BadSchema):
        check_schema({"$ref": "http://127.0.0.1:1/schema.json"})


def test_a_schema_that_is_none_is_refused() -> None:
    with pytest.raises(BadSchema):
        check_schema({"type": "strng"})


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@given(JSON)
def test_what_was_written_as_json_is_read_as_it_was(value: object) -> None:
    assert worth(encode(value), {}) == {"value": value}  # pyright: ignore[reportArgumentType]: it is JSON


@given(st.text())
def test_no_text_raises(text: str) -> None:
    judged(text, POINT)


def test_what_is_wrong_with_a_schema_is_said_with_its_place() -> None:
    with pytest.raises(BadSchema) as caught:
        check_schema({"properties": {"a": {"type": "strng"}}})
    assert caught.value.path == ["properties", "a", "type"]
    assert "\n" not in str(caught.value)
