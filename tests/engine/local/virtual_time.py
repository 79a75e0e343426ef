"""An event loop whose clock jumps: what would sleep for a minute is awake at once, and in the right order.

Other threads are real, and are given a moment of real time before the clock jumps; while it is `held`, as
much as they need.
"""

from __future__ import annotations

import asyncio
import selectors
from collections.abc import Coroutine, Generator
from contextlib import contextmanager
from typing import Any, TypeVar

T = TypeVar("T")

_MOMENT = 0.002
"""Real seconds that are given to threads before the clock jumps."""


class _Jumping:
    """A selector that jumps to the end of a time-out instead of waiting for it."""

    def __init__(self, real: selectors.BaseSelector) -> None:
        self._real = real
        self.jumped = 0.0
        self.held = 0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        if timeout is None or timeout <= 0 or self.held:
            return self._real.select(timeout)
        ready = self._real.select(min(timeout, _MOMENT))
        if not ready:
            self.jumped += timeout
        return ready

    def __getattr__(self, name: str) -> Any:
        return getattr(self._real, name)


class VirtualLoop(asyncio.SelectorEventLoop):
    """A loop over a clock that jumps."""

    def __init__(self) -> None:
        self._jumping: Any = _Jumping(selectors.DefaultSelector())
        super().__init__(self._jumping)

    def time(self) -> float:
        return super().time() + self._jumping.jumped

    @contextmanager
    def held(self) -> Generator[None]:
        """The clock does not jump meanwhile."""
        self._jumping.held += 1
        try:
            yield
        finally:
            self._jumping.held -= 1


def run(main: Coroutine[Any, Any, T]) -> T:
    """Like `asyncio.run`, in virtual time."""
    with asyncio.Runner(loop_factory=VirtualLoop) as runner:
        return runner.run(main)
