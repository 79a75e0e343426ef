"""Amounts are as people say them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quintet.display.amounts import ago, clock, duration, money, ordinal, tokens


@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        (0, "0 ms"),
        (0.0031, "3 ms"),
        (0.0995, "0.1 s"),
        (2.06, "2.1 s"),
        (59.94, "59.9 s"),
        (59.96, "1 min"),
        (65, "1 min 5 s"),
        (240, "4 min"),
        (599.7, "10 min"),
        (725, "12 min"),
        (3599, "1 h"),
        (11040, "3 h 4 min"),
        (86399, "1 d"),
        (183600, "2 d 3 h"),
        (-1, "0 ms"),
    ],
)
def test_durations(seconds: float, said: str) -> None:
    assert duration(seconds) == said


@given(st.floats(0, 10**8))
def test_no_duration_is_wide_or_has_sixty_of_anything(seconds: float) -> None:
    said = duration(seconds)
    assert len(said) <= 12
    assert "60 " not in said or "min" not in said.replace("60 min", "x")


@pytest.mark.parametrize(
    ("usd", "said"),
    [
        (0, "$0.00"),
        (0.0000001, "<$0.000001"),
        (0.00001234, "$0.000012"),
        (0.0041, "$0.0041"),
        (0.031, "$0.031"),
        (0.5, "$0.50"),
        (12.345, "$12.35"),
        (99.999, "$100"),
        (1234.5, "$1,234"),
    ],
)
def test_money_has_the_digits_that_matter(usd: float, said: str) -> None:
    assert money(usd) == said


def test_clock_tokens_ordinals_and_the_past() -> None:
    assert [clock(7.9), clock(723), clock(3723)] == ["0:07", "12:03", "1:02:03"]
    assert [tokens(412, 1233), tokens(0, 0)] == ["412 → 1,233", ""]
    assert [ordinal(n) for n in (1, 2, 3, 4, 11, 12, 13, 21, 112)] == (
        ["1st", "2nd", "3rd", "4th", "11th", "12th", "13th", "21st", "112th"]
    )
    assert [ago(3), ago(240), ago(7200), ago(200000)] == ["just now", "4 min ago", "2 h ago", "2 d ago"]
