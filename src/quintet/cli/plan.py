"""Plan: what a run would do, for `--dry-run`.  Nothing is run for it."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable
from typing import TYPE_CHECKING

from quintet.agents.script import ANYONE
from quintet.agents.turn import Agent
from quintet.cli.screen import columns, result, result_json, say, say_problems
from quintet.cli.view import drawn
from quintet.display.expected import steps_of
from quintet.display.rows import shown
from quintet.display.table import Column, table
from quintet.problems.wording import counted, visible
from quintet.runs.cassettes import cassette_of
from quintet.runs.models import agents_of, choices_of, known_as, roster_of
from quintet.runs.scripts import script_of

if TYPE_CHECKING:
    from quintet.api import Workflow
    from quintet.engine.values import Json
    from quintet.runs.pinned import Pinned, Text
    from quintet.workflow import Node

_CALLED = {"agent"}
"""Kinds of steps that somebody answers."""


def show_plan(workflow: Workflow, pinned: Pinned, arguments: Json, *, as_json: bool) -> int:
    """Print what would be done, and who would do it."""
    answerer = _scripted(pinned) if pinned.script is not None else _spoken(workflow, pinned)
    if pinned.fake is not None:
        answerer = _recorded(pinned.fake)
    if workflow.problems:
        say_problems(workflow.problems, workflow.text.path)
    steps = [
        (node, answerer(node.agent) if node.kind in _CALLED and node.agent is not None else "")
        for node in steps_of(workflow.graph)
    ]
    if as_json:
        result_json(
            {
                "dry_run": True,
                "workflow": workflow.name,
                "format": workflow.format,
                "arguments": arguments,
                "steps": [_step_json(node, answerer) for node, answerer in steps],
                "warnings": len(workflow.problems),
            }
        )
        return 0
    result(f"{visible(workflow.name)} · {workflow.format} · {counted(len(steps), 'step')}")
    if steps:
        result(_table(steps))
    say("nothing was run")
    return 0


def _table(steps: list[tuple[Node, str]]) -> str:
    nodes = [node for node, _ in steps]
    return drawn(
        table(
            [
                Column("STEP", [shown(node.label) for node in nodes], "name", least=8),
                Column("AGENT", [shown(node.agent or node.kind) for node in nodes], "agent", least=8),
                Column("ANSWERED BY", [answerer for _, answerer in steps], least=8),
            ],
            columns(sys.stdout),
        ),
        sys.stdout,
    )


def _step_json(node: Node, answerer: str) -> Json:
    return {"name": node.label, "kind": node.kind, "agent": node.agent, "answered_by": answerer or None}


def _spoken(workflow: Workflow, pinned: Pinned) -> Callable[[str], str]:
    """Which model answers for an agent, and why that one."""
    choices, roster = choices_of(pinned), roster_of(pinned)
    agents = {agent.shown: agent for agent in agents_of(workflow.definition)}

    def answerer(name: str) -> str:
        agent, manifest = known_as(agents[name], roster)
        choice = choices.of(agent, manifest)
        if not roster.has(agent) or choice is None:
            return _NOBODY
        return f"{choice.model} (from {choice.because})"

    return answerer


def _scripted(pinned: Pinned) -> Callable[[str], str]:
    """What the script says of an agent."""
    assert pinned.script is not None
    script, roster = script_of(pinned.script), roster_of(pinned)

    def answerer(name: str) -> str:
        agent, manifest = known_as(Agent(name), roster)
        known = manifest.name if manifest is not None else roster.known(agent).shown
        lines = script.lines(agent, known)
        if lines is None:
            return _NOBODY
        if known in script.agents:
            return f"the script, {counted(len(lines), 'entry', 'entries')}"
        return f"the script, as {ANYONE!r}" if ANYONE in script.agents else "the script, with 'ok'"

    return answerer


def _recorded(fake: Text) -> Callable[[str], str]:
    """What the cassette has of an agent."""
    counts = Counter(one.request.agent for one in cassette_of(fake).models)

    def answerer(name: str) -> str:
        return f"the cassette, {counted(counts[name], 'answer')}"

    return answerer


_NOBODY = "nobody: there is no such agent"
