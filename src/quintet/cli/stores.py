"""Stores: where runs are kept, as a call says it, or the project, or else the user's folder.

The project of `run` is the one that its workflow file belongs to; of all other verbs it is the one around the
current folder.  Whoever prints a command to go on with adds `--store` where that would look elsewhere.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click

from quintet.cli.refusal import Refusal
from quintet.cli.screen import say
from quintet.problems.wording import visible

if TYPE_CHECKING:
    from quintet.engine.local.equipment import Audience
    from quintet.project import Settings
    from quintet.runs.workshop import Workshop

Durability = Literal["full", "normal"]

_PREFIX = "sqlite:///"

store_option = click.option(
    "--store",
    metavar="URL",
    help="Where runs are kept: sqlite:///PATH, or :memory: which keeps nothing.  [default: what quintet.toml"
    " says, else a file in the user's data folder]",
)


@dataclass(frozen=True, slots=True)
class Place:
    """Where a store is."""

    path: str
    """The file, or `:memory:`."""
    address: str
    """The same as it is written for `--store`."""
    told: str = ""
    """What `--store` has to say in commands to go on with."""
    chosen: bool = False
    """Whether somebody has named it."""

    @property
    def keeps(self) -> bool:
        """Whether anything can be found there later."""
        return self.path != ":memory:"

    @property
    def exists(self) -> bool:
        return self.keeps and Path(self.path).exists()

    def found_empty(self) -> bool:
        """Whether nothing was ever kept there.  If somebody has named it that is told: it may be misspelt."""
        if not self.keeps or self.exists:
            return False
        if self.chosen:
            say(f"there is no store at {visible(self.path)}: no run was kept there")
        return True

    @asynccontextmanager
    async def open(
        self, durability: Durability = "full", audience: Audience | None = None
    ) -> AsyncGenerator[Workshop]:
        """Open it; it is made if it is not there."""
        from quintet.runs.workshop import Workshop

        async with Workshop.open(self.address, durability=durability, audience=audience) as workshop:
            yield workshop

    @asynccontextmanager
    async def open_kept(
        self, durability: Durability = "full", audience: Audience | None = None
    ) -> AsyncGenerator[Workshop]:
        """Open it to work with what it has: one that is not there has nothing."""
        if not self.keeps:
            raise Refusal("a store in memory ends with its run: there is nothing in it")
        if not self.exists:
            raise Refusal(f"there is no store at {self.path}: no run was kept there")
        async with self.open(durability, audience) as workshop:
            yield workshop


def place_of(store: str | None, workflow: Path | None = None, config: str | None = None) -> Place:
    """The store that a call means; `workflow` is the file whose project is asked.  Raises InvalidFile."""
    if store is not None:
        return _place(store, told=store, chosen=True)
    here = _in_project(Path("here"), None)
    address = here if workflow is None and config is None else _in_project(workflow, config)
    told = "" if address == here else address or _default()
    return _place(address, told=told, chosen=address is not None)


def _place(address: str | None, *, told: str, chosen: bool) -> Place:
    from quintet.project import WrongStore, store_place

    try:
        path = store_place(address)
    except WrongStore as wrong:
        raise Refusal(str(wrong)) from None
    return Place(path, address or _default(), told, chosen)


def _default() -> str:
    from quintet.project import store_place

    return f"{_PREFIX}{store_place(None)}"


def _in_project(workflow: Path | None, config: str | None) -> str | None:
    """What the settings of a project say; a path in them is meant from their folder."""
    settings, at = _settings(workflow, config)
    if settings.store is None or at is None or settings.store == ":memory:" or "://" in _path(settings.store):
        return settings.store
    return f"{_PREFIX}{at.absolute().parent / _path(settings.store)}"


def _path(address: str) -> str:
    return address.removeprefix(_PREFIX)


def _settings(workflow: Path | None, config: str | None) -> tuple[Settings, Path | None]:
    from quintet.project import Settings, find, parse_settings, read_text

    at = Path(config) if config is not None else None if workflow is None else find(workflow)
    return (Settings(), None) if at is None else (parse_settings(read_text(at), str(at)), at)
