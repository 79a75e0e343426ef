"""Amounts: durations, money and numbers as people say them."""

from __future__ import annotations

import math

_MINUTE, _HOUR, _DAY = 60, 3600, 86400


def duration(seconds: float) -> str:
    """`3 ms`, `2.1 s`, `4 min 5 s`, `12 min`, `3 h 4 min`, `2 d 3 h`."""
    seconds = max(seconds, 0.0)
    if seconds < 0.0995:
        return f"{round(seconds * 1000)} ms"
    if seconds < 59.95:
        return f"{seconds:.1f} s"
    if (whole := round(seconds)) < 10 * _MINUTE:
        return _two(whole, _MINUTE, "min", 1, "s")
    if seconds < 59.5 * _MINUTE:
        return f"{round(seconds / _MINUTE)} min"
    if seconds < _DAY - _MINUTE / 2:
        return _two(round(seconds / _MINUTE), 60, "h", 1, "min")
    return _two(round(seconds / _HOUR), 24, "d", 1, "h")


def _two(count: int, large: int, name: str, small: int, rest: str) -> str:
    whole, left = divmod(count, large)
    return f"{whole:,} {name} {left // small} {rest}" if left else f"{whole:,} {name}"


def clock(seconds: float) -> str:
    """How long something has been going: `0:07`, `12:03`, `1:02:03`."""
    minutes, second = divmod(int(max(seconds, 0.0)), 60)
    hours, minute = divmod(minutes, 60)
    return f"{hours}:{minute:02}:{second:02}" if hours else f"{minute}:{second:02}"


def ago(seconds: float) -> str:
    """How long something is past: `just now`, `4 min ago`, `3 h ago`, `2 d ago`."""
    for unit, name in ((_DAY, "d"), (_HOUR, "h"), (_MINUTE, "min")):
        if seconds >= unit:
            return f"{int(seconds // unit):,} {name} ago"
    return "just now"


def money(usd: float) -> str:
    """With as many digits as matter: `$0.0041`, `$0.50`, `$12.34`, `$1,234`."""
    if usd >= 99.995:
        return f"${usd:,.0f}"
    if usd >= 1 or usd <= 0:
        return f"${usd:.2f}"
    if usd < 0.000001:
        return "<$0.000001"
    return f"${usd:.{max(2, 1 - math.floor(math.log10(usd)))}f}"


def tokens(given: int, answered: int) -> str:
    """What was sent and what came back: `412 → 233`."""
    return f"{given:,} → {answered:,}" if given or answered else ""


def ordinal(number: int) -> str:
    """`1st`, `2nd`, `3rd`, `11th`."""
    last = "th" if number % 100 in {11, 12, 13} else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number:,}{last}"
