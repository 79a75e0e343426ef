"""Equipping: what it takes to work on a run, made anew from the texts that the run was made from."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache

from quintet.agents.calls import Read
from quintet.agents.manifest import Manifest
from quintet.agents.roster import Roster
from quintet.agents.standins import StandIns
from quintet.engine.created import Created
from quintet.engine.events import Event
from quintet.engine.failures import EngineError
from quintet.engine.local.equipment import Asker, Audience, Equip, Equipment, Performers
from quintet.engine.paths import Path
from quintet.engine.programs import Program
from quintet.formats.invalid import InvalidFile
from quintet.formats.registry import load
from quintet.project import manifests
from quintet.runs.pinned import NOTHING, Overrides, Pinned, Text
from quintet.runs.scripts import script_of
from quintet.workflow import Workflow
from quintet.workflow import program_of as runnable


class NoAgents(EngineError):
    """Nobody here can answer for the agents of a run."""

    code = "no-agents"

    def __init__(self) -> None:
        super().__init__(
            "nobody answers for the agents here: give a script with stand-ins (`--script FILE`, or `script=`)"
        )


class NotOurs(EngineError):
    """A run that says nothing of a workflow: it was started by other means."""

    code = "not-ours"


def equipping(
    read: Read,
    *,
    overrides: Overrides = NOTHING,
    audience: Audience | None = None,
    ask: Asker | None = None,
) -> Equip:
    """How to equip a run, given what it is to go on with and who watches.

    Args:
        read: Reads the starts and outcomes of a run's log.
        overrides: What it goes on with instead of what it began with.
        audience: Who is shown what happens.
        ask: The person who is here.
    """

    def equip(created: Created) -> Equipment:
        pinned = Pinned.from_json(created.pinned)
        if pinned is None:
            raise NotOurs("the run does not say which workflow it is of")
        program, pinned = program_of(pinned), pinned.overridden(overrides)
        standins = stand_ins(pinned, read)
        watched = _Audience(standins.hear, audience)
        performers = Performers(model=standins.model, tool=standins.tool, ask=ask, audience=watched)
        return Equipment(program, performers, overridden=overrides.to_json())

    return equip


def stand_ins(pinned: Pinned, read: Read) -> StandIns:
    """Who answers for the agents of a run.  Raises NoAgents."""
    if pinned.script is None:
        raise NoAgents
    return StandIns(script_of(pinned.script), roster_of(pinned), read, pinned.earlier)


def program_of(pinned: Pinned) -> Program:
    """What a run does."""
    return runnable(workflow_of(pinned.definition, pinned.format, pinned.lenient))


@lru_cache(maxsize=64)
def workflow_of(text: Text, format: str, lenient: bool) -> Workflow:  # noqa: A002 - the word that users know
    """The workflow that a text defines.  Raises InvalidFile."""
    checked = load(text.text, text.path, format=format, lenient=lenient)
    if checked.workflow is None:
        raise InvalidFile(checked.problems)
    return checked.workflow


def roster_of(pinned: Pinned) -> Roster:
    """The agents that are defined for a run."""
    return _roster(tuple(pinned.agents))


@lru_cache(maxsize=64)
def _roster(texts: tuple[Text, ...]) -> Roster:
    found: list[Manifest] = manifests((text.path, text.text) for text in texts)
    return Roster(found)


class _Audience:
    """The stand-ins, who count, and whoever else watches."""

    def __init__(self, hear: Callable[[Sequence[Event]], None], other: Audience | None) -> None:
        self._hear = hear
        self._other = other

    def kept(self, run_id: str, events: Sequence[Event]) -> None:
        self._hear(events)
        if self._other is not None:
            self._other.kept(run_id, events)

    def said(self, run_id: str, path: Path, piece: str) -> None:
        if self._other is not None:
            self._other.said(run_id, path, piece)
