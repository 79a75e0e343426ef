"""Paths: their exact text, and what people read."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from quintet.engine.paths import Labels, Path, Segment, display, parse, without_attempts, write

ANY_CHARACTER = st.characters(codec=None, exclude_categories=())
NAMES = st.one_of(
    st.text(ANY_CHARACTER), st.text("%/#~!\n2\ud800ä"), st.sampled_from(["", "%", "%25", "a#2", "!a", "~"])
)


@st.composite
def segments(draw: st.DrawFn) -> Segment:
    attempt = draw(st.booleans())
    return Segment(draw(NAMES), draw(st.integers(1, 10**6)), attempt or draw(st.booleans()), attempt)


PATHS: st.SearchStrategy[Path] = st.lists(segments(), max_size=5).map(tuple)


@given(PATHS)
def test_the_text_of_any_path_can_be_read_back(path: Path) -> None:
    assert parse(write(path)) == path


@given(PATHS)
def test_the_text_of_any_path_can_be_stored(path: Path) -> None:
    """Names come from files and models; half a surrogate pair, which no database takes, is among them."""
    text = write(path)
    assert text.encode().decode() == text
    assert "\n" not in text


@given(PATHS, PATHS)
def test_two_paths_never_share_a_text(one: Path, other: Path) -> None:
    assert (write(one) == write(other)) == (one == other)


def test_the_text_of_a_path_is_what_it_was_in_earlier_releases() -> None:
    """Logs hold it."""
    path = (
        Segment("review"),
        Segment("limit", 1, silent=True),
        Segment("call", 2, silent=True, attempt=True),
        Segment("50%/#1~!"),
    )
    assert write(path) == "review/~limit/!call#2/50%25%2F%231%7E%21"
    assert write(()) == ""


def test_attempts_are_taken_out_of_a_path() -> None:
    assert write(without_attempts(parse("a/~try/!attempt#3/ask#2"))) == "a/~try/ask#2"


def test_people_do_not_read_attempts_and_time_limits() -> None:
    """Point 2: segments of attempts and deadlines are silent."""
    assert display(parse("review/~limit/!attempt#2/model")) == "review/model"


def test_repeats_of_a_displayed_text_are_numbered_in_the_order_in_which_they_began() -> None:
    """Point 2: ` #2` numbers repeats of the same text in the order in which they began."""
    labels = Labels()
    assert labels[parse("b#2/ask")] == "b/ask"
    assert labels[parse("b/ask")] == "b/ask #2"
    assert labels[parse("b#2/ask")] == "b/ask"


def test_all_attempts_of_a_thing_have_one_label() -> None:
    labels = Labels()
    assert labels[parse("~try/!attempt/ask")] == "ask"
    assert labels[parse("~try/!attempt#2/ask")] == "ask"
    assert labels[parse("~try#2/!attempt/ask")] == "ask #2"
