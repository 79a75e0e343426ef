"""The journal: what a run is about to add to its log, and what it has added.

Rows gather here until the host appends them, each with the time at which it came about.  Starts and notes
follow from outcomes, so when a program is started again they come out again, in the same order: the first
`written` of them are in the log already and are dropped.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from quintet.engine.events import Event
from quintet.engine.paths import Path
from quintet.engine.redaction import Redactor
from quintet.engine.states import Status, move
from quintet.engine.touches import Outcome
from quintet.engine.values import Json, encode


class Row(NamedTuple):
    """An event that has no place in the log yet."""

    time: float
    kind: str
    path: Path
    cause: int
    data: str
    fingerprint: str | None = None
    outcome: Outcome | None = None


class Addition(NamedTuple):
    """What is to be appended to a log in one piece."""

    events: Sequence[Event]
    requests: Sequence[int]
    """The requests from outside that these events settle."""


class Journal:
    """The end of a run's log."""

    def __init__(self, redactor: Redactor, *, seq: int, written: int, now: float) -> None:
        self.status: Status = "none"
        self.seq = seq
        """The place of the last event that is kept."""
        self.time = now
        """Now, as the log has it: it never runs backwards there."""
        self.outcomes = 0
        """How many of the waiting rows are outcomes."""
        self._redactor = redactor
        self.written = written
        """How many starts and notes the log holds that the program has not given again yet."""
        self._waiting: list[Row] = []
        self._requests: list[int] = []
        self._flushed: list[Row] = []
        self._flushed_requests: list[int] = []

    def __len__(self) -> int:
        return len(self._waiting)

    def tick(self, now: float) -> None:
        """Time goes on; a clock that was put back is waited for."""
        self.time = max(self.time, now)

    def replayed(self, event: Event) -> None:
        """The log holds this outcome or host event."""
        self.status = move(self.status, event.kind)

    def follow(self, kind: str, path: Path, cause: int, data: str, fingerprint: str | None = None) -> None:
        """A start or a note came out of the program; if the log holds it, it is not written again."""
        if self.written:
            self.written -= 1
        else:
            self._waiting.append(Row(self.time, kind, path, cause, self._redactor.encoded(data), fingerprint))

    def outcome(self, kind: str, outcome: Outcome, fingerprint: str, data: str) -> None:
        """Something was settled."""
        self.outcomes += 1
        self._waiting.append(Row(self.time, kind, outcome.path, 0, data, fingerprint, outcome))

    def host(self, kind: str, data: Json = None, path: Path = ()) -> None:
        """The host decided something."""
        self._waiting.append(Row(self.time, kind, path, 0, encode(self._redactor.value(data))))

    def host_first(self, kind: str, data: Json = None) -> None:
        """The host decided something that goes before all that waits, which a replay has given just now."""
        rows = [row._replace(time=self.time) for row in self._waiting]
        self._waiting = [Row(self.time, kind, (), 0, encode(self._redactor.value(data))), *rows]

    def settle_request(self, request: int) -> None:
        """Whatever is appended next settles a request from outside; 0 is none."""
        if request:
            self._requests.append(request)

    def flush(self) -> Addition:
        """The rows that wait, as the next events of the log."""
        self._flushed, self._waiting, self.outcomes = self._waiting, [], 0
        self._flushed_requests, self._requests = self._requests, []
        events = [self._event(seq, row) for seq, row in enumerate(self._flushed, self.seq + 1)]
        return Addition(events, self._flushed_requests)

    def next(self, kind: str, path: Path, fingerprint: str) -> Event:
        """An event right behind those that were flushed, but for its data."""
        seq = self.seq + len(self._flushed) + 1
        return Event(seq, self.time, kind, path, 0, "null", fingerprint)

    def kept(self) -> list[Outcome]:
        """What was flushed is in the log: the outcomes among it, for the program."""
        rows, self._flushed = self._flushed, []
        outcomes: list[Outcome] = []
        for row in rows:
            self.seq += 1
            self.status = move(self.status, row.kind)
            if row.outcome is not None:
                path, kind, value, failure, time, _, asked = row.outcome
                outcomes.append(Outcome(path, kind, value, failure, time, self.seq, asked))
        return outcomes

    def kept_next(self) -> None:
        """The event of `next` is in the log, too."""
        self.seq += 1

    def put_back(self) -> None:
        """What was flushed was not kept: it waits again, before all others."""
        self._waiting = self._flushed + self._waiting
        self._requests = self._flushed_requests + self._requests
        self.outcomes = sum(row.outcome is not None for row in self._waiting)
        self._flushed = []

    def _event(self, seq: int, row: Row) -> Event:
        return Event(seq, *row[:6])
