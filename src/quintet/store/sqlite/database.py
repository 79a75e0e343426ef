"""One connection to the file: statements in, typed rows out, and what its errors mean to people.

Every statement is executed by itself: of a text with several, apsw runs only the first until somebody
fetches.  Rows are `Any` here and nowhere else; the functions over a `Database` say what is in them.
"""

from __future__ import annotations

import errno
from collections.abc import Callable, Iterable, Iterator
from functools import wraps
from random import random
from time import monotonic, sleep
from typing import Any, Concatenate, ParamSpec, TypeAlias, TypeVar

import apsw

from quintet.store.port import StoreBusy, StoreDamaged, StoreError, StoreFull, StoreOptions

P = ParamSpec("P")
T = TypeVar("T")
Value: TypeAlias = "None | int | float | str | bytes"
Row: TypeAlias = tuple[Any, ...]

_NO_SPACE = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
_WAL_BYTES = 64 * 1024 * 1024


def _told(method: Callable[Concatenate[Database, P], T]) -> Callable[Concatenate[Database, P], T]:
    """Say trouble with the file in the port's words."""

    @wraps(method)
    def telling(self: Database, *args: P.args, **kwargs: P.kwargs) -> T:
        try:
            return method(self, *args, **kwargs)
        except (apsw.Error, UnicodeError) as error:
            raise self.explained(error) from error

    return telling


class Database:
    """A connection, used by one thread at a time."""

    def __init__(self, place: str, options: StoreOptions, *, create: bool = True) -> None:
        uri = apsw.SQLITE_OPEN_URI if place.startswith("file:/") else 0
        self.place = "the store in memory" if uri else place
        flags = uri | apsw.SQLITE_OPEN_READWRITE | (apsw.SQLITE_OPEN_CREATE if create else 0)
        try:
            # `Any`, as apsw's own types name a protocol that Python 3.11 does not have.
            self._connection: Any = apsw.Connection(place, flags)
        except apsw.Error:
            raise StoreError(
                f"cannot open {place}: does its folder exist, and may you write there?"
            ) from None
        self._connection.set_busy_timeout(round(options.busy_seconds * 1000))

    @_told
    def rows(self, sql: str, *values: Value) -> list[Row]:
        return self._connection.execute(sql, values).fetchall()

    def each(self, sql: str, *values: Value) -> Iterator[Row]:
        """Rows one by one, for who may stop early."""
        try:
            yield from self._connection.execute(sql, values)
        except (apsw.Error, UnicodeError) as error:
            raise self.explained(error) from error

    @_told
    def row(self, sql: str, *values: Value) -> Row | None:
        return self._connection.execute(sql, values).fetchone()

    def one(self, sql: str, *values: Value) -> Any:
        """The only column of the first row; None if there is none."""
        row = self.row(sql, *values)
        return row and row[0]

    @_told
    def run(self, sql: str, *values: Value) -> int:
        """How many rows were changed."""
        self._connection.execute(sql, values)
        return self._connection.changes()

    @_told
    def many(self, sql: str, rows: Iterable[tuple[Value, ...]]) -> None:
        self._connection.executemany(sql, rows)

    def last_rowid(self) -> int:
        return self._connection.last_insert_rowid()

    @_told
    def pragma(self, name: str) -> Any:
        return self._connection.pragma(name)

    @_told
    def set_pragma(self, name: str, value: Value) -> Any:
        """What it is from now on, where SQLite tells: not every wish is granted."""
        return self._connection.pragma(name, value)

    @property
    def writable(self) -> bool:
        return not self._connection.readonly("main")

    @property
    def in_transaction(self) -> bool:
        return self._connection.in_transaction

    def given_up(self) -> StoreError:
        """What to say where SQLite has ended the whole transaction, as it does when the disk is full."""
        return StoreError(f"{self.place} gave the transaction up; what was kept is safe: try again")

    def rollback(self) -> None:
        """End the transaction, if SQLite has not done so itself."""
        if self._connection.in_transaction:
            self.run("ROLLBACK")

    @_told
    def copy_from(self, source: Database) -> None:
        """Become a copy of another, in one step: as it is at one moment."""
        with self._connection.backup("main", source._connection, "main") as backup:
            backup.step()

    @_told
    def close(self) -> None:
        self._connection.close()

    def __enter__(self) -> Database:
        return self

    def __exit__(self, *trouble: object) -> None:
        self.close()

    def explained(self, error: apsw.Error | UnicodeError) -> StoreError:
        """The same trouble in the port's words."""
        place = self.place
        match error:
            case apsw.BusyError() | apsw.LockedError():
                return StoreBusy(
                    f"{place} is locked by another program; nothing was changed: try again later"
                )
            case apsw.FullError():
                return _full(place)
            case apsw.IOError() | apsw.CantOpenError() if self._connection.system_errno in _NO_SPACE:
                return _full(place)
            case UnicodeEncodeError():
                return StoreError(f"a name holds half a surrogate pair, which is no text ({error}): mend it")
            case apsw.CorruptError() | apsw.NotADBError() | UnicodeError():  # what was written was UTF-8
                return damaged(place, str(error))
            case apsw.IOError():
                return StoreError(f"the disk failed under {place} ({error}): check the disk, then try again")
            case apsw.ReadOnlyError() | apsw.PermissionsError() | apsw.CantOpenError():
                return StoreError(f"{place} cannot be written ({error}): check its permissions")
            case _:
                return StoreError(f"{place}: {error}")


def damaged(place: str, why: str) -> StoreDamaged:
    return StoreDamaged(
        f"{place} is damaged, or no store at all ({why}): stop working on it, keep a copy of it,"
        " and go back to a backup"
    )


def _full(place: str) -> StoreFull:
    return StoreFull(f"no space is left for {place}; what was kept is safe: make room, then try again")


def set_journal(database: Database, options: StoreOptions) -> None:
    """Readers go on while somebody writes, and a commit is one write to the journal's end."""
    mode = _write_ahead(database, monotonic() + options.busy_seconds)
    if mode not in ("wal", "memory"):
        raise StoreError(f"{database.place} is on a disk without shared memory ({mode}): choose a local disk")
    database.set_pragma("journal_size_limit", _WAL_BYTES)
    database.set_pragma("synchronous", options.durability)
    database.set_pragma("fullfsync", options.durability == "full")  # macOS: the disk's own cache, too


def _write_ahead(database: Database, until: float) -> Any:
    """Where several switch a new file at once, SQLite tells all but one that it is busy, without waiting."""
    while True:
        try:
            return database.set_pragma("journal_mode", "wal")
        except StoreBusy:
            if monotonic() > until:
                raise
            sleep(random() / 100)


def open_reading(place: str, options: StoreOptions) -> Database:
    """A connection that cannot change the file, nor make one."""
    database = Database(place, options, create=False)
    database.set_pragma("query_only", True)
    return database
