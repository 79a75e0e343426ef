"""TOML is read as the standard library reads it, and every key is found again where it stands."""

from __future__ import annotations

import tomllib

import pytest

from quintet.formats.source import read
from quintet.formats.tree import Map, plain

TEXT = """\
title = "x"  # comment
"quoted key" = 1
a.b = [1, {c = 2}]

[table.inner]
  key = true
when = 2026-01-15T10:30:00Z

[[items]]
name = "one"

[[items]]
name = "two"
"""


def places(text: str) -> dict[str, str]:
    reading = read(text, "x.toml")
    assert isinstance(reading.root, Map)
    found: dict[str, str] = {}

    def walk(map: Map, before: str) -> None:  # noqa: A002
        for name, entry in map.entries.items():
            line, column = reading.report.text.position(entry.key.start)
            found[before + name] = f"{line}:{column}"
            if isinstance(entry.value, Map):
                walk(entry.value, f"{before}{name}.")

    walk(reading.root, "")
    return found


def test_every_key_on_a_line_of_its_own_is_placed_there() -> None:
    assert places(TEXT) == {
        "title": "1:1",
        "quoted key": "2:1",
        "a": "1:1",
        "a.b": "3:1",
        "table": "1:1",
        "table.inner": "5:1",
        "table.inner.key": "6:3",
        "table.inner.when": "7:1",
        "items": "9:1",
    }


def test_the_values_are_those_of_the_standard_library() -> None:
    reading = read(TEXT, "x.toml")
    assert reading.root is not None
    expected = tomllib.loads(TEXT)
    expected["table"]["inner"]["when"] = "2026-01-15T10:30:00+00:00"
    assert plain(reading.root) == expected


def test_an_empty_text_is_a_map_without_keys() -> None:
    reading = read("# nothing", "x.toml")
    assert isinstance(reading.root, Map)
    assert not reading.report.problems


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("a = ", "x.toml:1:5: error[toml-syntax]"),
        ("a = 1\nb = [", "x.toml:2:6: error[toml-syntax]"),
        ("a = 99999999999999999999999999", "x.toml:1:1: error[number-range]"),
        ("a = inf", "x.toml:1:1: error[number-range]"),
        ("a = 0x" + "f" * 50, "x.toml:1:1: error[number-range]"),
        ("a = " + "9" * 5000, "x.toml:1:5: error[number-range]"),
        ("a = " + "[" * 5000, "x.toml:1:105: error[too-deep]"),
        ("a = " + "[" * 150 + "]" * 150, "x.toml:1:105: error[too-deep]"),
        ("a = 1\n[b" + ".b" * 1_000_000 + "]", "x.toml:2:2: error[too-deep]"),
        ("a = {b" + ' . "b"' * 150 + " = 1}", "x.toml:1:6: error[too-deep]"),
        ("a = [" + "1," * 300_000 + "]", "x.toml:1:400002: error[too-many-values]"),
    ],
)
def test_what_cannot_be_read_is_told_with_its_place(text: str, problem: str) -> None:
    assert str(read(text, "x.toml").report.problems[0]).startswith(problem)


def test_texts_and_comments_may_hold_any_number_of_dots_and_brackets() -> None:
    much = "a.b.[{" * 50_000
    text = f'# {much}\na = "{much}"\nb = \'{much}\'\nc = """{much}\\"\n"""\nd = \'\'\'{much}\n\'\'\'\n'
    reading = read(text, "x.toml")
    assert not reading.report.problems
    assert reading.root is not None
    assert plain(reading.root) == tomllib.loads(text)
