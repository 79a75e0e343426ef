"""Known agents: who can do the steps of a workflow, as far as a check can know.

A script says who exists: whoever it does not name does not, for a run.  Else it is the folder of agents that
is given, or what the project's `quintet.toml` says; beside a script, these tell the ids of whom it names.
Without any of these nothing is known, and nothing of what reads agents is imported.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from functools import lru_cache, wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import click

if TYPE_CHECKING:
    from quintet.agents.roster import Roster

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
        """What a command must be told to know the same."""
        told = (("--script", self.script), ("--agents", self.folder), ("--config", self.config))
        return [part for name, value in told if value is not None for part in (name, value)]

    def known(self, workflow: str) -> Collection[str] | None:
        """The agents for a workflow file, by name and by id; None where that is not known.

        Raises InvalidFile for a script, settings or a manifest with errors.
        """
        place = _settings_near(Path(workflow)) if self.config is None else Path(self.config)
        roster = None if place is None and self.folder is None else _told(self.folder, place, Path.cwd())
        if self.script is None:
            return None if roster is None else roster.names
        scripted = _scripted(self.script, Path.cwd())
        return scripted if roster is None or scripted is None else scripted | roster.ids_of(scripted)


def where_options(verb: Verb) -> Verb:
    """Gives a verb the options that tell of agents, as a Where."""

    @wraps(verb)
    def with_where(*, script: str | None, agents: str | None, config: str | None, **others: Any) -> Any:
        return verb(where=Where(script, agents, config), **others)

    decorated: Verb = with_where
    for option in reversed(_OPTIONS):
        decorated = option(decorated)
    return decorated


_OPTIONS: list[Callable[[Verb], Verb]] = [
    click.option(
        "--script", metavar="FILE", type=click.Path(), help="A script: only the agents it names exist."
    ),
    click.option("--agents", metavar="DIR", type=click.Path(), help="A folder of agents: those exist."),
    click.option("--config", metavar="FILE", type=click.Path(), help=f"Settings in the place of {SETTINGS}."),
]


def _settings_near(workflow: Path) -> Path | None:
    """The settings of the project that a file is in."""
    return next(
        (path for folder in workflow.absolute().parents if (path := folder / SETTINGS).is_file()), None
    )


@lru_cache
def _scripted(path: str, here: Path) -> frozenset[str] | None:  # a path means something else elsewhere
    from quintet.agents.script import ANYONE
    from quintet.agents.script_file import parse
    from quintet.project import read_text

    script = parse(read_text(Path(path)), path)
    return None if script.default_agents or ANYONE in script.agents else frozenset(script.agents)


@lru_cache
def _told(folder: str | None, place: Path | None, here: Path) -> Roster | None:
    from quintet.agents.roster import Roster
    from quintet.project import manifests
    from quintet.runs.setup import all_agents, settings_for

    settings, at = settings_for(place, None)
    texts = all_agents(settings, at, folder)
    if not texts and folder is None and settings.agents_folder is None:
        return None
    return Roster(manifests((text.path, text.text) for text in texts))
