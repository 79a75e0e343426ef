"""Clocks: how long a time limit has been running, and when a timer is due.

A deadline counts work, not waiting: its clock runs while at least one touch under it is performed or sleeps.
This is the bookkeeping; the host owns the real timers and is told which to set and which to drop.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from quintet.engine.events import Event
from quintet.engine.orders import Arm, Disarm
from quintet.engine.paths import write
from quintet.engine.scopes import Scope
from quintet.engine.touches import Touch
from quintet.engine.values import decode


@dataclass(slots=True)
class _Clock:
    alarm: Touch
    left: float
    working: int = 0
    since: float = 0.0


class Clocks:
    """The clocks of all open time limits of a run, and when its timers are due."""

    def __init__(self, since: float = 0.0) -> None:
        """`since` is when the run began."""
        self._since = since
        self._due: dict[Touch, float] = {}
        self.orders: list[Arm | Disarm] = []
        """For the host, in order; who hands them on clears the list."""
        self._clocks: dict[Touch, _Clock] = {}
        self._working: dict[Touch, list[_Clock]] = {}

    def open(self, alarm: Touch, left: float | None = None) -> None:
        """A time limit begins, or goes on with what was left of it."""
        self._clocks[alarm] = _Clock(alarm, float(alarm.text) if left is None else left)

    @property
    def left(self) -> dict[str, float]:
        """What is left of the limits that have been running, by their paths; none of them runs now."""
        clocks = self._clocks.values()
        return {write(one.alarm.path): one.left for one in clocks if one.left < float(one.alarm.text)}

    def close(self, alarm: Touch) -> None:
        """The time limit is over, struck or not."""
        clock = self._clocks.pop(alarm, None)
        if clock is not None and clock.working:
            self.orders.append(Disarm(alarm))

    def due(self, timer: Touch, now: float) -> float:
        """When a timer fires: so long after it was set, but never counted from before this run began.

        Nor from a time that has not come yet, which is what a clock leaves that ran ahead and was put right.
        """
        if timer not in self._due:
            self._due[timer] = min(max(timer.opened, self._since), now) + float(timer.text)
        return self._due[timer]

    def begin(self, touch: Touch, now: float) -> None:
        """A touch is performed from now on."""
        if not self._clocks:
            return
        clocks = [self._clocks[alarm] for alarm in _alarms(touch.scope) if alarm in self._clocks]
        if clocks:
            self._working[touch] = clocks
        for clock in clocks:
            clock.working += 1
            if clock.working == 1:
                clock.since = now
                self.orders.append(Arm(clock.alarm, max(0.0, clock.left)))

    def end(self, touch: Touch, now: float) -> None:
        """A touch is performed no longer."""
        self._due.pop(touch, None)
        for clock in self._working.pop(touch, ()):
            clock.working -= 1
            if clock.working == 0:
                clock.left -= max(0.0, now - clock.since)
                if clock.alarm in self._clocks:
                    self.orders.append(Disarm(clock.alarm))


def left_when_paused(log: Sequence[Event]) -> Mapping[str, float]:
    """What was left of time limits when a run was paused last, by their paths."""
    for event in reversed(log):
        if event.kind == "run.paused":
            data: Any = decode(event.data)
            return data["left"] if data else {}
    return {}


def _alarms(scope: Scope | None) -> list[Touch]:
    """The alarms of the scopes around a touch."""
    alarms: list[Touch] = []
    while scope is not None:
        if scope.alarm is not None:
            alarms.append(scope.alarm)
        scope = scope.parent
    return alarms
