"""Rows: what was measured, what was to be reached, and whether it is."""

from __future__ import annotations

from dataclasses import dataclass

from bench.rounds import Series


@dataclass(frozen=True, slots=True)
class Claim:
    """One figure and its reach."""

    measured: str
    reach: str
    met: bool | None
    """None: it could not be measured here."""


@dataclass(frozen=True, slots=True)
class Row:
    name: str
    work: str
    claims: tuple[Claim, ...]
    series: tuple[Series, ...] = ()
    remarks: tuple[str, ...] = ()
    """What a reader has to know to read the figures right."""


def at_most(what: str, ratio: float, limit: float) -> Claim:
    """A ratio that should be small."""
    return Claim(f"{times(ratio)} {what}", f"at most {times(limit)}", ratio <= limit)


def at_least(what: str, ratio: float, limit: float) -> Claim:
    """A ratio that should be large."""
    return Claim(f"{times(ratio)} {what}", f"at least {times(limit)}", ratio >= limit)


def not_measured(what: str, reach: str) -> Claim:
    """What needs a peer that is not here."""
    return Claim(f"not measured: {what} is not installed", reach, None)


def times(ratio: float) -> str:
    return f"{ratio:.2f} ×" if ratio < 3 else f"{ratio:.1f} ×" if ratio < 100 else f"{ratio:,.0f} ×"


def duration(seconds: float) -> str:
    """In the unit in which it is easily read."""
    if seconds < 1e-6:
        return f"{seconds * 1e9:.0f} ns"
    if seconds < 1e-4:
        return f"{seconds * 1e6:.2f} µs"
    if seconds < 1e-3:
        return f"{seconds * 1e6:.0f} µs"
    if seconds < 1:
        return f"{seconds * 1e3:.2f} ms"
    return f"{seconds:.2f} s"
