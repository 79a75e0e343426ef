"""A run is shown while it works, and what is left on the screen is how it ended."""

import threading
import time

from quintet.display.live import HINT, Live
from quintet.display.terminal import Terminal
from quintet.engine.paths import parse
from quintet.runs.chronicle import Chronicle
from scripts.emulator import Emulator
from tests.display.logs import log


def plain(role: str, text: str) -> str:
    return text


def live(screen: Emulator, clock: float = 3.0) -> Live:
    return Live(Chronicle("run"), Terminal(screen, screen.size, plain), clock=lambda: clock)


def test_every_moment_of_a_run_can_be_drawn_and_the_last_one_stands() -> None:
    screen = Emulator(90, 24)
    shown = live(screen)
    screen.write("$ quintet run\n")
    for event in log():
        shown.kept("run", [event])
        shown.draw()
        assert screen.lines[0] == "$ quintet run"
        assert screen.lines[-1] == HINT
    shown.stop()
    seen = "\n".join(screen.lines)
    assert HINT not in seen
    assert [line.split()[:2] for line in screen.lines[3:8]] == [
        ["✓", "draft"],
        ["✓", "ann"],
        ["✓", "bob"],
        ["✓", "check"],
        ["✓", "publish"],
    ]
    assert "– fix" in seen
    assert "⏸ gate" in seen
    assert "Send it?" in seen


def test_on_a_narrow_screen_the_hint_is_short_and_whole() -> None:
    screen = Emulator(40, 24)
    live(screen).draw()
    assert screen.lines[-1] == "Ctrl-C suspends"


def test_what_is_said_is_shown_until_it_is_kept() -> None:
    screen = Emulator(90, 24)
    shown = live(screen)
    events = list(log())
    begun = next(n for n, event in enumerate(events) if event.kind == "turn.started")
    answered = next(n for n, event in enumerate(events) if event.kind == "model.answered")
    shown.said("run", parse("draft/model"), "Once ")  # it may be heard before the turn is
    shown.kept("run", events[: begun + 1])
    shown.said("run", parse("draft/~limit/model"), "upon")
    shown.said("another run", parse("draft/model"), " nothing")
    shown.draw()
    assert "▏ Once upon" in "\n".join(screen.lines)
    shown.kept("run", events[begun + 1 : answered + 1])
    shown.draw()
    assert "Once" not in "\n".join(screen.lines)


def test_it_makes_room_for_a_question_and_goes_on_below() -> None:
    screen = Emulator(90, 24)
    shown = live(screen)
    shown.kept("run", log()[:6])
    shown.draw()
    with shown.aside():
        assert screen.lines == []
        screen.write("decision? yes\n")
        shown.draw()
        assert screen.lines == ["decision? yes"]
    shown.draw()
    assert screen.lines[0] == "decision? yes"
    assert len(screen.lines) > 3


def test_it_draws_by_itself_and_at_most_ten_times_a_second() -> None:
    screen = Emulator(90, 24)
    events = log()
    shown = Live(Chronicle("run"), Terminal(screen, screen.size, plain), clock=time.monotonic)
    began = time.monotonic()
    with shown:
        for event in events:
            shown.kept("run", [event])
            time.sleep(0.01)
        time.sleep(0.15)
    assert 3 <= screen.writes <= 3 + (time.monotonic() - began) * 10
    assert "quintet-live" not in [thread.name for thread in threading.enumerate()]


def test_a_small_window_is_never_overrun() -> None:
    screen = Emulator(40, 10)
    shown = live(screen)
    for event in log():
        shown.kept("run", [event])
        shown.draw()
        assert not screen.history
