"""Telling: an audience that tells what it hears of a run to whoever sends traces.

It is told of a run from where the work on it begins here; what the log holds from before it reads first.
Nothing that goes wrong in it is of any concern to the run.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Sequence
from typing import Final, Protocol, TypeAlias

from quintet.engine.events import Event
from quintet.engine.paths import Path
from quintet.engine.performing import RESTART
from quintet.tracing.measures import FIRST_CHUNK
from quintet.tracing.span import Span
from quintet.tracing.trace import SCRIPT, Planned, Trace

Read: TypeAlias = Callable[[str], Awaitable[Sequence[Event]]]
"""Reads the log of a run."""

_OVER: Final = ("run.paused", "run.completed", "run.failed", "run.cancelled")
"""With one of these the work on a run is over, for now or for good."""

logger: Final = logging.getLogger("quintet.tracing")


class Teller(Protocol):
    """Who makes spans of one run known."""

    def begin(self, span: Span) -> None: ...
    def end(self, span: Span) -> None: ...
    def drop(self, span: Span) -> None: ...
    def let_go(self, status: str) -> None:
        """Nobody works on the run here any more; `status` is what people see."""
        ...


class Telling:
    """The audience of one run, as long as it is worked on here."""

    def __init__(
        self, planned: Planned, teller: Callable[[str], Teller], read: Read, at_work: set[Telling]
    ) -> None:
        """Make ready.

        Args:
            planned: Which model is to be asked for an agent.
            teller: Who makes the spans of a run known, given its id.
            read: Reads what the log holds from before.
            at_work: Those that have something to tell; this one is in it for as long.
        """
        self._planned = planned
        self._make = teller
        self._read = read
        self._at_work = at_work
        self._trace: Trace | None = None
        self._teller: Teller | None = None
        self._early: list[Event] = []
        self._reading: asyncio.Task[None] | None = None
        self._first: dict[Path, float] = {}
        """When the first piece of an answer came."""
        self._is_broken = False

    def kept(self, run_id: str, events: Sequence[Event]) -> None:
        if self._is_broken:
            return
        self._at_work.add(self)
        try:
            self._kept(run_id, events)
        except Exception as error:  # a run goes on without being told of
            self._break(error)

    def said(self, run_id: str, path: Path, piece: str) -> None:
        if piece == RESTART:
            self._first.pop(path, None)
        else:
            self._first.setdefault(path, time.time())

    async def finish(self) -> None:
        """All has been heard; what still runs is let go."""
        if self._reading is not None:
            await asyncio.wait([self._reading])
        self._let_go("interrupted")

    def _kept(self, run_id: str, events: Sequence[Event]) -> None:
        if self._trace is not None:
            self._hear(self._trace, events)
        elif self._reading is not None:
            self._early += events
        elif events[0].seq == 1:
            self._trace = Trace(run_id, self._planned)
            self._hear(self._trace, events)
        else:
            self._early += events
            self._reading = asyncio.get_running_loop().create_task(self._catch_up(run_id))

    async def _catch_up(self, run_id: str) -> None:
        """The log from before; its end says that the run goes on, and is the first that was heard."""
        try:
            known = self._early[0].seq + (self._early[0].kind == "run.resumed")
            trace = Trace(run_id, self._planned)
            for event in await self._read(run_id):
                if event.seq < known:
                    list(trace.hear(event))
            for span in trace.open:
                self._told(run_id).begin(span)
            self._trace = trace
            self._hear(trace, [event for event in self._early if event.seq >= known])
        except Exception as error:  # as in `kept`
            self._break(error)
        self._early.clear()

    def _hear(self, trace: Trace, events: Sequence[Event]) -> None:
        teller = self._told(trace.run_id)
        for event in events:
            for move, span in trace.hear(event):
                match move:
                    case "begun":
                        teller.begin(span)
                    case "ended":
                        self._time(span)
                        teller.end(span)
                    case "dropped":
                        teller.drop(span)
            if event.kind in _OVER:
                self._let_go(event.kind.removeprefix("run."))

    def _let_go(self, status: str) -> None:
        self._at_work.discard(self)
        if self._teller is not None:
            self._teller.let_go(status)

    def _told(self, run_id: str) -> Teller:
        if self._teller is None:
            self._teller = self._make(run_id)
        return self._teller

    def _time(self, span: Span) -> None:
        first = self._first.pop(span.path, None)
        if first is not None and span.subject != SCRIPT:
            span.attributes["gen_ai.request.stream"] = True
            span.attributes[FIRST_CHUNK] = max(first - span.start, 0.0)

    def _break(self, error: Exception) -> None:
        self._is_broken = True
        self._let_go("interrupted")
        logger.warning("this run is not traced any further: %s: %s", type(error).__name__, error)
