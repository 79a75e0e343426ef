"""Rounds: contenders take turns, so that whatever else the machine does meets all of them alike.

In every round each contender is measured once, and the next round begins with another one.  A figure is the
median of its rounds; a ratio is the median of the ratios within the rounds.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from statistics import median
from typing import NamedTuple, TypeAlias


class Sample(NamedTuple):
    """What one unit of work took, in seconds: a step, a branch, a run."""

    wall: float
    cpu: float
    """Of all threads of the process."""


Contender: TypeAlias = Callable[[], Sample]


class Stopwatch:
    """Begins with its making, on a heap without garbage."""

    def __init__(self) -> None:
        gc.collect()
        self._wall, self._cpu = time.perf_counter(), time.process_time()

    def per(self, units: int) -> Sample:
        """What each of so many units took."""
        wall, cpu = time.perf_counter() - self._wall, time.process_time() - self._cpu
        return Sample(wall / units, cpu / units)


@dataclass(frozen=True, slots=True)
class Series:
    """The samples of one contender, one a round."""

    name: str
    unit: str
    samples: tuple[Sample, ...]

    @property
    def wall(self) -> float:
        return median(sample.wall for sample in self.samples)

    @property
    def cpu(self) -> float:
        return median(sample.cpu for sample in self.samples)

    @property
    def range(self) -> tuple[float, float]:
        walls = [sample.wall for sample in self.samples]
        return min(walls), max(walls)

    def over(self, other: Series) -> float:
        """How many times as long as another it took."""
        rounds = zip(self.samples, other.samples, strict=True)
        return median(mine.wall / its.wall for mine, its in rounds)

    def work_over(self, other: Series) -> float:
        """The same in processor time: for what waits for nothing."""
        rounds = zip(self.samples, other.samples, strict=True)
        return median(mine.cpu / its.cpu for mine, its in rounds)


def in_rounds(rounds: int, unit: str, contenders: Mapping[str, Contender]) -> dict[str, Series]:
    """Measure all contenders, in turns."""
    names = list(contenders)
    samples: dict[str, list[Sample]] = {name: [] for name in names}
    for number in range(rounds):
        first = number % len(names)
        for name in names[first:] + names[:first]:
            samples[name].append(contenders[name]())
    return {name: Series(name, unit, tuple(taken)) for name, taken in samples.items()}
