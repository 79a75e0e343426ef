"""Equipping: what it takes to work on a run, made anew from the texts that the run was made from."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Final, cast

from quintet.agents.conversations import Read, sessions
from quintet.agents.models.choice import Candidate
from quintet.agents.models.port import Ask, Said
from quintet.agents.models.reach import Reach
from quintet.agents.playing import Players
from quintet.agents.sessions import EARLIER
from quintet.agents.speakers import Speakers
from quintet.agents.standins import StandIns
from quintet.engine.created import Created
from quintet.engine.events import OUTCOMES, TOUCH_CANCELLED, Event
from quintet.engine.failures import EngineError, Failed, Failure
from quintet.engine.local.equipment import Asker, Audience, Equip, Equipment, Performer, Performers
from quintet.engine.paths import Path
from quintet.engine.performing import RESTART, Call
from quintet.engine.programs import Program
from quintet.engine.redaction import Redactor, Veil
from quintet.engine.rules import Rules
from quintet.engine.values import Json
from quintet.runs.cassettes import cassette_of
from quintet.runs.definitions import workflow_of
from quintet.runs.models import (
    budgets_of,
    certain_reach_of,
    choices_of,
    planned_of,
    project_of,
    reach_of,
    roster_of,
    secrets_of,
)
from quintet.runs.pinned import NOTHING, Overrides, Pinned
from quintet.runs.scripts import script_of
from quintet.tracing.destination import environment_secrets
from quintet.tracing.tracers import Tracers
from quintet.workflow import program_of as runnable


class NotOurs(EngineError):
    """A run that says nothing of a workflow: it was started by other means."""

    code = "not-ours"


def equipping(
    read: Read,
    read_all: Read,
    *,
    overrides: Overrides = NOTHING,
    audience: Audience | None = None,
    ask: Asker | None = None,
    tracers: Tracers | None = None,
) -> Equip:
    """How to equip a run, given what it is to go on with and who watches.

    Args:
        read: Reads the starts and outcomes of a run's log.
        read_all: Reads all of it.
        overrides: What it goes on with instead of what it began with.
        audience: Who is shown what happens.
        ask: The person who is here.
        tracers: Who tells of the run elsewhere, if the project wants that.
    """

    def equip(created: Created) -> Equipment:
        pinned = Pinned.from_json(created.pinned)
        if pinned is None:
            raise NotOurs("the run does not say which workflow it is of")
        program, pinned = program_of(pinned), pinned.overridden(overrides)
        who = answerers(pinned, read, read_all)
        tracing = project_of(pinned).tracing
        redactor = Redactor((*who.secrets, *tracing.secrets, *environment_secrets(os.environ)))
        traced = tracers and tracers.audience(tracing, planned_of(pinned), read_all)
        others = [one for one in (audience, traced) if one is not None]
        watched = _Audience(who.hear, others, redactor)
        performers = Performers(
            model=who.model, tool=who.tool, effects=who.effects, ask=ask, audience=watched
        )
        rules = Rules(ledgers=budgets_of(pinned), redactor=redactor)
        return Equipment(program, performers, rules, overridden=overrides.to_json())

    return equip


@dataclass(frozen=True, slots=True)
class Answerers:
    """Who answers for the agents of a run, and for their tools."""

    model: Performer
    tool: Performer
    hear: Callable[[Sequence[Event]], None]
    """Is told what was added to the log."""
    effects: Mapping[str, Performer] = field(default_factory=dict[str, Performer])
    secrets: Collection[str] = ()
    """What they know that must never be shown."""


def answerers(pinned: Pinned, read: Read, read_all: Read) -> Answerers:
    """Stand-ins, where the run has a script; a cassette, where it has one; else real models."""
    effects = {EARLIER: partial(earlier_sessions, read_all)}
    if pinned.fake is not None:
        secrets = frozenset(secrets_of(reach_of(pinned), roster_of(pinned)))
        players = Players(cassette_of(pinned.fake), roster_of(pinned), read_all, Redactor(secrets))
        played = {name: partial(_recorded, players, perform) for name, perform in effects.items()}
        return Answerers(players.model, players.tool, players.hear, played, secrets)
    if pinned.script is not None:
        standins = StandIns(script_of(pinned.script), roster_of(pinned), read, pinned.earlier)
        return Answerers(standins.model, standins.tool, standins.hear, effects)
    reach = certain_reach_of(pinned)
    speakers = Speakers(roster_of(pinned), choices_of(pinned), partial(_ask, reach), read)
    return Answerers(
        speakers.model, no_tool, speakers.hear, effects, frozenset(secrets_of(reach, roster_of(pinned)))
    )


async def _recorded(players: Players, perform: Performer, call: Call) -> Json:
    """What is on the cassette; what is not is looked up here, which asks no model and no tool."""
    found = await players.service(call)
    return await perform(call) if found is None else found


async def _ask(reach: Reach, candidate: Candidate, ask: Ask, call: Call) -> Said:
    """Ask a model through what is open in this event loop."""
    from quintet.agents.models.ports import open_ports

    async with open_ports() as ports:
        return await ports.ask(candidate, reach, ask, call)


async def no_tool(call: Call) -> Json:
    """There are no tools but those that stand-ins have."""
    name = cast("Mapping[str, str]", call.request)["tool"]
    raise Failed(Failure("tool", f"there is no tool {name!r}", definite=True))


async def earlier_sessions(read: Read, call: Call) -> Json:
    """The sessions of the run that this one continues, with all that was said in them."""
    run_id = cast("Mapping[str, str]", call.request)["run"]
    ended = sessions(await read(run_id))
    said: dict[str, Json] = {
        name: {"head": end.head, "messages": end.messages} for name, end in ended.items()
    }
    return {EARLIER: said}


def program_of(pinned: Pinned) -> Program:
    """What a run does."""
    return runnable(workflow_of(pinned.definition, pinned.format, pinned.lenient))


_ENDS_OF_SPEECH: Final = (OUTCOMES["model"], TOUCH_CANCELLED)


class _Audience:
    """Those who answer, who keep what was said, and whoever else watches; these see no secret."""

    def __init__(
        self, hear: Callable[[Sequence[Event]], None], others: Sequence[Audience], redactor: Redactor
    ) -> None:
        self._hear = hear
        self._others = others
        self._redactor = redactor
        self._veils: dict[Path, Veil] = {}

    def kept(self, run_id: str, events: Sequence[Event]) -> None:
        self._hear(events)
        for event in events if self._veils else ():
            ended = event.kind in _ENDS_OF_SPEECH
            if ended and (veil := self._veils.pop(event.path, None)) and (rest := veil.rest()):
                self._show(run_id, event.path, rest)
        for other in self._others:
            other.kept(run_id, events)

    def said(self, run_id: str, path: Path, piece: str) -> None:
        if not self._others:
            return
        if piece == RESTART:
            self._veils.pop(path, None)
            shown = piece
        else:
            veil = self._veils.get(path) or self._veils.setdefault(path, Veil(self._redactor))
            shown = veil.piece(piece)
        if shown or piece == RESTART:
            self._show(run_id, path, shown)

    def _show(self, run_id: str, path: Path, shown: str) -> None:
        for other in self._others:
            other.said(run_id, path, shown)
