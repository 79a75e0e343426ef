"""The project: what `quintet.toml` says, found upward from the workflow file.

agents_folder = "agents"            # where agents are defined, one `agent.toml` each
store = "sqlite:///runs.db"         # where runs are kept

[agents.writer]                     # agents of the project itself, as `agent.toml` has them
description = "writes"
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from quintet.agents.manifest import Manifest, parse, read_agent
from quintet.agents.models.settings import KEYS as MODEL_KEYS
from quintet.agents.models.settings import ModelSettings, read_settings
from quintet.engine.values import Json
from quintet.formats.codes import CANNOT_READ, CONTROL_CHARACTER, DUPLICATE_KEY, NOT_UTF_8, TOO_LARGE
from quintet.formats.invalid import InvalidFile
from quintet.formats.limits import LIMITS, Limits
from quintet.formats.positions import Text
from quintet.formats.report import Report
from quintet.formats.shape import TEXT, Key, OrNull, Schema, Shape, Wrong, wrong_type
from quintet.formats.source import read, read_file
from quintet.formats.tree import Map, Span, Value, plain
from quintet.problems.problem import Problem, has_errors
from quintet.tracing.settings import TRACING, TracingSettings, read_tracing

FILE: Final = "quintet.toml"
_MANIFEST: Final = "agent.toml"


@dataclass(frozen=True, slots=True)
class Settings:
    """What a project says."""

    agents_folder: str | None = None
    store: str | None = None
    agents: Mapping[str, Json] = field(default_factory=dict[str, Json])
    """The tables of agents, by name; all valid."""
    models: ModelSettings = field(default_factory=ModelSettings)
    """What it says of models and what they may cost."""
    tracing: TracingSettings = field(default_factory=TracingSettings)
    """Where traces are sent."""


class _Agents:
    """Tables of agents by name."""

    def read(self, value: Value, name: str, report: Report) -> Mapping[str, Json]:
        if not isinstance(value, Map):
            raise wrong_type(value, name, "a table of agents", report)
        for own, entry in value.entries.items():
            read_agent(entry.value, report, own)
        return {own: _named(own, entry.value) for own, entry in value.entries.items()}

    def schema(self) -> Schema:
        return {"type": "object"}


def _named(name: str, value: Value) -> Json:
    table = plain(value)
    return {"name": name, **table} if isinstance(table, Mapping) else table


_FOLDER: Key[str | None] = Key("agents_folder", OrNull(TEXT), None, "Where agents are defined.")
_STORE: Key[str | None] = Key("store", OrNull(TEXT), None, "Where runs are kept.")
_AGENTS: Key[Mapping[str, Json]] = Key("agents", _Agents(), {}, "Agents of the project, by name.")
SETTINGS: Final = Shape("a project", (_FOLDER, _STORE, _AGENTS, *MODEL_KEYS, TRACING))
"""Everything that `quintet.toml` may say."""


def find(start: Path) -> Path | None:
    """The settings of the project that a file belongs to."""
    for folder in start.absolute().parents:
        if (folder / FILE).is_file():
            return folder / FILE
    return None


def parse_settings(text: str, path: str = FILE) -> Settings:
    """What settings say.  Raises InvalidFile."""
    reading = read(text, path, otherwise="toml")
    report = reading.report
    if reading.root is None or not text.strip():
        if text.strip():
            raise InvalidFile(report.problems)
        return Settings()
    try:
        fields = SETTINGS.read(reading.root, "the project", report)
        models = read_settings(fields, report)
        tracing = read_tracing(fields, report)
    except Wrong:
        raise InvalidFile(report.problems) from None
    if has_errors(report.problems):
        raise InvalidFile(report.problems)
    return Settings(fields[_FOLDER], fields[_STORE], fields[_AGENTS], models, tracing)


def read_text(path: Path, limits: Limits = LIMITS) -> str:
    """The text of a file that is to be pinned.  Raises InvalidFile where it cannot be read."""
    reading = read_file(path, limits)
    cannot = [problem for problem in reading.report.problems if problem.code in _UNREADABLE]
    if cannot:
        raise InvalidFile(cannot)
    return reading.report.text.text


_UNREADABLE = (CANNOT_READ, NOT_UTF_8, TOO_LARGE, CONTROL_CHARACTER)


# Agents in a folder


def manifest_files(folder: Path) -> Sequence[Path]:
    """The manifests in a folder: `NAME/agent.toml`, or any `.toml` of its own.  Raises InvalidFile."""
    if not folder.is_dir():
        report = Report(Text("", str(folder)))
        report.add(CANNOT_READ, "there is no such folder of agents", Span(0, 0))
        raise InvalidFile(report.problems)
    nested = (path for own in folder.iterdir() if os.path.lexists(path := own / _MANIFEST))
    own = (path for path in folder.glob("*.toml") if path.name != FILE)
    return sorted((*nested, *own))


def manifests(texts: Iterable[tuple[str, str]]) -> list[Manifest]:
    """The agents of manifests, given by path and text.  Raises InvalidFile with all that is wrong."""
    found: dict[str, Manifest] = {}
    problems: list[Problem] = []
    for path, text in texts:
        try:
            manifest = parse(text, path)
        except InvalidFile as invalid:
            problems += invalid.problems
            continue
        if manifest.name in found:
            problems += _twice(manifest.name, path, text)
        found[manifest.name] = manifest
    if problems:
        raise InvalidFile(problems)
    return list(found.values())


def _twice(name: str, path: str, text: str) -> Iterator[Problem]:
    report = Report(Text(text, path))
    at = max(text.find("name"), 0)
    report.add(DUPLICATE_KEY, f"there is another agent {name!r}", Span(at, at + 4))
    yield from report.problems


# Where things are kept


def home() -> Path:
    """The user's data folder: `QUINTET_HOME`, or where the system keeps such things."""
    named = os.environ.get("QUINTET_HOME")
    if named:
        return Path(named)
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Application Support" / "quintet"
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", Path.home())) / "quintet"
    return Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share") / "quintet"


_SCHEME: Final = "sqlite:///"
_NAME: Final = "quintet.db"


class WrongStore(ValueError):
    """No store can be at this address."""


def store_place(address: str | None) -> str:
    """The file that a store's address names: `sqlite:///PATH`, `:memory:`, or a path; None is the default."""
    if address is None:
        return str(home() / _NAME)
    if address == ":memory:":
        return address
    path = address.removeprefix(_SCHEME)
    if "://" in path or not path:
        raise WrongStore(f"a store is {_SCHEME}PATH or :memory:, not {address!r}")
    if path == ":memory:":
        return path
    return str(Path(path) / _NAME) if Path(path).is_dir() else path
