"""Known agents: who can do the steps of a workflow, as far as a check can know.

A script says it alone: whoever it does not name does not exist for a run.  Else it is the folder of agents
that is given, or what the project's `quintet.toml` says.  Without any of these nothing is known, and nothing
of what reads agents is imported.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from functools import lru_cache, wraps
from pathlib import Path
from typing import Any, TypeAlias

import click

SETTINGS = "quintet.toml"

Verb: TypeAlias = Callable[..., Any]


@dataclass(frozen=True, slots=True)
class Where:
    """Where agents are told of; the paths that were given."""

    script: str | None = None
    folder: str | None = None
    config: str | None = None

    @property
    def options(self) -> list[str]:
        """The options that say the same to `quintet check`."""
        if self.script is not None:
            return ["--script", self.script]
        told = (("--agents", self.folder), ("--config", self.config))
        return [part for name, value in told if value is not None for part in (name, value)]

    def known(self, workflow: str) -> Collection[str] | None:
        """The agents for a workflow file, by name and by id; None where that is not known.

        Raises InvalidFile for a script, settings or a manifest with errors.
        """
        if self.script is not None:
            return _scripted(self.script)
        place = _settings_near(Path(workflow)) if self.config is None else Path(self.config)
        return None if place is None and self.folder is None else _told(self.folder, place)


def where_options(verb: Verb) -> Verb:
    """Gives a verb the options that tell of agents, as a Where."""

    @wraps(verb)
    def with_where(*, script: str | None, agents: str | None, config: str | None, **others: Any) -> Any:
        if script is not None and (agents is not None or config is not None):
            option = "--agents" if agents is not None else "--config"
            raise click.UsageError(
                f"--script and {option} exclude each other: a script says alone who exists"
            )
        return verb(where=Where(script, agents, config), **others)

    decorated: Verb = with_where
    for option in reversed(_OPTIONS):
        decorated = option(decorated)
    return decorated


_OPTIONS: list[Callable[[Verb], Verb]] = [
    click.option("--script", metavar="FILE", type=click.Path(), help="A script: the agents it names exist."),
    click.option("--agents", metavar="DIR", type=click.Path(), help="A folder of agents: those exist."),
    click.option("--config", metavar="FILE", type=click.Path(), help=f"Settings in the place of {SETTINGS}."),
]


def _settings_near(workflow: Path) -> Path | None:
    """The settings of the project that a file is in."""
    return next(
        (path for folder in workflow.absolute().parents if (path := folder / SETTINGS).is_file()), None
    )


@lru_cache
def _scripted(path: str) -> Collection[str] | None:
    from quintet.agents.script import ANYONE
    from quintet.agents.script_file import parse
    from quintet.project import read_text

    script = parse(read_text(Path(path)), path)
    return None if script.default_agents or ANYONE in script.agents else frozenset(script.agents)


@lru_cache
def _told(folder: str | None, place: Path | None) -> Collection[str] | None:
    from quintet.agents.roster import Roster
    from quintet.engine.values import encode
    from quintet.project import Settings, manifest_files, manifests, parse_settings, read_text

    settings = Settings() if place is None else parse_settings(read_text(place), str(place))
    if folder is None and place is not None and settings.agents_folder is not None:
        folder = str(place.parent / settings.agents_folder)
    texts = [(f"{place}:agents.{name}.json", encode(table)) for name, table in settings.agents.items()]
    if folder is not None:
        texts += [(str(path), read_text(path)) for path in manifest_files(Path(folder))]
    return Roster(manifests(texts)).names if texts or folder is not None else None
