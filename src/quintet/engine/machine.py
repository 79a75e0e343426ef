"""The machine: outcomes go in one at a time, commands come out.

A program is a coroutine that awaits nothing but its `Context`, so the machine can step it by hand.  There is
no event loop here, no clock, no thread and no I/O: only scopes, each of which is ready, blocked or closing.

    machine = Machine(program, arguments)
    for outcome in log: machine.advance(outcome)      # replay: nothing is performed
    loop: commands = machine.take()                   # the host performs touches, records what comes of them
          machine.advance(outcome)                    # one at a time, in the order of the log

`advance` is the whole of it: find whom an outcome is for, deliver it, then step every scope that can go on
(`stepping.py`) until all are blocked.  Because nothing else can wake a scope, the same outcomes in the same
order always lead to the same commands; that is all that replay, resume, fork and retry rely on.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from quintet.engine.events import Kind
from quintet.engine.failures import Diverged, Failure, ProgramError
from quintet.engine.outbox import Outbox
from quintet.engine.paths import Path
from quintet.engine.scopes import Result
from quintet.engine.stepping import Stepper
from quintet.engine.touches import Command, Outcome, Touch
from quintet.engine.tree import find, match


class Machine:
    """One program, being stepped."""

    def __init__(
        self,
        program: Callable[..., Awaitable[Any]],
        arguments: tuple[Any, ...] = (),
        *,
        version: Mapping[str, int] | None = None,
        time: float = 0.0,
        run_id: str = "",
    ) -> None:
        self.version = version or {}
        self._outbox = Outbox(time)
        self._stepper = Stepper(lambda ctx: program(ctx, *arguments), self.version, self._outbox, run_id)
        self._root = self._stepper.root
        self._stepper.run()

    @property
    def result(self) -> Result[Any] | None:
        """How the program ended; None while it runs."""
        return self._root.branch.result

    @property
    def time(self) -> float:
        """The time of the latest outcome delivered: what `now()` tells."""
        return self._outbox.time

    @property
    def open_touches(self) -> int:
        """How many touches wait for an outcome; alarms of time limits do not count."""
        return self._outbox.open_touches

    def take(self) -> list[Command]:
        """The commands that came out since the last time."""
        return self._outbox.take()

    def advance(self, outcome: Outcome) -> Touch | None:
        """Deliver one outcome, and go on until every scope is blocked.

        Gives the touch that it was for; None if it came too late, because that was cancelled.  Raises
        Diverged where no such touch was asked for, and ProgramError where the program has a bug; the program
        is abandoned then, and nothing can be delivered any more.
        """
        if self._stepper.trouble is not None:
            raise self._stepper.trouble
        try:
            touch = match(self._root, outcome)
        except Diverged as diverged:
            self._stepper.abandon(diverged)
            raise
        if touch is None:
            return None
        self._outbox.cause, self._outbox.time = outcome.seq, outcome.time
        if touch.kind == "deadline":
            self._strike(touch, outcome)
        else:
            self._deliver(touch, outcome)
        self._stepper.run()
        return touch

    def cancel_all(self) -> None:
        """Cancel the program from outside."""
        if self._stepper.trouble is None:
            self._stepper.cancel_scope(self._root)
        self._stepper.run()

    def find(self, path: Path, kind: Kind) -> Touch | None:
        """The open touch of this kind at this path, if there is one."""
        return find(self._root, path, kind)

    def close(self) -> None:
        """Abandon the program where it stands; its clean-up code runs, unheard."""
        self._stepper.abandon(ProgramError("the program was abandoned"))

    def _deliver(self, touch: Touch, outcome: Outcome) -> None:
        self._outbox.settle(touch)
        if outcome.failure is not None:
            outcome = outcome._replace(failure=outcome.failure.located(outcome.path))
        self._stepper.wake(touch.scope, outcome)

    def _strike(self, alarm: Touch, outcome: Outcome) -> None:
        self._outbox.settle_alarm(alarm)
        failure = outcome.failure or Failure("timeout", f"timed out after {alarm.text}s")
        alarm.scope.struck = failure.located(outcome.path)
        self._stepper.cancel_scope(alarm.scope)
