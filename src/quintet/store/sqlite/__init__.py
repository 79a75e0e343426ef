"""The store in one SQLite file, on apsw, which brings its own current SQLite.

One thread writes and one reads, each with its own connection, so that a long read delays no commit.
`store` is the face that implements the port; what it does with the tables is in the modules beside it,
as plain functions over a `Database`.
"""

from quintet.store.sqlite.store import SqliteStore

__all__ = ["SqliteStore"]
