"""A row never runs over the edge, and nothing in it has power over the terminal."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quintet.display.rows import GLYPHS, Row, cut, ends, fitted, in_ascii, padded, painted, shown, text, width

_texts = st.text(max_size=30) | st.sampled_from(["日本語のテキスト", "e\u0301e\u0301", "👩‍👩‍👧"])
_rows = st.lists(st.tuples(st.sampled_from(["", "name", "quiet"]), _texts.map(shown)), max_size=4).map(tuple)


@given(_texts.map(shown), st.integers(0, 20))
def test_what_is_cut_fits_and_says_so(said: str, room: int) -> None:
    cut_ = cut(said, room)
    assert width((("", cut_),)) <= room
    assert cut_ == said or room == 0 or cut_.endswith("…")
    assert width((("", padded(said, room)),)) == room


@given(_rows, st.integers(1, 40))
def test_a_fitted_row_fits_and_loses_nothing_that_has_room(row: Row, room: int) -> None:
    new = fitted(row, room)
    assert width(new) <= room
    if width(row) <= room:
        assert new == row
    else:
        assert text(new).endswith("…")


def test_of_two_ends_the_right_one_is_kept() -> None:
    row = ends((("", "a long name of a workflow"),), (("", "0:07"),), 16)
    assert text(row) == "a long na…  0:07"


@given(_rows)
def test_ascii_takes_the_same_room(row: Row) -> None:
    plain = in_ascii(row)
    assert text(plain).isascii()
    assert width(plain) == width(row)


def test_our_own_signs_stay_apart_in_ascii() -> None:
    states = "✓✗●○◌⏸↻⊘–"
    assert len({text(in_ascii((("", sign),))) for sign in states}) == len(states)
    assert set(states) <= set(GLYPHS)


@pytest.mark.parametrize(
    ("said", "seen"),
    [
        ("\x1b[31mred\x1b[0m", "red"),
        ("\x1b]0;my title\x07after", "after"),
        ("one\ntwo\r\n\tthree", "one two three"),
        ("\x1bc\x9b2J", "�c�2J"),
        ("a\u202eb", "a�b"),
    ],
)
def test_control_characters_have_no_power(said: str, seen: str) -> None:
    assert shown(said) == seen


def test_colours_are_given_by_role_and_by_nobody_else() -> None:
    row: Row = (("fine", "✓"), ("", " plain "), ("quiet", "said"))
    assert painted(row, lambda role, part: f"<{role}>{part}") == "<fine>✓ plain <quiet>said"
