"""Text is measured in cells of a terminal, and broken so that no line is too wide."""

from hypothesis import given
from hypothesis import strategies as st

from quintet.drawing.cells import cut, width, wrapped


def test_wide_characters_take_two_cells_and_marks_none() -> None:
    assert width("abc") == 3
    assert width("記録") == 4
    assert width("e\u0301") == 1
    assert width("⏸ x") == 3


def test_lines_are_broken_at_spaces_and_long_words_anywhere() -> None:
    assert wrapped("one two three", 8) == ["one two", "three"]
    assert wrapped("abcdefghij", 4) == ["abcd", "efgh", "ij"]
    assert wrapped("", 4) == [""]


def test_a_word_is_broken_where_it_can_be_read_on() -> None:
    assert wrapped("analyst-of-very-long-business-name", 27) == ["analyst-of-very-long-", "business-name"]
    assert wrapped("a-pneumonoultramicroscopic", 10)[0] == "a-pneumono", "not far back"
    assert wrapped("秤を置く。数字", 8) == ["秤を置", "く。数字"]
    assert wrapped("あ。", 2) == ["あ", "。"], "where there is no room for both"


def test_what_does_not_fit_is_left_out_visibly() -> None:
    assert wrapped("one two three four", 6, most=2) == ["one", "two …"]
    assert wrapped("aaaa bbbb cccc", 4, most=2)[-1].endswith("…")
    assert cut("abcdef", 4) == "abc…"


@given(st.text() | st.text("ab-/。あ ", max_size=60), st.integers(2, 20), st.integers(1, 4))
def test_no_line_is_wider_than_the_room(text: str, room: int, most: int) -> None:
    lines = wrapped(text, room, most)
    assert len(lines) <= most
    assert all(width(line) <= room for line in lines)
