"""Texts: what a run was made from, beside what is in the files today."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from quintet.cli.screen import say
from quintet.formats.invalid import InvalidFile
from quintet.problems.wording import visible
from quintet.project import read_text
from quintet.runs.pinned import Overrides, Pinned, Text
from quintet.runs.setup import overriding

if TYPE_CHECKING:
    from quintet.cli.manner import Manner


def anchored(pinned: Pinned) -> Pinned:
    """The same with whole paths, so that its files are found from any folder."""
    return replace(
        pinned,
        definition=_anchored(pinned.definition),
        script=None if pinned.script is None else _anchored(pinned.script),
        fake=None if pinned.fake is None else _anchored(pinned.fake),
        agents=[_anchored(text) for text in pinned.agents],
    )


def read_overrides(manner: Manner, file: str | None = None) -> Overrides:
    """What a run goes on with instead of what it began with, as the options say.  Raises InvalidFile."""
    definition = None if file is None else _anchored(Text(file, read_text(Path(file))))
    overrides = overriding(
        definition=definition,
        script=manner.script,
        agents=manner.agents,
        fake=manner.fake,
        record=manner.record,
        config=manner.config,
    )
    return replace(
        overrides,
        script=None if overrides.script is None else _anchored(overrides.script),
        fake=None if overrides.fake is None else _anchored(overrides.fake),
        agents=None if overrides.agents is None else [_anchored(text) for text in overrides.agents],
        models=manner.models,
        budget=manner.budget,
    )


def say_differences(pinned: Pinned | None, overrides: Overrides, *, replaceable: bool = True) -> None:
    """Which files have changed since the run began that it keeps to nevertheless.

    `replaceable` is false where the definition cannot be given anew.
    """
    if pinned is None:
        return
    if overrides.definition is None:
        _say_difference(pinned.definition, "--file" if replaceable else "")
    if overrides.script is None and overrides.fake is None:
        if pinned.script is not None:
            _say_difference(pinned.script, "--script")
        if pinned.fake is not None:
            _say_difference(pinned.fake, "--fake")
    if overrides.agents is None:
        for text in pinned.agents:
            _say_difference(text, "--agents")


def _say_difference(text: Text, option: str) -> None:
    if differs(text):
        say(f"{visible(short_path(text.path))} has changed since the run began, which keeps to what it was")
        if option:
            say(f"  {option} {visible(_given(text.path, option))} takes it as it is now")


def differs(text: Text) -> bool:
    """Whether a file is there and says something else now."""
    try:
        return Path(text.path).is_file() and read_text(Path(text.path)) != text.text
    except (InvalidFile, ValueError):  # ValueError: a NUL in the path
        return False


def _anchored(text: Text) -> Text:
    path = Path(text.path)
    return replace(text, path=str(path.absolute())) if path.is_file() else text


def short_path(path: str | Path) -> str:
    """As short as it can be told here."""
    try:
        return str(Path(path).relative_to(Path.cwd()))
    except ValueError:
        return str(path)


def _given(path: str, option: str) -> str:
    shown = Path(short_path(path))
    if option != "--agents":
        return str(shown)
    return str(shown.parent.parent if shown.name == "agent.toml" else shown.parent)
