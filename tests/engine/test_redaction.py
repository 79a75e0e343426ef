"""Redaction: no secret passes, and everything else does."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import IntEnum

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from quintet.engine.failures import Failure
from quintet.engine.paths import parse
from quintet.engine.redaction import MASK, Redactor, Veil
from quintet.engine.values import Json, decode, encode
from tests.engine.test_values import VALUES, alike

ALPHABET = 'abAB01"\\\n ä€\ud800/'
SECRETS = st.sets(st.text(ALPHABET, min_size=4, max_size=8), min_size=1, max_size=4)


@st.composite
def secretive(draw: st.DrawFn) -> tuple[set[str], Json]:
    """Secrets, and a value that holds them here and there."""
    secrets = draw(SECRETS)
    parts = st.sampled_from(sorted(secrets)) | st.text(ALPHABET, max_size=5)
    words = st.lists(parts, max_size=4).map("".join)
    leaves = st.none() | st.booleans() | st.integers(-1, 1) | words
    values = st.recursive(
        leaves, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(words, inner, max_size=4)
    )
    return secrets, draw(values)


def texts(value: Json) -> list[str]:
    """All texts in a value, keys included."""
    match value:
        case str():
            return [value]
        case Mapping():
            return [text for key, item in value.items() for text in (key, *texts(item))]
        case Sequence():
            return [text for item in value for text in texts(item)]
        case _:
            return []


def shape(value: Json) -> Json:
    """A value without what its texts say."""
    match value:
        case str():
            return "text"
        case Mapping():
            return {str(number): shape(item) for number, item in enumerate(value.values())}
        case Sequence():
            return [shape(item) for item in value]
        case _:
            return value


@given(secretive())
def test_no_secret_survives(case: tuple[set[str], Json]) -> None:
    secrets, value = case
    clean = Redactor(secrets).value(value)
    assert not [text for text in texts(clean) for secret in secrets if secret in text]


@given(secretive())
def test_the_shape_of_a_value_is_kept(case: tuple[set[str], Json]) -> None:
    secrets, value = case
    assert shape(Redactor(secrets).value(value)) == shape(value)


@given(secretive())
def test_what_was_redacted_is_not_redacted_again(case: tuple[set[str], Json]) -> None:
    secrets, value = case
    redactor = Redactor(secrets)
    clean = redactor.value(value)
    assert redactor.value(clean) == clean


@given(secretive())
def test_encoded_text_is_redacted_as_the_value_is(case: tuple[set[str], Json]) -> None:
    secrets, value = case
    redactor = Redactor(secrets)
    assert redactor.encoded(encode(value)) == encode(redactor.value(value))


@given(VALUES, SECRETS)
def test_a_value_without_secrets_stays_as_it_is(value: Json, secrets: set[str]) -> None:
    assume(not any(secret in text for secret in secrets for text in texts(value)))
    assume(not any(secret in encode(value) for secret in secrets))
    assert alike(Redactor(secrets).value(value), value)


def test_a_secret_that_holds_another_goes_as_a_whole() -> None:
    assert Redactor(["abcd", "abcdef"]).text("-abcdef-abcd-") == f"-{MASK}-{MASK}-"


def test_a_number_that_is_a_secret_goes_too() -> None:
    assert Redactor(["123456"]).value([123456, 1234567, 1.5]) == [MASK, 1234567, 1.5]


def test_two_secrets_that_are_keys_do_not_swallow_one_another() -> None:
    assert Redactor(["aaaa", "bbbb"]).value({"aaaa": 1, "bbbb": 2}) == {MASK: 1, f"{MASK} #2": 2}


def test_what_is_too_short_to_be_a_secret_is_none() -> None:
    assert Redactor(["on", "7", ""]).value({"on": "7"}) == {"on": "7"}


def test_a_word_of_the_mask_is_no_secret() -> None:
    assert Redactor(["secret"]).text("secret") == "secret"


def test_a_value_is_what_it_will_be_when_it_is_read_back() -> None:
    class Colour(IntEnum):
        RED = 1

    value = Redactor().value({"t": (1, 2), "n": Colour.RED})
    assert alike(value, {"t": [1, 2], "n": 1})
    assert alike(decode(encode(value)), value)


@pytest.mark.parametrize("value", [object(), {1: 2}, float("nan"), [float("inf")], {"a": {1}}, b"bytes"])
def test_what_is_no_json_is_refused(value: object) -> None:
    with pytest.raises((TypeError, ValueError)):
        Redactor().value(value)


def test_a_failure_loses_its_secrets_and_nothing_else() -> None:
    failure = Failure("tool", "it said abcd", definite=True, detail={"key": "abcd"}, at=(parse("a"),))
    assert Redactor(["abcd"]).failure(failure) == Failure(
        "tool", f"it said {MASK}", definite=True, detail={"key": MASK}, at=(parse("a"),)
    )


# Texts that come piece by piece


def veiled(secrets: list[str], pieces: list[str]) -> str:
    veil = Veil(Redactor(secrets))
    return "".join(map(veil.piece, pieces))


@given(
    st.lists(st.text("ab-", min_size=4, max_size=8), min_size=1, max_size=3),
    st.lists(st.text("ab-", max_size=5), max_size=12),
)
def test_what_was_held_back_is_shown_when_the_text_has_ended(secrets: list[str], pieces: list[str]) -> None:
    redactor, said = Redactor(secrets), "".join(pieces)
    veil = Veil(redactor)
    shown = "".join(map(veil.piece, pieces)) + veil.rest()
    assert all(secret not in shown for secret in secrets)
    if redactor.text(said) == said:
        assert shown == said


@given(
    st.lists(st.text("ab-", min_size=4, max_size=8), min_size=1, max_size=3),
    st.lists(st.text("ab-", max_size=5), max_size=12),
)
def test_no_secret_is_shown_however_it_is_cut(secrets: list[str], pieces: list[str]) -> None:
    shown = veiled(secrets, pieces)
    assert all(secret not in shown for secret in secrets)
    said = "".join(pieces)
    if not any(secret in said for secret in secrets):
        held = len(said) - len(shown)
        assert shown == said[: len(shown)], "what is no secret is shown as it is"
        assert held < max(map(len, secrets)), "and no more is held back than may begin one"


def test_what_turns_out_to_be_no_secret_is_shown_after_all() -> None:
    assert veiled(["hunter2"], ["the hunt", "ress", " says hun", "ter2!"]) == "the huntress says [secret]!"


def test_without_secrets_every_piece_is_shown_at_once() -> None:
    veil = Veil(Redactor())
    assert [veil.piece(piece) for piece in ("a", "", "b")] == ["a", "", "b"]


@given(SECRETS, st.data())
def test_a_text_that_comes_in_pieces_is_redacted_as_the_whole_is(
    secrets: set[str], data: st.DataObject
) -> None:
    """Only its end may be held back, and no more of it than can be the beginning of a secret."""
    parts = st.sampled_from(sorted(secrets)) | st.text(ALPHABET, max_size=5)
    text = "".join(data.draw(st.lists(parts, max_size=5)))
    redactor = Redactor(secrets)
    veil = Veil(redactor)
    shown, rest = "", text
    while rest:
        size = data.draw(st.integers(1, len(rest)))
        shown, rest = shown + veil.piece(rest[:size]), rest[size:]
    assert redactor.text(text).startswith(shown)
    end = text[-max(map(len, secrets)) :]
    if not any(set(secret) & set(end) for secret in secrets):
        assert shown == redactor.text(text)
