"""The outbox: what has come out of the machine, and what of it is still open.

Touches, alarms and notes go through here on their way to the host, each with the outcome that brought it
about; what is stopped or settled is crossed out.
"""

from __future__ import annotations

from typing import Any

from quintet.engine.scopes import Result, Scope
from quintet.engine.touches import Command, Finished, Note, Stop, Touch
from quintet.engine.values import encode


class Outbox:
    """Commands for the host, and the count of what waits for an outcome."""

    __slots__ = ("_commands", "cause", "open_touches", "time")

    def __init__(self, time: float) -> None:
        self.time = time
        """The time of the latest outcome delivered."""
        self.cause = 0
        """Its place in the log."""
        self.open_touches = 0
        self._commands: list[Command] = []

    def take(self) -> list[Command]:
        commands, self._commands = self._commands, []
        return commands

    def open(self, scope: Scope, touch: Touch) -> None:
        """A scope awaits a touch."""
        counts = scope.counts
        counts[touch.name] = touch.occurrence = counts.get(touch.name, 0) + 1
        touch.cause, touch.opened, touch.open = self.cause, self.time, True
        scope.prepared = None
        scope.touch = touch
        self.open_touches += 1
        self._commands.append(touch)

    def settle(self, touch: Touch) -> None:
        """A touch has its outcome."""
        touch.open = False
        touch.scope.touch = None
        self.open_touches -= 1

    def set_alarm(self, scope: Scope, seconds: float) -> None:
        """A time limit begins."""
        alarm = scope.alarm = Touch(scope, "deadline", scope.segment.name, encode(seconds))
        alarm.cause, alarm.opened, alarm.open = self.cause, self.time, True
        self._commands.append(alarm)

    def settle_alarm(self, alarm: Touch) -> None:
        """A time limit has struck."""
        alarm.open = False
        alarm.scope.alarm = None

    def stop(self, scope: Scope) -> None:
        """Nothing that a scope has opened is wanted any more."""
        touch, alarm = scope.touch, scope.alarm
        if touch is not None:
            self.settle(touch)
            self._commands.append(Stop(touch, self.cause))
        if alarm is not None:
            self.settle_alarm(alarm)
            self._commands.append(Stop(alarm, self.cause))

    def note(self, scope: Scope, kind: str, text: str) -> None:
        self._commands.append(Note(scope.path, kind, text, self.cause))

    def finish(self, result: Result[Any]) -> None:
        self._commands.append(Finished(result))
