"""What the pages show of the code and of real runs is what the code and the runs are now."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from quintet.engine.events import family
from quintet.engine.paths import write
from scripts import draw, toy
from scripts.walk import settled, walked

ONE_LINE = re.compile(r"    (participant \w as \w+|[PMHWL]--?>>[PMHWL]: [^;#]+)")
"""Of a sequence diagram; `;` and `#` have a meaning of their own there."""


@pytest.mark.parametrize("page", draw.PAGES, ids=lambda page: page.name)
def test_what_is_drawn_on_a_page_is_current(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert draw.drawn(text) == text, "draw it anew: python -m scripts.draw"


@pytest.mark.parametrize("page", draw.WALKS, ids=lambda page: page.name)
def test_who_follows_a_page_sees_what_it_shows(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert walked(text) == text, "write it anew: python -m scripts.draw"


@pytest.mark.parametrize(
    ("was", "now"),
    [
        (
            "completed in 19 ms · quintet show 53b8f524bcac4e86a792cfd6ceea4f3b",
            "completed in 1.2 s · quintet show b04c2415500a45519fca184a366a16b2",
        ),
        ("✓ write  poet   ▇▇▇▇      17 ms", "✓ write  poet         ▇  1.0 s"),
        ("3 passed in 0.54s", "3 passed in 1.02s"),
        ("BEGAN     TOOK\njust now  1 ms", "BEGAN    TOOK\n1 s ago  11 ms"),
    ],
)
def test_ids_and_times_are_no_reason_to_write_a_page_anew(was: str, now: str) -> None:
    assert settled(was) == settled(now)


def test_what_a_command_says_is_a_reason() -> None:
    assert settled("✓ write  poet") != settled("✗ write  poet")
    assert settled("2 turns") != settled("3 turns")


def test_every_drawing_has_its_place_and_every_place_its_drawing() -> None:
    text = "".join(page.read_text(encoding="utf-8") for page in draw.PAGES)
    places = re.findall(r"<!-- drawn: (.+?) -->", text)
    assert set(places) == draw.DRAWINGS.keys()
    assert len(places) == text.count("<!-- drawn -->")


def test_the_sequence_diagram_is_one() -> None:
    first, *lines = draw.sequence().splitlines()[1:-1]
    assert first == "sequenceDiagram"
    assert not [line for line in lines if not ONE_LINE.fullmatch(line)]


def test_the_diagram_shows_that_an_outcome_is_kept_before_the_program_sees_it() -> None:
    lines = [line.strip() for line in draw.sequence().splitlines()]
    kept = lines.index("H->>L: append 5 model.answered")
    assert lines.index("W-->>H: food/ask gave onion soup") < kept
    assert kept < lines.index("M-->>P: food/ask gives onion soup")


def test_the_toy_goes_on_after_a_kill_and_does_nothing_again() -> None:
    told = toy.kill_and_resume()
    first, second = told.terminal.split("Killed\n")
    assert [question in first for question in toy.ANSWERS] == [True] * 3
    assert [question in second for question in toy.ANSWERS] == [False, False, True]
    outcomes = [write(event.path) for event in told.log if family(event.kind) == "outcome"]
    assert sorted(outcomes) == ["food/ask", "plan", "sights/ask"]
    assert told.log[-1].kind == "run.completed"


def test_the_toy_is_a_program_of_at_most_ten_lines() -> None:
    assert len(draw.program().splitlines()) - 2 <= 10
