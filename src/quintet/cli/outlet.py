"""Outlet: writes lines to a stream in a thread of its own, so that a reader who is slow holds no run up.

A pager that waits for its reader lets a pipe run full; the run goes on, and so does Ctrl-C.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import TextIO


class Outlet:
    """Lines on their way to a stream."""

    def __init__(self, stream: TextIO | None, gone: Callable[[], None] = lambda: None) -> None:
        """`gone` is called, in another thread, when nobody reads on."""
        self._stream, self._gone = stream, gone
        self._lines: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        self._writer = threading.Thread(target=self._write, name="quintet outlet", daemon=True)
        self._writer.start()

    def line(self, text: str) -> None:
        """Write a line, some time soon."""
        self._lines.put(f"{text}\n")

    def close(self) -> None:
        """Return when everything is written."""
        self._lines.put(None)
        self._writer.join()

    def _write(self) -> None:
        if self._stream is None:
            return
        try:
            while (text := self._lines.get()) is not None:
                self._stream.write(text)
                if self._lines.empty():
                    self._stream.flush()
            self._stream.flush()
        except (OSError, ValueError):
            with suppress(RuntimeError):  # the run has ended meanwhile
                self._gone()
