"""The log: events in, events out.

Data that is longer than a limit is stored once by its hash, however many events of however many runs hold it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from hashlib import blake2b
from typing import Any, Final

from quintet.engine.events import (
    HOST_PREFIXES,
    KIND_OF_OUTCOME,
    KIND_OF_START,
    SCHEMA,
    TOUCH_CANCELLED,
    Event,
    Family,
)
from quintet.engine.paths import parse, write
from quintet.engine.states import ENDED, Status, move
from quintet.store.port import NoSuchRun, RunEnded, StoreError
from quintet.store.sqlite.database import Database, Value, damaged

_INSERT: Final = """
    INSERT INTO events (run, seq, time, kind, path, cause, schema, fingerprint, data, payload)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"""
_COLUMNS: Final = """
    seq, time, kind, path, cause,
    coalesce(data, (SELECT content FROM payloads WHERE hash = payload)), fingerprint, position"""


@dataclass(slots=True)
class Tail:
    """The end of a run's log, and what the run has come to there, within one transaction."""

    database: Database
    run_id: str
    run: int
    status: Status
    last: int
    payload_bytes: int

    def add(self, events: Sequence[Event]) -> list[Event]:
        """Add events; gives them with their positions."""
        if not events:
            return []
        self.database.many(_INSERT, [self._row(event) for event in events])
        first = self.database.last_rowid() - len(events) + 1  # nobody else writes in this transaction
        return [Event(*event[:7], position) for position, event in enumerate(events, first)]

    def _row(self, event: Event) -> tuple[Value, ...]:
        seq, time, kind, path, cause, data, fingerprint, _ = event
        if self.status in ENDED:
            raise RunEnded(self.run_id, self.status)
        if seq != self.last + 1:
            raise StoreError(f"event {seq} cannot follow event {self.last} in the log of run {self.run_id}")
        self.last = seq
        if kind.startswith("run."):
            self._move(kind, time)
        inline, payload = self._stored(data)
        return (self.run, seq, time, kind, write(path), cause, SCHEMA, fingerprint, inline, payload)

    def _move(self, kind: str, time: float) -> None:
        """A new status; whoever ends a run has let it go."""
        self.status = move(self.status, kind)
        self.database.run(
            "UPDATE runs SET status = ?, updated = ?, holder = iif(?, NULL, holder) WHERE run = ?",
            *(self.status, time, self.status in ENDED, self.run),
        )

    def _stored(self, data: str) -> tuple[str | None, bytes | None]:
        """The data itself, or the hash under which it is stored."""
        if len(data) * 4 <= self.payload_bytes:  # no character takes more than four bytes
            return data, None
        content = data.encode()
        if len(content) <= self.payload_bytes:
            return data, None
        digest = blake2b(content, digest_size=32).digest()
        self.database.run("INSERT OR IGNORE INTO payloads VALUES (?, ?)", digest, data)
        return None, digest


def read(
    database: Database, run_id: str, after: int, families: frozenset[Family] | None, limit: int | None
) -> list[Event]:
    """The events of a run behind a sequence number."""
    rows = database.rows(
        f"SELECT {_COLUMNS} FROM events"
        f" WHERE run = ? AND seq > ? AND {_condition(families)} ORDER BY seq LIMIT ?",
        find(database, run_id),
        after,
        -1 if limit is None else limit,
    )
    return [_event(database, row) for row in rows]


def last(database: Database, run_id: str) -> Event:
    """The last event of a run."""
    rows = database.rows(
        f"SELECT {_COLUMNS} FROM events WHERE run = ? ORDER BY seq DESC LIMIT 1", find(database, run_id)
    )
    return _event(database, rows[0])


def unfinished(database: Database, run_id: str) -> list[Event]:
    """The starts of a run that nothing at the same path has followed."""
    rows = database.rows(
        "SELECT seq, time, kind, path, cause, fingerprint, position FROM events"
        f" WHERE run = ? AND ({_START} OR {_OUTCOME}) GROUP BY path HAVING count(*) = 1 AND {_BEGINNING}"
        " ORDER BY seq",
        find(database, run_id),
    )
    return [
        Event(seq, time, kind, parse(path), cause, "null", fingerprint, position)
        for seq, time, kind, path, cause, fingerprint, position in rows
    ]


def stream(database: Database, after: int, limit: int) -> list[tuple[str, Event]]:
    """Events of all runs behind a position."""
    rows = database.rows(
        f"SELECT id, {_COLUMNS} FROM events CROSS JOIN runs USING (run)"
        " WHERE position > ? ORDER BY position LIMIT ?",
        after,
        limit,
    )
    return [(run_id, _event(database, row)) for run_id, *row in rows]


def find(database: Database, run_id: str) -> int:
    """The number of a run within this file."""
    run: int | None = database.one("SELECT run FROM runs WHERE id = ?", run_id)
    if run is None:
        raise NoSuchRun(f"there is no run {run_id}")
    return run


def _event(database: Database, row: Sequence[Any]) -> Event:
    seq, time, kind, path, cause, data, fingerprint, position = row
    if data is None:
        raise damaged(database.place, "a payload is missing")
    return Event(seq, time, kind, parse(path), cause, data, fingerprint, position)


@cache
def _condition(families: frozenset[Family] | None) -> str:
    """Which kinds belong to some families, as `engine.events.family` has it."""
    if families is None:
        return "true"
    return f"({' OR '.join(_FAMILIES[family] for family in sorted(families)) or 'false'})"


def _among(kinds: Sequence[str]) -> str:
    return f"kind IN ({', '.join(map(repr, kinds))})"


_OUTCOME = _among([*KIND_OF_OUTCOME])
_BEGINNING = _among([*KIND_OF_START])
_START = _among([*KIND_OF_START, TOUCH_CANCELLED])
_HOST = " OR ".join(f"kind GLOB '{prefix}*'" for prefix in HOST_PREFIXES)
_FAMILIES: dict[Family, str] = {
    "outcome": _OUTCOME,
    "start": _START,
    "host": _HOST,
    "note": f"NOT ({_OUTCOME} OR {_START} OR {_HOST})",
}
