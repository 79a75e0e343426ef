"""Backup: a copy of the store as it is at one moment, made while others read and write."""

from __future__ import annotations

import uuid
from contextlib import suppress
from pathlib import Path

from quintet.store.port import StoreError, StoreOptions
from quintet.store.sqlite.database import Database, damaged, open_reading


def copy(place: str, target: Path, options: StoreOptions) -> None:
    """Copy to a file that does not exist yet.  It has its name only once it is complete."""
    part = target.with_name(f"{target.name}.{uuid.uuid4().hex}.part")
    try:
        if target.exists():
            raise StoreError(f"{target} exists already: choose a new name for the backup")
        _copy(place, part, options)
        part.rename(target)
    except OSError as error:
        raise StoreError(f"cannot make {target}: {error.strerror}") from error
    finally:
        for rest in ("", "-journal", "-wal", "-shm"):  # of a copy that was not completed
            with suppress(OSError):
                Path(f"{part}{rest}").unlink()


def _copy(place: str, part: Path, options: StoreOptions) -> None:
    with open_reading(place, options) as source, Database(str(part), options) as target:
        target.copy_from(source)
        if (found := target.one("PRAGMA quick_check(1)")) != "ok":  # no copy is better than a bad one
            raise damaged(source.place, found)
        _let_go(target)


def _let_go(database: Database) -> None:
    """Nobody works on the runs of a copy, whoever works on those of the original."""
    database.run("BEGIN IMMEDIATE")
    database.run("UPDATE runs SET holder = NULL WHERE holder IS NOT NULL")
    database.run("DELETE FROM holders")
    database.run("COMMIT")
