"""Findings: what `quintet doctor` looks at, one after the other.  Looking changes nothing."""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeAlias

from quintet import __version__
from quintet.cli.checklist import Entry, State
from quintet.cli.choice import choices, installed
from quintet.cli.refusal import Refusal
from quintet.cli.stores import Place, place_of
from quintet.display.rows import shown
from quintet.problems.wording import counted

if TYPE_CHECKING:
    from quintet.engine.values import Json

Topic: TypeAlias = Literal["versions", "project", "store", "models"]

_PACKAGES = ("pydantic-ai-slim", "openai", "anthropic", "google-genai", "xllamacpp")
"""What may be there or not; each kind of model takes its own."""


@dataclass(frozen=True, slots=True)
class Finding(Entry):
    """Something that was looked at, and what it belongs to."""

    topic: Topic = "versions"

    def to_json(self) -> Json:
        told: dict[str, Json] = {"topic": self.topic, "name": self.name, "state": self.state}
        return {**told, "text": self.text, "to_do": self.to_do or None}


def findings(environment: Mapping[str, str] = os.environ) -> Sequence[Finding]:
    """All that there is to say."""
    looks: Mapping[Topic, Iterable[Entry]] = {
        "versions": _versions(),
        "project": _project(),
        "store": _store(),
        "models": _models(choices(environment)),
    }
    return [
        Finding(entry.name, entry.state, entry.text, entry.to_do, topic)
        for topic, entries in looks.items()
        for entry in entries
    ]


def _versions() -> Iterator[Entry]:
    import apsw

    yield Entry("quintet", "ready", __version__)
    yield Entry("Python", "ready", f"{platform.python_version()} in {sys.prefix}")
    yield Entry("SQLite", "ready", f"{apsw.sqlite_lib_version()} of apsw {apsw.apsw_version()}")
    for package in _PACKAGES:
        version = installed(package)
        yield Entry(package, "missing" if version is None else "ready", version or "not installed")


def _project() -> Iterator[Entry]:
    from quintet.formats.invalid import InvalidFile
    from quintet.project import FILE, find, parse_settings, read_text

    path = find(Path("here"))
    if path is None:
        yield Entry("settings", "missing", f"no {FILE} here or above")
        return
    try:
        parse_settings(read_text(path), str(path))
    except InvalidFile as invalid:
        first = invalid.problems[0]
        text = f"{path}:{first.place.line}:{first.place.column}: {first.message}"
        yield Entry("settings", "wrong", shown(text), f"mend {path}")
    else:
        yield Entry("settings", "ready", str(path))


def _store() -> Iterator[Entry]:
    from quintet.formats.invalid import InvalidFile
    from quintet.store.port import StoreError

    try:
        place = place_of(None)
    except InvalidFile:
        return  # said of the settings
    except Refusal as refusal:
        yield Entry("place", "wrong", refusal.message, refusal.hint)
        return
    yield Entry("place", "ready", place.path if place.keeps else "in memory: nothing is kept")
    if not place.exists:
        yield Entry("runs", "missing", "none yet; the store is made by the first run")
        return
    try:
        yield from _content(place)
    except (StoreError, OSError) as error:
        yield Entry("content", "wrong", shown(str(error)), _mending(place))


def _content(place: Place) -> Iterator[Entry]:
    """What is in the file.  Raises StoreError."""
    from quintet.store.port import StoreOptions
    from quintet.store.sqlite.database import Database
    from quintet.store.sqlite.schema import MIGRATIONS, check

    database = Database(place.path, StoreOptions(), create=False)
    try:
        schema = check(database)
        known = len(MIGRATIONS)
        about = "as this release has it" if schema == known else f"is brought to {known} by the next run"
        yield Entry("schema", "ready", f"{schema}, {about}")
        if schema:
            runs: int = database.one("SELECT count(*) FROM runs")
            size = Path(place.path).stat().st_size / 1e6
            yield Entry("runs", "ready", f"{counted(runs, 'run')} in {size:,.1f} MB")
        told: str = database.one("PRAGMA quick_check(1)")
        state: State = "ready" if told == "ok" else "wrong"
        text = "every page was read and is sound" if told == "ok" else shown(told)
        yield Entry("integrity", state, text, "" if told == "ok" else _mending(place))
        if not database.writable:
            yield Entry("writing", "wrong", "the file can only be read", f"chmod u+w {place.path}")
    finally:
        database.close()


def _mending(place: Place) -> str:
    return f"put a backup in the place of {place.path}, or name another store: --store"


def _models(found: Sequence[Entry]) -> Iterator[Entry]:
    """What can be asked and what is wrong; of providers without a key, only how many there are."""
    told = [choice for choice in found if choice.state != "missing" or choice.to_do]
    yield from told
    without = len(found) - len(told)
    if without:
        text = f"{counted(without, 'provider')} without a key"
        yield Entry("others", "missing", text, "quintet model list")
    if not any(choice.state == "ready" for choice in found):
        yield Entry("any", "incomplete", "no model can be asked", "quintet model install")
