"""The shelf: named values that outlive runs, changed only within the transaction of an effect.

Names are kept as JSON, as the values are: any string can be one, half a surrogate pair too.
"""

from __future__ import annotations

from typing import cast

from quintet.engine.values import Json, decode, encode
from quintet.store.sqlite.database import Database

_THERE = "namespace = ? AND (expires IS NULL OR expires > ?)"


class SqliteShelf:
    """The shelf as it is at one moment."""

    def __init__(self, database: Database, now: float) -> None:
        self._database = database
        self._now = now

    def get(self, namespace: str, key: str) -> Json:
        text = self._database.one(
            f"SELECT value FROM shelf WHERE {_THERE} AND key = ?", encode(namespace), self._now, encode(key)
        )
        return None if text is None else decode(text)

    def put(self, namespace: str, key: str, value: Json, *, expires: float | None = None) -> None:
        self._database.run(
            "INSERT OR REPLACE INTO shelf VALUES (?, ?, ?, ?)",
            *(encode(namespace), encode(key), encode(value), expires),
        )

    def put_new(self, namespace: str, key: str, value: Json, *, expires: float | None = None) -> bool:
        taken = self._database.one(
            f"SELECT true FROM shelf WHERE {_THERE} AND key = ?", encode(namespace), self._now, encode(key)
        )
        if not taken:
            self.put(namespace, key, value, expires=expires)
        return not taken

    def delete(self, namespace: str, key: str) -> bool:
        deleted = self._database.run(
            f"DELETE FROM shelf WHERE {_THERE} AND key = ?", encode(namespace), self._now, encode(key)
        )
        return deleted > 0

    def keys(self, namespace: str) -> list[str]:
        rows = self._database.rows(f"SELECT key FROM shelf WHERE {_THERE}", encode(namespace), self._now)
        return sorted(cast(str, decode(key)) for (key,) in rows)
