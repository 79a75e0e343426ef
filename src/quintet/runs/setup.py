"""Setup: what a run is started with besides its workflow, read from files once and pinned."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from pathlib import Path
from typing import TypeAlias

from quintet.engine.values import encode
from quintet.project import Settings, find, manifest_files, parse_settings, read_text
from quintet.runs.cassettes import cassette_text
from quintet.runs.models import settings_json
from quintet.runs.pinned import Overrides, Text
from quintet.runs.scripts import ScriptLike, script_text

FolderLike: TypeAlias = "str | PathLike[str]"


def agent_texts(folder: FolderLike) -> tuple[Text, ...]:
    """The manifests in a folder.  Raises InvalidFile."""
    return tuple(Text(str(path), read_text(path)) for path in manifest_files(Path(folder)))


def settings_for(config: FolderLike | None, near: str | None) -> tuple[Settings, Path | None]:
    """The project's settings: of a file, or of the one found upward.  Raises InvalidFile."""
    path = Path(config) if config is not None else find(Path(near)) if near else None
    return (Settings(), None) if path is None else (parse_settings(read_text(path), str(path)), path)


def all_agents(settings: Settings, place: Path | None, folder: FolderLike | None) -> tuple[Text, ...]:
    """The agents of a project: those of the folder that is given, or else of the settings, and its tables."""
    if folder is None and settings.agents_folder is not None and place is not None:
        folder = place.parent / settings.agents_folder
    tables = [Text(f"{place}:agents.{name}.json", encode(table)) for name, table in settings.agents.items()]
    return (*tables, *(agent_texts(folder) if folder is not None else ()))


def overriding(
    *,
    definition: Text | None = None,
    script: ScriptLike | None = None,
    agents: FolderLike | None = None,
    fake: FolderLike | None = None,
    record: FolderLike | None = None,
    config: FolderLike | None = None,
) -> Overrides:
    """What a run goes on with instead of what it began with.  Raises InvalidFile."""
    return Overrides(
        definition,
        None if script is None else script_text(script),
        None if agents is None else agent_texts(agents),
        fake=None if fake is None else cassette_text(fake),
        record=None if record is None else str(Path(record).absolute()),
        settings=None if config is None else settings_json(*settings_for(config, None)),
    )


def names(texts: Sequence[Text]) -> frozenset[str]:
    """All that the agents of manifests can be referred to by."""
    from quintet.agents.roster import Roster
    from quintet.project import manifests

    return Roster(manifests((text.path, text.text) for text in texts)).names
