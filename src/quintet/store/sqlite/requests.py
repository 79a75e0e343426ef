"""Requests: what anybody may ask of a run from outside, kept until its holder turns it into events."""

from __future__ import annotations

from dataclasses import replace

from quintet.engine.states import ENDED
from quintet.engine.values import decode, encode
from quintet.store.port import AlreadyDecided, NoSuchRun, Request, RunEnded, StoreError
from quintet.store.sqlite.database import Database, Row
from quintet.store.sqlite.log import find

_COLUMNS = "runs.id, verb, target, data, by, requests.id"
_SELECT = f"SELECT {_COLUMNS} FROM requests CROSS JOIN runs USING (run) WHERE"
_WAITING = f"""
    SELECT {_COLUMNS} FROM requests INDEXED BY requests_waiting CROSS JOIN runs USING (run)
    WHERE state = 0 AND"""


def hand_in(database: Database, request: Request) -> Request:
    """Keep a request, unless the same was decided before: an answer is told so even of a run that ended."""
    row = database.row("SELECT run, status FROM runs WHERE id = ?", request.run_id)
    if row is None:
        raise NoSuchRun(f"there is no run {request.run_id}")
    run, status = row
    target = request.target if request.verb == "answer" else ""  # a run is cancelled once
    first = _first(database, run, request.verb, target)
    if status in ENDED and not (first and request.verb == "answer"):
        raise RunEnded(request.run_id, status)
    if first:
        raise AlreadyDecided(first)
    database.run(
        "INSERT INTO requests (run, verb, target, data, by) VALUES (?, ?, ?, ?, ?)",
        *(run, request.verb, target, encode(request.data), request.by),
    )
    return replace(request, target=target, id=database.last_rowid())


def answer_to(database: Database, run_id: str, target: str) -> Request | None:
    """The answer that was handed in first, whether it waits or was taken."""
    return _first(database, find(database, run_id), "answer", target)


def waiting(database: Database, run_id: str) -> list[Request]:
    """The requests of a run that nobody has taken."""
    rows = database.rows(f"{_WAITING} run = ? ORDER BY requests.id", find(database, run_id))
    return [_request(row) for row in rows]


def waiting_for(database: Database, holder: str) -> list[Request]:
    """The requests of all runs of a holder.  Where nothing waits, that is one look at an empty index."""
    rows = database.rows(f"{_WAITING} holder = ? ORDER BY requests.id", holder)
    return [_request(row) for row in rows]


def take(database: Database, run: int, request_id: int) -> None:
    """Settle a request, in the transaction of its events."""
    if not database.run(
        "UPDATE requests SET state = 1 WHERE id = ? AND run = ? AND state = 0", request_id, run
    ):
        raise StoreError(f"request {request_id} does not wait for this run: it was taken or refused before")


def refuse_all(database: Database, run: int) -> None:
    """Put aside whatever still waits for a run that ends: nobody will take it."""
    database.run("UPDATE requests SET state = 2 WHERE run = ? AND state = 0", run)


def refuse(database: Database, request_id: int) -> None:
    """Put a request aside; its place is free for another."""
    database.run("UPDATE requests SET state = 2 WHERE id = ? AND state = 0", request_id)


def _first(database: Database, run: int, verb: str, target: str) -> Request | None:
    row = database.row(f"{_SELECT} run = ? AND verb = ? AND target = ? AND state < 2", run, verb, target)
    return _request(row) if row else None


def _request(row: Row) -> Request:
    run_id, verb, target, data, by, request_id = row
    return Request(run_id, verb, target, decode(data), by, request_id)
