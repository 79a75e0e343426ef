"""What is expected of a run is compared plainly, and what differs is told in words."""

from __future__ import annotations

import time
from typing import Any

import pytest

from quintet.cases.expecting import BadPattern, differences, pattern

FITS: list[tuple[Any, Any]] = [
    ("a", "a"),
    (None, None),
    ({"a": 1}, {"a": 1, "b": 2}),
    ({"a": {"b": [1, 2]}}, {"a": {"b": [1, 2], "c": 3}}),
    ({"missing": None}, {}),
    ({"contains": "b"}, "abc"),
    ({"contains": ["a", "c"]}, "abc"),
    ({"contains": 1}, [1, 2]),
    ({"contains": "key"}, {"key": 1}),
    ({"matches": "^a.c$"}, "abc"),
    ({"equals": {"contains": "x"}}, {"contains": "x"}),
    ({"contains": "a", "matches": "c$"}, "abc"),
    ([{"contains": "a"}], ["abc"]),
]
DIFFERS: list[tuple[Any, Any, list[str]]] = [
    ("a\nb", "a\nc", ["x is not as expected:", "   a", "  -b", "  +c"]),
    ("1", 1, ["x is not as expected:", '  -"1"', "  +1"]),
    (True, 1, ["x is not as expected:", "  -true", "  +1"]),
    ({"a": 1}, {"b": 1}, ["x.a is missing"]),
    ({"a": {"b": 1}}, {"a": {"b": 2}}, ["x.a.b is not as expected:", "  -1", "  +2"]),
    ({"a": 1}, "a", ["x is not as expected:", "  -{", '  -  "a": 1', "  -}", "  +a"]),
    ([1, 2], [1, 3], ["x[1] is not as expected:", "  -2", "  +3"]),
    ({"contains": ["a", "z"]}, "abc", ['x does not contain "z":', '  "abc"']),
    ({"matches": "z"}, "abc", ['x does not match "z":', '  "abc"']),
    ({"matches": "1"}, 1, ['x does not match "1":', "  1"]),
    ({"contains": "a"}, None, ['x does not contain "a":', "  null"]),
    ({"equals": {"a": 1}}, {"a": 1, "b": 2}, ["x is not as expected:"]),
]


@pytest.mark.parametrize(("expected", "actual"), FITS)
def test_what_is_as_expected_has_no_differences(expected: Any, actual: Any) -> None:
    assert list(differences(expected, actual, "x")) == []


@pytest.mark.parametrize(("expected", "actual", "told"), DIFFERS)
def test_what_differs_is_told_in_words(expected: Any, actual: Any, told: list[str]) -> None:
    assert list(differences(expected, actual, "x"))[: len(told)] == told


def test_a_long_difference_is_cut() -> None:
    told = list(differences("\n".join("ab" * 50), "", "x"))
    assert told[-1] == "  … and 61 lines more"


def test_no_pattern_hangs_and_a_bad_one_is_told() -> None:
    began = time.monotonic()
    assert list(differences({"matches": "(a+)+$"}, "a" * 5000 + "b", "x"))
    assert time.monotonic() - began < 2
    with pytest.raises(BadPattern):
        pattern("(")
    with pytest.raises(BadPattern):
        pattern("(?=a)b")
