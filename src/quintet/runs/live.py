"""LiveRun: a run that is being worked on here, to be watched and waited for."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass
from pathlib import Path as FilePath
from typing import TypeAlias

from quintet.engine.events import Event as LogEvent
from quintet.engine.local.crew import Run as Working
from quintet.engine.local.equipment import Audience
from quintet.engine.paths import Path, display, without_attempts, write
from quintet.engine.reports import Report
from quintet.engine.values import Json, decode
from quintet.record import Run
from quintet.runs.chronicle import Chronicle

Record: TypeAlias = Callable[[], Awaitable[FilePath]]
"""Records a run; gives the file."""
PIECE = "text.said"
"""The kind of what is shown of an answer while it comes: such an event is in no log and has no number."""


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened in a run."""

    run_id: str
    kind: str
    path: str
    """Where, as people read it."""
    data: Json
    time: float = 0.0
    seq: int = 0
    """Its place in the run's log; 0 for what is in none."""
    position: int = 0
    """Its place in the stream of all runs, where that is known."""
    where: str = ""
    """The exact path, as the log writes it."""

    def to_json(self) -> dict[str, Json]:
        """What `--events` prints."""
        shown: dict[str, Json] = {
            "run_id": self.run_id,
            "kind": self.kind,
            "path": self.path,
            "data": self.data,
        }
        return {**shown, "seq": self.seq, "time": self.time} if self.seq else shown

    @classmethod
    def of(cls, run_id: str, event: LogEvent) -> Event:
        """An event of a log."""
        path = display(event.path)
        where = write(event.path)
        data = decode(event.data)
        return cls(run_id, event.kind, path, data, event.time, event.seq, event.position, where)


class Watch:
    """Hears what happens to one run, and tells whoever wants to know."""

    def __init__(self, audience: Audience | None = None) -> None:
        self._audience = audience
        self.chronicle: Chronicle | None = None
        self.backlog: deque[Event] | None = deque()
        """What happened before anybody listened; None once nobody will."""
        self.listeners: list[asyncio.Queue[Event | None]] = []
        self._early: list[LogEvent] = []
        """What came before the log so far was known."""
        self._unbegun: dict[Path, list[Event]] = {}
        """Pieces of what was said before the log told of its beginning, which may come a moment late."""
        self._begun: set[Path] = set()
        self._seq = 0

    def begin(self, run_id: str, history: Sequence[LogEvent] = ()) -> None:
        """The log so far is known."""
        self.chronicle = Chronicle(run_id)
        self._hear(history)
        self._hear(self._early)  # what the history has already is passed over
        self._early.clear()

    def kept(self, run_id: str, events: Sequence[LogEvent]) -> None:
        if self.chronicle is not None:
            self._hear(events)
        elif events[0].seq == 1:
            self.begin(run_id, events)
        else:
            self._early += events
        if self._audience is not None:
            self._audience.kept(run_id, events)
        if self._is_heard:
            for event in events:
                self._tell(Event.of(run_id, event))
                self._begin_or_end(event)

    def _begin_or_end(self, event: LogEvent) -> None:
        """What a model says is told between its request and its answer."""
        if event.kind == "model.requested":
            self._begun.add(event.path)
            for piece in self._unbegun.pop(event.path, ()):
                self._tell(piece)
        elif event.kind in ("model.answered", "touch.cancelled"):
            self._begun.discard(event.path)
            self._unbegun.pop(event.path, None)

    def said(self, run_id: str, path: Path, piece: str) -> None:
        if self._audience is not None:
            self._audience.said(run_id, path, piece)
        if not self._is_heard:
            return
        scope = without_attempts(path[:-1])
        said = Event(run_id, PIECE, display(scope), piece, where=write(scope))
        if path in self._begun:
            self._tell(said)
        elif self.listeners or self.backlog is not None:
            self._unbegun.setdefault(path, []).append(said)

    @property
    def _is_heard(self) -> bool:
        """Whether anybody listens, or may still come to."""
        return bool(self.listeners) or self.backlog is not None

    def end(self) -> None:
        """Nothing more happens here."""
        for listener in self.listeners:
            listener.put_nowait(None)

    def _hear(self, events: Sequence[LogEvent]) -> None:
        assert self.chronicle is not None
        new = [event for event in events if event.seq > self._seq]
        if new:
            self._seq = new[-1].seq
            self.chronicle.hear(new)

    def _tell(self, event: Event) -> None:
        if self.listeners:
            for listener in self.listeners:
                listener.put_nowait(event)
        elif self.backlog is not None:
            self.backlog.append(event)


class LiveRun:
    """A run that is being worked on here.

    async for event in live:    # as it happens
        print(event.kind, event.path)
    run = await live            # how it ended, or that it waits for a person
    """

    def __init__(self, working: Working, watch: Watch, record: Record | None = None) -> None:
        """`record` is done when the run has ended or waits for a person."""
        self.id = working.id
        self.recorded: FilePath | None = None
        """The file that the run was recorded in."""
        self._record = record
        self.changed: Sequence[str] = tuple(dict.fromkeys(display(path[:-1]) for path in working.changed))
        """Steps that a fork has taken over although they ask something else now."""
        self._watch = watch
        self._task = asyncio.create_task(self._attend(working))
        self._task.add_done_callback(lambda task: task.cancelled() or task.exception())

    @property
    def run(self) -> Run:
        """The run as it stands."""
        assert self._watch.chronicle is not None
        return self._watch.chronicle.run()

    @property
    def chronicle(self) -> Chronicle:
        assert self._watch.chronicle is not None
        return self._watch.chronicle

    async def wait(self) -> Run:
        """Until it ends, waits for a person, or is let go.  Raises EngineError where it cannot go on."""
        if not self._watch.listeners:
            self._watch.backlog = None
        await asyncio.wait([self._task])
        report = self._task.result()
        return self.chronicle.run("interrupted" if report.status == "interrupted" else None)

    def __await__(self):
        return self.wait().__await__()

    async def __aiter__(self) -> AsyncIterator[Event]:
        """Everything that happens, from the beginning of the work on it for the first who listens."""
        queue: asyncio.Queue[Event | None] = asyncio.Queue()
        for event in self._watch.backlog or ():
            queue.put_nowait(event)
        self._watch.backlog = None
        if self._task.done():
            queue.put_nowait(None)
        else:
            self._watch.listeners.append(queue)
        try:
            while (event := await queue.get()) is not None:
                yield event
        finally:
            if queue in self._watch.listeners:
                self._watch.listeners.remove(queue)

    async def _attend(self, working: Working) -> Report:
        try:
            report = await working.wait()
            if self._record is not None and report.status != "interrupted":
                self.recorded = await self._record()
            return report
        finally:
            self._watch.end()
