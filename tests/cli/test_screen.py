"""Colour and width follow the screen and what the user says."""

from __future__ import annotations

import io

import pytest

from quintet.cli.screen import can_show, coloured, columns, painter


class _Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("environment", "terminal", "expected"),
    [
        ({}, True, True),
        ({}, False, False),
        ({"NO_COLOR": "1"}, True, False),
        ({"NO_COLOR": ""}, True, True),
        ({"FORCE_COLOR": "1"}, False, True),
        ({"FORCE_COLOR": "0"}, False, False),
        ({"FORCE_COLOR": "1", "NO_COLOR": "1"}, True, False),
        ({"TERM": "dumb"}, True, False),
    ],
)
def test_colours_are_where_they_are_seen(environment: dict[str, str], terminal: bool, expected: bool) -> None:
    assert coloured(_Terminal() if terminal else io.StringIO(), environment) is expected
    assert coloured(None, environment) is False


def test_the_width_is_what_the_user_or_the_terminal_says(monkeypatch: pytest.MonkeyPatch) -> None:
    assert columns(io.StringIO()) == 100
    assert columns(None) == 100
    monkeypatch.setenv("COLUMNS", "57")
    assert columns(io.StringIO()) == 57
    monkeypatch.setenv("COLUMNS", "wide")
    assert columns(io.StringIO()) == 100


def test_roles_without_a_colour_are_plain(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    paint = painter(io.StringIO())
    assert paint("error", "x") == "\x1b[1;31mx\x1b[0m"
    assert paint("line", "x") == "x"
    assert paint("error", "") == ""


def test_what_an_encoding_cannot_hold_is_known_before() -> None:
    assert can_show("─", io.TextIOWrapper(io.BytesIO(), encoding="utf-8"))
    assert not can_show("─", io.TextIOWrapper(io.BytesIO(), encoding="latin-1"))
