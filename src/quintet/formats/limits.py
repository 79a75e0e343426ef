"""Limits: how large a definition may be, so that reading any file at all takes bounded time and memory."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    size: int = 8 * 1024 * 1024
    """Bytes of the file, as UTF-8."""
    depth: int = 100
    """Lists and maps within each other."""
    values: int = 200_000
    """Values and keys, with every alias written out."""


LIMITS = Limits()
LOWEST, HIGHEST = -(2**63), 2**64 - 1
"""Whole numbers: what the 64 bits of other readers can hold, signed or not."""


def fits(value: object) -> bool:
    """Whether a value, if it is a number, is one that other readers can hold."""
    if isinstance(value, int):
        return LOWEST <= value <= HIGHEST
    return not isinstance(value, float) or abs(value) < float("inf")


class Refused(Exception):
    """Reading cannot go on: a problem that leaves nothing to check has been reported."""
