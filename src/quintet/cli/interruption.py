"""Interruption: Ctrl-C, a terminal that is closed, a system that shuts down.

Once: the runs are suspended, which loses nothing.  Twice: they are let go at once.  A third time, or where
the store does not answer, the process just ends: what is kept is kept even then.
"""

from __future__ import annotations

import asyncio
import os
import signal
import threading
from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING, Any, Final, Self

if TYPE_CHECKING:
    from types import FrameType

    from quintet.runs.workshop import Workshop

INTERRUPTED: Final = 130
GRACE: Final = 0.5
"""Seconds in which what is under way may still end."""
PATIENCE: Final = 2.0
"""Seconds until the process ends, whether or not the runs could be let go."""
_SIGNALS: Final = ("SIGINT", "SIGTERM", "SIGHUP")


class Interruption:
    """Hears signals while it is entered; a signal that was to be ignored from the start stays ignored."""

    def __init__(self, workshop: Workshop) -> None:
        self._workshop = workshop
        self._loop = asyncio.get_running_loop()
        self._heard = 0
        self._tasks: set[asyncio.Task[None]] = set()
        self._last: threading.Timer | None = None
        """Ends the process."""
        self._before: dict[signal.Signals, Any] = {}

    def __enter__(self) -> Self:
        if threading.current_thread() is threading.main_thread():
            for name in _SIGNALS:
                self._listen(name)
        return self

    def __exit__(self, *_: object) -> None:
        if self._last is not None:
            self._last.cancel()
        for number, before in self._before.items():
            signal.signal(number, before)

    async def settle(self) -> None:
        """A run has begun: let it go again if we were told to stop meanwhile."""
        if self._heard:
            await self._workshop.suspend()

    def suspend(self) -> None:
        """Let all runs go, as the first signal does; may be called from another thread."""
        self._heard = max(self._heard, 1)
        self._loop.call_soon_threadsafe(self._do, self._workshop.suspend, GRACE)

    def _listen(self, name: str) -> None:
        number: signal.Signals | None = getattr(signal, name, None)
        if number is None or signal.getsignal(number) == signal.SIG_IGN:  # of nohup, say
            return
        self._before[number] = signal.signal(number, self._hear)

    def _hear(self, number: int, frame: FrameType | None) -> None:
        self._heard += 1
        if self._heard == 1:
            self.suspend()
        elif self._heard == 2:
            self._loop.call_soon_threadsafe(self._do, self._workshop.abort)
            self._last = threading.Timer(PATIENCE, os._exit, (INTERRUPTED,))
            self._last.daemon = True
            self._last.start()
        else:
            os._exit(INTERRUPTED)

    def _do(self, what: Callable[..., Coroutine[Any, Any, None]], *arguments: float) -> None:
        task = self._loop.create_task(what(*arguments))
        self._tasks.add(task)
        task.add_done_callback(self._done)

    def _done(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled():
            task.exception()  # whoever waits for the run is told of it
