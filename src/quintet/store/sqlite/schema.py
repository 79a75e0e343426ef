"""The tables, as the ordered list of migrations that made them.

A migration is never changed once released; a new one is added at the end.  The file says of itself whose it
is (`application_id`) and how many migrations it has seen (`user_version`).  A file that has seen more than
this release knows is refused before anything in it is touched.

Foreign keys are not declared: every reference is made in the transaction that proves it, and checking
again would cost a look-up for each event.
"""

from __future__ import annotations

from typing import NamedTuple

from quintet.store.port import StoreError, StoreNewer
from quintet.store.sqlite.database import Database

APPLICATION_ID = 0x51756E74  # "Qunt"

# One statement, as another process may be making the tables meanwhile.
_SEEN = "SELECT * FROM pragma_application_id, pragma_user_version, (SELECT count(*) FROM sqlite_schema)"


class Migration(NamedTuple):
    """One step from an older shape of the tables to the next."""

    name: str
    statements: tuple[str, ...]


MIGRATIONS: tuple[Migration, ...] = (
    Migration(
        "the first tables",
        (
            """CREATE TABLE migrations (
                number INTEGER PRIMARY KEY,
                name TEXT NOT NULL,
                applied REAL NOT NULL
            ) STRICT""",
            """CREATE TABLE holders (
                id TEXT PRIMARY KEY,
                process TEXT NOT NULL, -- what it takes to look it up, as JSON
                seen REAL NOT NULL     -- its latest sign of life
            ) STRICT, WITHOUT ROWID""",
            # A cache of what the log says, and who may add to it.  `run` is in the order of creation.
            """CREATE TABLE runs (
                run INTEGER PRIMARY KEY,
                id TEXT NOT NULL UNIQUE,
                workflow TEXT NOT NULL,
                format TEXT NOT NULL,
                origin TEXT NOT NULL,
                parent TEXT,
                status TEXT NOT NULL,
                created REAL NOT NULL,
                updated REAL NOT NULL,
                epoch INTEGER NOT NULL,
                holder TEXT
            ) STRICT""",
            "CREATE INDEX runs_by_status ON runs(status)",
            "CREATE INDEX runs_by_holder ON runs(holder) WHERE holder IS NOT NULL",
            # Where `data` is NULL, `payload` is the hash of it.  Run 0 is nobody's: see `retention`.
            """CREATE TABLE events (
                position INTEGER PRIMARY KEY,
                run INTEGER NOT NULL,
                seq INTEGER NOT NULL,
                time REAL NOT NULL,
                kind TEXT NOT NULL,
                path TEXT NOT NULL,
                cause INTEGER NOT NULL,
                schema INTEGER NOT NULL,
                fingerprint TEXT,
                data TEXT,
                payload BLOB
            ) STRICT""",
            "CREATE UNIQUE INDEX events_by_run ON events(run, seq)",
            "CREATE INDEX events_by_payload ON events(payload) WHERE payload IS NOT NULL",
            "CREATE TABLE payloads (hash BLOB PRIMARY KEY, content TEXT NOT NULL) STRICT",
            # `state`: 0 waiting, 1 taken, 2 refused.  A refused request leaves its place to the next one.
            """CREATE TABLE requests (
                id INTEGER PRIMARY KEY AUTOINCREMENT,
                run INTEGER NOT NULL,
                verb TEXT NOT NULL,
                target TEXT NOT NULL,
                data TEXT NOT NULL,
                by TEXT NOT NULL,
                state INTEGER NOT NULL DEFAULT 0
            ) STRICT""",
            "CREATE UNIQUE INDEX requests_by_target ON requests(run, verb, target) WHERE state < 2",
            "CREATE INDEX requests_by_run ON requests(run)",
            "CREATE INDEX requests_waiting ON requests(run) WHERE state = 0",
            """CREATE TABLE shelf (
                namespace TEXT NOT NULL,
                key TEXT NOT NULL,
                value TEXT NOT NULL,
                expires REAL,
                PRIMARY KEY (namespace, key)
            ) STRICT, WITHOUT ROWID""",
            "CREATE INDEX shelf_by_expiry ON shelf(expires) WHERE expires IS NOT NULL",
        ),
    ),
)


def prepare(database: Database, now: float) -> None:
    """Bring the tables to the shape that this release knows; if it raises, close the database."""
    if check(database) == len(MIGRATIONS):
        return
    database.run("BEGIN IMMEDIATE")
    for number in range(check(database), len(MIGRATIONS)):
        _migrate(database, number, now)
    database.run("COMMIT")


def check(database: Database) -> int:
    """How many migrations the file has seen.  Raises if it is not ours, or newer than this release."""
    row = database.row(_SEEN)
    assert row is not None
    owner, version, tables = row
    if owner != APPLICATION_ID and (owner or version or tables):
        raise StoreError(f"{database.place} is a database of another program: choose another file")
    if version > len(MIGRATIONS):
        raise StoreNewer(
            f"{database.place} was written by a newer release of Quintet (schema {version};"
            f" this release knows {len(MIGRATIONS)}): use that release"
        )
    return version


def _migrate(database: Database, number: int, now: float) -> None:
    name, statements = MIGRATIONS[number]
    for statement in statements:
        database.run(statement)
    database.run("INSERT INTO migrations VALUES (?, ?, ?)", number + 1, name, now)
    database.set_pragma("application_id", APPLICATION_ID)
    database.set_pragma("user_version", number + 1)
