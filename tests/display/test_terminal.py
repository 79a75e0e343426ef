"""The picture is drawn over itself and over nothing else, and a terminal that is gone stops nothing."""

from hypothesis import given
from hypothesis import strategies as st

from quintet.display.rows import Row
from quintet.display.terminal import Terminal
from scripts.emulator import Emulator

_lines = st.text("ab本 ", min_size=1, max_size=10).map(lambda text: f"|{text.strip()}|")
_pictures = st.lists(_lines, max_size=9)


def plain(role: str, text: str) -> str:
    return text


def rows(lines: list[str]) -> list[Row]:
    return [(("", line),) for line in lines]


def terminal(screen: Emulator) -> Terminal:
    return Terminal(screen, screen.size, plain)


@given(st.lists(_pictures, max_size=6), _pictures)
def test_only_the_last_picture_is_left_below_what_was_there(
    pictures: list[list[str]], last: list[str]
) -> None:
    screen = Emulator(24, 12)
    screen.write("$ quintet run\n")
    ours = terminal(screen)
    for picture in pictures:
        ours.draw(rows(picture))
        assert screen.lines == ["$ quintet run", *picture]
    ours.leave(rows(last))
    screen.write("after\n")
    assert screen.lines == ["$ quintet run", *last, "after"]
    assert screen.cursor_is_shown
    assert screen.wraps


def test_a_picture_from_the_first_cell_on_is_left_only_once() -> None:
    screen = Emulator(10, 4)
    ours = terminal(screen)
    ours.draw(rows(["one", "two", "three"]))
    ours.leave(rows(["0123456789", "2", "3", "4", "5"]))
    assert screen.lines == ["0123456789", "2", "3", "4", "5"]


def test_a_line_as_wide_as_the_screen_keeps_its_last_cell() -> None:
    screen = Emulator(10, 5)
    ours = terminal(screen)
    ours.draw(rows(["0123456789", "ab"]))
    ours.draw(rows(["9876543210", "ab"]))
    assert screen.lines == ["9876543210", "ab"]


def test_what_has_not_changed_is_not_written() -> None:
    screen = Emulator()
    ours = terminal(screen)
    ours.draw(rows(["one", "two"]))
    before = screen.writes
    ours.draw(rows(["one", "two"]))
    assert screen.writes == before


def test_a_long_farewell_scrolls() -> None:
    screen = Emulator(20, 6)
    ours = terminal(screen)
    ours.draw(rows(["short"]))
    lines = [f"line {number}" for number in range(30)]
    ours.leave(rows(lines))
    assert screen.lines == lines


def test_lines_that_the_terminal_broke_are_drawn_over() -> None:
    screen = Emulator(40, 20)
    ours = terminal(screen)
    ours.draw(rows(["x" * 40, "y" * 15]))
    screen.columns = 20  # the terminal now shows the first line on two
    screen.screen = [["x"] * 20, ["x"] * 20, [*("y" * 15), *(" " * 5)], *([" "] * 20 for _ in range(17))]
    screen.row = 3
    ours.draw(rows(["short"]))
    assert screen.lines == ["short"]


def test_a_terminal_that_is_gone_stops_nothing() -> None:
    screen = Emulator()
    ours = terminal(screen)
    ours.draw(rows(["one"]))
    screen.close()
    screen.write = _gone
    ours.draw(rows(["two"]))
    ours.leave(rows(["three"]))


def _gone(text: str) -> int:
    raise OSError(5, "Input/output error")
