"""The list of runs: a cache of their logs, and who works on them."""

from __future__ import annotations

from itertools import islice

from quintet.engine.values import decode
from quintet.store.holders import Holder
from quintet.store.port import NoSuchRun, RunFilter, RunRow
from quintet.store.sqlite.database import Database, Row, Value
from quintet.store.sqlite.leases import Leases
from quintet.store.sqlite.log import find

_SELECT = "SELECT id, workflow, format, origin, parent, status, created, updated, holder FROM runs WHERE"


def one(database: Database, leases: Leases, run_id: str) -> RunRow:
    """One line of the list."""
    row = database.row(f"{_SELECT} id = ?", run_id)
    if row is None:
        raise NoSuchRun(f"there is no run {run_id}")
    return _run(row, _holders(database, leases))


def some(database: Database, leases: Leases, which: RunFilter) -> list[RunRow]:
    """The newest runs that a filter lets through."""
    holders = _holders(database, leases)
    wanted = _wanted(database, which)
    conditions = " AND ".join(["true", *wanted])
    rows = database.each(f"{_SELECT} {conditions} ORDER BY run DESC", *wanted.values())
    runs = (_run(row, holders) for row in rows)
    return list(islice((run for run in runs if which.status in (None, run.shown)), which.limit))


def _wanted(database: Database, which: RunFilter) -> dict[str, Value]:
    """What can be asked of the table; whether a run is interrupted is seen from its holder only."""
    wanted: dict[str, Value] = {}
    if which.status == "interrupted":
        wanted["status IN ('created', ?)"] = "running"
    elif which.status:
        wanted["status = ?"] = which.status
    if which.format:
        wanted["format = ?"] = which.format
    if which.workflow:
        wanted["workflow = ?"] = which.workflow
    if which.before:
        wanted["run < ?"] = find(database, which.before)
    return wanted


def _holders(database: Database, leases: Leases) -> dict[str, tuple[Holder, bool]]:
    """All holders, each looked up once."""
    holders: dict[str, tuple[Holder, bool]] = {}
    for key, process, seen in database.rows("SELECT id, process, seen FROM holders"):
        holder = Holder.from_json(decode(process))
        holders[key] = holder, leases.sees_at_work(holder, seen)
    return holders


def _run(row: Row, holders: dict[str, tuple[Holder, bool]]) -> RunRow:
    run_id, workflow, format_, origin, parent, status, created, updated, key = row
    holder, alive = holders.get(key, (None, False))
    return RunRow(run_id, workflow, format_, origin, parent, status, created, updated, holder, alive)
