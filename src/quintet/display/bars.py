"""Bars: when each step of a run took place, drawn to scale.

A run may wait a night for a person, or go on a week after it failed.  Such times, in which nothing was at
work, would leave no room for those in which something was; so they are drawn short.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

Span = tuple[float, float]
BAR = "▇"
_IDLE = 0.04
"""How much of the whole a stretch of idle time takes at most."""


@dataclass(frozen=True, slots=True)
class Scale:
    """Moments in columns."""

    times: Sequence[float]
    places: Sequence[float]
    """Where each of these times is, from 0 to 1."""

    def at(self, time: float) -> float:
        """Where a time is, from 0 to 1."""
        number = min(max(bisect_right(self.times, time) - 1, 0), len(self.times) - 2)
        start, end = self.times[number], self.times[number + 1]
        part = 0.0 if end <= start else (min(max(time, start), end) - start) / (end - start)
        return self.places[number] + part * (self.places[number + 1] - self.places[number])

    def bar(self, span: Span, columns: int) -> str:
        """A bar of at least one cell where a span is."""
        first = min(int(self.at(span[0]) * columns), columns - 1)
        last = max(first + 1, round(self.at(span[1]) * columns))
        return " " * first + BAR * (last - first)


def scale_of(spans: Iterable[Span]) -> Scale:
    """The scale on which all spans are seen."""
    busy = _united(spans) or [(0.0, 0.0)]
    worked = sum(end - start for start, end in busy) or 1.0
    times, places = [busy[0][0]], [0.0]
    for start, end in busy:
        if start > times[-1]:
            places.append(places[-1] + min(start - times[-1], worked * _IDLE))
            times.append(start)
        places.append(places[-1] + (end - start))
        times.append(end)
    whole = places[-1] or 1.0
    return Scale(times, [place / whole for place in places])


def _united(spans: Iterable[Span]) -> list[Span]:
    """The stretches in which anything was at work."""
    united: list[Span] = []
    for start, end in sorted(spans):
        if united and start <= united[-1][1]:
            united[-1] = (united[-1][0], max(united[-1][1], end))
        else:
            united.append((start, max(start, end)))
    return united
