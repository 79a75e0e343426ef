"""Values: plain JSON, the same text in every process."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quintet.engine.values import Json, decode, encode, fingerprint

TEXTS = st.text(st.characters(codec=None, exclude_categories=()))
SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXTS
VALUES: st.SearchStrategy[Json] = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4)
)


def alike(one: object, other: object) -> bool:
    """Equal in value and kind, the order of keys included; 1, 1.0 and True are three values."""
    return repr(one) == repr(other)


@given(VALUES)
def test_what_is_read_back_is_what_was_there_order_included(value: Json) -> None:
    assert alike(decode(encode(value)), value)


@given(VALUES)
def test_the_text_of_a_value_is_the_same_when_it_is_written_again(value: Json) -> None:
    """A request that was read from a log has the fingerprint that it had when it was asked."""
    assert encode(decode(encode(value))) == encode(value)


@given(VALUES)
def test_the_text_of_any_value_can_be_stored(value: Json) -> None:
    assert encode(value).encode().decode() == encode(value)


def test_a_text_is_written_as_people_read_it() -> None:
    assert encode({"ä": ["€", "😀"]}) == '{"ä":["€","😀"]}'


def test_half_a_surrogate_pair_is_written_so_that_a_file_takes_it() -> None:
    assert encode("\ud83d") == '"\\ud83d"'


@pytest.mark.parametrize("value", [float("nan"), float("inf"), object(), {1}, b"x", {(1, 2): 3}])
def test_what_is_no_json_is_refused(value: Any) -> None:
    with pytest.raises((TypeError, ValueError)):
        encode(value)


@given(st.lists(TEXTS.filter(lambda text: "\0" not in text), max_size=3), st.lists(TEXTS, max_size=3))
def test_texts_that_differ_have_fingerprints_that_differ(one: list[str], other: list[str]) -> None:
    if one != other and not any("\0" in text for text in other):
        assert fingerprint(*one) != fingerprint(*other)
    assert fingerprint(*one) == fingerprint(*one)
