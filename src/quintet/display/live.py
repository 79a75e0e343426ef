"""Live: shows a run on a terminal while it works.

It hears what is kept and what is said, and draws from that at most ten times a second, in a thread of its
own: neither a slow terminal nor one that is gone holds the run up.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from typing import Self

from quintet.display.items import Item
from quintet.display.outline import outline
from quintet.display.rows import Row, fitted
from quintet.display.speech import kept as kept_speech
from quintet.display.terminal import Terminal
from quintet.display.tree import Screen, drawn
from quintet.drawing.cells import width as cells
from quintet.engine.events import Event
from quintet.engine.paths import Path, without_attempts, write
from quintet.engine.states import Shown
from quintet.record import Run
from quintet.runs.chronicle import Chronicle
from quintet.runs.turns import visible
from quintet.workflow import Graph

Clock = Callable[[], float]

INTERVAL = 0.1
"""Seconds from one picture to the next, at least."""
_SHARE = 0.1
"""Of all time, so much is spent on drawing at most."""
_SILENCES = {"model.answered", "tool.finished", "touch.cancelled"}
"""After these, nothing more comes of what was being said."""
HINT = "Ctrl-C suspends; nothing finished is lost"


class Live:
    """The audience of one run.  Use it as a context manager; when it is over, the final tree stands.

    Args:
        chronicle: What is known of the run so far: empty for a new one.
        terminal: Where it is drawn.
        graph: What is to come, where it is known.
        model: Who answers, and why: for the header.
        store: What `--store` must be told in commands.
        hint: What stands below while it works.
        clock: Seconds since 1970.
    """

    def __init__(
        self,
        chronicle: Chronicle,
        terminal: Terminal,
        graph: Graph | None = None,
        *,
        model: str = "",
        store: str = "",
        hint: str = HINT,
        clock: Clock = time.time,
    ) -> None:
        self._chronicle, self._terminal, self._graph = chronicle, terminal, graph
        self._model, self._store, self._hint, self._clock = model, store, hint, clock
        self._saying: dict[str, str] = {}
        self._told: tuple[Run, Sequence[Item]] | None = None
        self._lock = threading.RLock()
        self._over, self._quiet = threading.Event(), False
        self._drawer: threading.Thread | None = None

    # What it hears

    def kept(self, run_id: str, events: Sequence[Event]) -> None:
        """The log goes on."""
        if run_id != self._chronicle.run_id:
            return
        with self._lock:
            self._chronicle.hear(events)
            self._told = None
            for event in events:
                if event.kind in _SILENCES:
                    self._saying.pop(_speaker(event.path), None)

    def said(self, run_id: str, path: Path, piece: str) -> None:
        """Somebody goes on talking."""
        if run_id == self._chronicle.run_id:
            with self._lock:
                where = _speaker(path)
                self._saying[where] = kept_speech(self._saying.get(where, ""), piece)

    # What it shows

    def start(self) -> None:
        """Draw from now on."""
        self.draw()
        self._drawer = threading.Thread(target=self._keep_drawing, name="quintet-live", daemon=True)
        self._drawer.start()

    def stop(self, status: Shown | None = None) -> None:
        """Draw no more, and leave the final tree; `status` is what people see where the log does not tell."""
        self._over.set()
        if self._drawer is not None:
            self._drawer.join()
            self._drawer = None
        with self._lock:
            self._terminal.leave(self.rows(final=True, status=status))

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    @contextmanager
    def aside(self) -> Generator[None]:
        """Make room for something else on the terminal: a question to the person who is here, say."""
        with self._lock:
            self._terminal.leave()
            self._quiet = True
        try:
            yield
        finally:
            self._quiet = False

    def draw(self) -> None:
        """Show how things stand."""
        with self._lock:
            if not self._quiet:
                self._terminal.draw(self.rows())

    def rows(self, *, final: bool = False, status: Shown | None = None) -> list[Row]:
        """The tree as it stands; the final one as long as it is."""
        with self._lock:
            columns, height = self._terminal.size()
            run, items = self._outline(status)
            foot: list[Row] = [] if final else [(), *_foot(self._hint, columns)]
            room = None if final else max(height - 1 - len(foot), 3)
            tree = drawn(
                run,
                items,
                Screen(columns, room),
                now=self._clock(),
                saying={} if final else self._saying,
                model=self._model,
                store=self._store,
            )
            return [*tree, *foot]

    def _outline(self, status: Shown | None) -> tuple[Run, Sequence[Item]]:
        """The same until something happens."""
        if self._told is None or status is not None:
            run = self._chronicle.run(status)
            self._told = run, outline(run, self._graph)
        return self._told

    def _keep_drawing(self) -> None:
        wait = INTERVAL
        while not self._over.wait(wait):
            began = time.perf_counter()
            self.draw()
            wait = max(INTERVAL, (time.perf_counter() - began) / _SHARE)


def _foot(hint: str, columns: int) -> list[Row]:
    """The hint; where there is little room, what comes first in it."""
    hint = hint if cells(hint) <= columns else hint.partition(";")[0]
    return [fitted((("quiet", hint),), columns)]


def _speaker(path: Path) -> str:
    """The `where` of the step whose touch this is."""
    return write(without_attempts(visible(path[:-1])))
