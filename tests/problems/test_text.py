"""Problems in a terminal: the caret stands under the very characters, whatever the line is made of."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quintet.formats.positions import Text
from quintet.formats.tree import Span
from quintet.problems.codes import Code
from quintet.problems.problem import Place, Problem, has_errors, in_file_order, leniently, strictly
from quintet.problems.text import rendered, summary

CODE = Code("bad", "error", "bad", "Bad.")
MILD = Code("mild", "warning", "mild", "Mild.")


def problem(text: str, piece: str, hint: str = "", path: str = "a.json", code: Code = CODE) -> Problem:
    source = Text(text, path)
    at = text.index(piece)
    place = source.place(Span(at, at + len(piece)))
    return Problem(code, "wrong", place, hint, source.excerpt(place), code.severity)


def test_the_sketch() -> None:
    text = "{\n" * 13 + '      "agentname": "code-reviewer",\n'
    assert rendered(problem(text, '"agentname"', "did you mean 'agent_name'?")) == (
        "a.json:14:7: error[bad]: wrong\n"
        '   14 |       "agentname": "code-reviewer",\n'
        "      |       ^^^^^^^^^^^ did you mean 'agent_name'?"
    )


def test_on_a_terminal_words_are_kept_whole() -> None:
    wrong = replace(
        problem(f"{'x' * 30} XY", "XY", "did you mean something else?"), message="the word is no word here"
    )
    assert rendered(wrong, 44, breaks=True).splitlines() == [
        "a.json:1:32: error[bad]: the word is no word",
        "  here",
        f"    1 | {'x' * 30} XY",
        f"      | {' ' * 31}^^",
        "      = did you mean something else?",
    ]
    assert rendered(wrong, 30, breaks=True).splitlines()[-2:] == [
        "      = did you mean something",
        "        else?",
    ]
    assert len(rendered(wrong, 44).splitlines()) == 3, "in a pipe lines are whole"


@pytest.mark.parametrize(
    ("line", "piece", "caret"),
    [
        ("ab XY", "XY", "   ^^"),
        ("äö XY", "XY", "   ^^"),
        ("e\u0301 XY", "XY", "  ^^"),
        ("汉字 XY", "XY", "     ^^"),
        ("x 汉字", "汉字", "  ^^^^"),
        ("\tXY", "XY", "    ^^"),
        ("a\tXY", "XY", "    ^^"),
        ("\x1b[1m XY", "XY", "     ^^"),
        ("\u202e XY", "XY", "  ^^"),
    ],
)
def test_the_caret_stands_under_wide_and_narrow_characters_and_after_tabs(
    line: str, piece: str, caret: str
) -> None:
    shown = rendered(problem(line, piece)).splitlines()
    assert shown[2] == f"      | {caret}"
    assert "\t" not in shown[1]


def test_nothing_from_a_file_or_its_name_can_move_the_cursor() -> None:
    shown = rendered(problem("\x1b[2J\x07 X \u202e", "X", hint="\x1b]0;", path="\x1b.json"))
    assert shown.replace("\n", "").isprintable()


@given(st.text(max_size=400), st.integers(0, 400), st.integers(1, 400), st.integers(20, 120))
def test_a_long_line_is_cut_so_that_the_place_is_seen(text: str, start: int, length: int, width: int) -> None:
    text = "".join(text.splitlines()) or "x"
    start = min(start, len(text) - 1)
    source = Text(text, "a")
    place = source.place(Span(start, min(start + length, len(text))))
    shown = rendered(Problem(CODE, "wrong", place, "", source.excerpt(place)), width).splitlines()
    assert len(shown) in {1, 3}
    if len(shown) == 3:
        assert all(ord(char) > 0x2000 or len(line) <= max(width, 32) for line in shown[1:] for char in line)
        assert set(shown[2]) <= set(" |^")
        assert "^" in shown[2]


def test_both_ends_of_a_long_line_are_cut_visibly() -> None:
    shown = rendered(problem("a" * 5_000 + "X" + "b" * 5_000, "X"), 60).splitlines()
    assert shown[1].startswith("    1 | …aaa")
    assert shown[1].endswith("bbb…")
    assert shown[1][shown[2].index("^")] == "X"
    assert len(shown[1]) <= 60


def test_a_place_of_several_lines_is_marked_to_the_end_of_its_first() -> None:
    assert rendered(problem("a XY\nZ\n", "XY\nZ")).splitlines()[2] == "      |   ^^"


def test_a_hint_is_kept_where_there_is_no_line_to_show() -> None:
    bare = Problem(CODE, "cannot be read", Place("a", 1, 1, 1, 2), "is it there?")
    assert rendered(bare) == "a:1:1: error[bad]: cannot be read\n      = is it there?"


def test_each_part_may_have_a_colour() -> None:
    shown = rendered(problem("XY", "XY", "hint"), paint=lambda role, text: f"<{role}>{text}</>")
    assert "<place>a.json:1:1</>: <error>error[bad]</>: wrong" in shown
    assert "<line>XY</>" in shown
    assert "<caret>^^</> <hint>hint</>" in shown


def test_the_summary_counts_and_names_a_page() -> None:
    error, warning = problem("X", "X"), problem("X", "X", code=MILD)
    assert summary([error, warning, error], "a.json") == (
        "2 errors, 1 warning in a.json. `quintet help bad` explains."
    )
    assert summary([warning], "a.json") == "1 warning in a.json. `quintet help mild` explains."


def test_strict_and_lenient_change_severities_only() -> None:
    error, warning = problem("X", "X"), problem("X", "X", code=MILD)
    assert [p.severity for p in strictly([error, warning])] == ["error", "error"]
    assert [p.severity for p in leniently([error, warning], CODE)] == ["warning", "warning"]
    assert not has_errors(leniently([error], CODE))
    assert str(error) == "a.json:1:1: error[bad]: wrong"


def test_problems_are_told_in_the_order_of_the_file() -> None:
    text = "a\nbc\nd"
    found = [problem(text, piece) for piece in "dcba"]
    assert [p.place.line for p in in_file_order(found)] == [1, 2, 2, 3]
