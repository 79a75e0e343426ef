"""Conditions: every comparator, total over every value."""

from __future__ import annotations

import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quintet.formats.hyperagent.condition import AllOf, Always, AnyOf, Field, equal, holds
from quintet.formats.hyperagent.pattern import Invalid, NotSupported, compile_pattern, found
from tests.formats.hyperagent.test_template import VALUES

OPERANDS: st.SearchStrategy[Any] = (
    st.text(max_size=3) | st.integers() | st.booleans() | st.floats(allow_nan=False)
)


def check(value: Any, **comparators: Any) -> bool:
    return holds(Field("v", **comparators), {"v": value}, {})


@given(VALUES, OPERANDS, st.lists(OPERANDS, max_size=3), st.text(max_size=6), st.booleans())
def test_no_condition_fails(value: Any, operand: Any, several: list[Any], text: str, flag: bool) -> None:
    conditions = [
        Field("v", equals=operand, case_sensitive=flag),
        Field("v", within=tuple(several)),
        Field("v", includes=text, exists=flag),
        Field("v.0.a", matches=text, case_sensitive=flag),
    ]
    verdicts = [holds(one, {"v": value}, {}) for one in conditions]
    assert holds(AnyOf(tuple(conditions)), {"v": value}, {}) == any(verdicts)
    assert holds(AllOf(tuple(conditions)), {"v": value}, {}) == all(verdicts)
    assert check(value, equals=operand) != check(value, not_equals=operand)
    assert check(value, within=tuple(several)) != check(value, not_within=tuple(several))


@pytest.mark.parametrize(
    ("value", "operand", "expected"),
    [
        ("Approve", "approve", True),
        (True, "TRUE", True),
        (6, "6", True),
        (5.0, "5", True),
        (None, "", False),
        ([], "", False),
        ({}, "[object Object]", False),
        ("5", 5, True),
        ("", 0, True),
        ("1e3", 1000, True),
        (" 0x10 ", 16, True),
        ("5px", 5, False),
        ("Infinity", 5, False),
        (True, 1, False),
        (None, 0, False),
        (" True ", True, True),
        ("yes", True, False),
        (1, True, False),
        ("false", False, True),
        (None, False, False),
    ],
)
def test_equality_is_that_of_the_operand(value: Any, operand: Any, expected: bool) -> None:
    """ "A field comparison (`field` + comparators such as `equals`, `notEquals`, `includes`, `matches`, `in`,
    `exists`, etc.)." """
    assert equal(value, operand, case_sensitive=False) is expected


@pytest.mark.parametrize(
    ("value", "comparators", "expected"),
    [
        ("Approve", {"equals": "approve", "case_sensitive": True}, False),
        ("Approve", {"includes": "PRO"}, True),
        ("Approve", {"includes": "PRO", "case_sensitive": True}, False),
        (["a"], {"includes": "a"}, False),
        (None, {"includes": ""}, False),
        (12, {"includes": "1"}, True),
        ("a", {"within": ()}, False),
        ("a", {"not_within": ()}, True),
        (None, {"not_equals": "x"}, True),
        ("done", {"matches": "ON"}, True),
        ("done", {"matches": "ON", "case_sensitive": True}, False),
        (None, {"matches": ""}, True),
        (None, {"matches": "."}, False),
        ("x", {"matches": "(x"}, False),
        (0, {"exists": True}, True),
        ([], {"exists": True}, True),
        ("", {"exists": True}, False),
        (None, {"exists": False}, True),
        ("done", {"matches": "^d", "includes": "x"}, False),
    ],
)
def test_comparators(value: Any, comparators: dict[str, Any], expected: bool) -> None:
    assert check(value, **comparators) is expected


def test_always_and_the_two_places_a_field_looks_at() -> None:
    """ "`field` values prefixed with `@` read from the global scope instead of the current step" """
    assert holds(Always(), {}, {})
    assert holds(Field("raw", equals="turn"), {"raw": "turn"}, {"raw": "scope"})
    assert holds(Field("@state.v", equals="S"), {"state": {"v": "T"}}, {"state": {"v": "s"}})


@pytest.mark.parametrize(
    ("pattern", "text", "expected"),
    [
        (r"^\d+$", "12\n", False),
        (r"a.c", "a\u2028c", False),
        (r"a[^]c", "a\nc", True),
        (r"a[]", "a", False),
        (r"\u00e9\x41", "éA", True),
        (r"\s", "\u00a0", True),
        (r"[\s]", "\ufeff", True),
        (r"[(?:)]", ")", True),
        (r"[[:alpha:]]", "[]", True),
        (r"(?<year>\d{4})-(?:x|y)", "2026-Y", True),
        (r"\/\-\e\cJ", "/-e\n", True),
        (r"\bdone\b", "is done.", True),
        (r"a{,2}", "a{,2}", True),
        (r"\p{L}", "p{l}", True),
        (r"\Qx\E", "qxe", True),
        (r"]", "]", True),
    ],
)
def test_patterns_mean_what_they_mean_in_javascript(pattern: str, text: str, expected: bool) -> None:
    assert found(pattern, text, case_sensitive=False) is expected


@pytest.mark.parametrize("pattern", ["(?=a)", "(?<!a)b", r"(a)\1", r"\k<x>", "a{1001}"])
def test_what_takes_going_back_is_not_supported(pattern: str) -> None:
    with pytest.raises(NotSupported):
        compile_pattern(pattern)


@pytest.mark.parametrize("pattern", ["(", "a)", "[a", "*", "(?i)a", "\\"])
def test_what_javascript_refuses_is_invalid(pattern: str) -> None:
    with pytest.raises(Invalid):
        compile_pattern(pattern)


@given(st.text(alphabet="a[]()\\^$.*+?{},1=!<>:|ux", max_size=12), st.text(max_size=6))
def test_no_pattern_fails(pattern: str, text: str) -> None:
    assert found(pattern, text, case_sensitive=True) in (True, False)


def test_no_pattern_is_slow() -> None:
    began = time.perf_counter()
    assert not found(r"^(a+)+$", "a" * 100_000 + "b", case_sensitive=True)
    assert not found(r"(.*)*x(.*)*y", "x" * 50_000, case_sensitive=True)
    assert time.perf_counter() - began < 2
