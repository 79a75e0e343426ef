"""Retention: forgetting runs that ended long ago, and what only they needed."""

from __future__ import annotations

from quintet.engine.states import ENDED
from quintet.store.port import Pruned
from quintet.store.sqlite.database import Database

_ENDED = f"status IN ({', '.join(map(repr, sorted(ENDED)))}) AND updated < ?"


def candidates(database: Database, ended_before: float, limit: int | None) -> list[int]:
    """The runs that may be forgotten, oldest first."""
    rows = database.rows(
        f"SELECT run FROM runs WHERE {_ENDED} ORDER BY updated LIMIT ?",
        ended_before,
        -1 if limit is None else limit,
    )
    return [run for (run,) in rows]


def forget(database: Database, run: int, ended_before: float) -> Pruned:
    """Forget one run: its events, its requests, and payloads that no other run needs."""
    if not database.run(f"DELETE FROM runs WHERE run = ? AND {_ENDED}", run, ended_before):
        return Pruned()  # somebody else has forgotten it
    payloads = database.rows("SELECT DISTINCT payload FROM events WHERE run = ? AND payload IS NOT NULL", run)
    last = database.one("SELECT max(position) FROM events")
    events = database.run("DELETE FROM events WHERE run = ?", run)
    _keep_position(database, last)
    database.run("DELETE FROM requests WHERE run = ?", run)
    return Pruned(1, events, sum(_forget_payload(database, payload) for (payload,) in payloads))


def sweep(database: Database, now: float) -> None:
    """Take away what belongs to nobody: entries of the shelf that expired, holders that hold nothing."""
    database.run("DELETE FROM shelf WHERE expires <= ?", now)
    database.run("DELETE FROM holders WHERE id NOT IN (SELECT holder FROM runs WHERE holder IS NOT NULL)")


def _forget_payload(database: Database, payload: bytes) -> int:
    return database.run(
        "DELETE FROM payloads WHERE hash = ? AND NOT EXISTS (SELECT true FROM events WHERE payload = hash)",
        payload,
    )


def _keep_position(database: Database, last: int) -> None:
    """See to it that no position is ever given twice.

    SQLite gives a new row the highest position plus one.  If the highest is forgotten, a row of nobody's
    (run 0) keeps its place; which costs less than remembering the highest position at every append.
    """
    database.run(
        "INSERT OR IGNORE INTO events (position, run, seq, time, kind, path, cause, schema)"
        " VALUES (?1, 0, ?1, 0, '', '', 0, 0)",
        last,
    )
    database.run("DELETE FROM events WHERE run = 0 AND position < (SELECT max(position) FROM events)")
