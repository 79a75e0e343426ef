"""Plan: what a run would do, for `--dry-run`.  Nothing is run for it."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from quintet.agents.roster import Roster
from quintet.agents.script import ANYONE, Script
from quintet.agents.turn import Agent
from quintet.cli.screen import columns, result, result_json, say, say_problems
from quintet.cli.view import drawn
from quintet.display.expected import steps_of
from quintet.display.rows import shown
from quintet.display.table import Column, table
from quintet.problems.wording import counted, visible
from quintet.runs.equipping import roster_of
from quintet.runs.scripts import script_of

if TYPE_CHECKING:
    from quintet.api import Workflow
    from quintet.engine.values import Json
    from quintet.runs.pinned import Pinned
    from quintet.workflow import Node

_CALLED = {"agent"}
"""Kinds of steps that somebody answers."""


def show_plan(workflow: Workflow, pinned: Pinned, arguments: Json, *, as_json: bool) -> int:
    """Print what would be done, and who would do it."""
    assert pinned.script is not None, "it was found to be startable"
    script, roster = script_of(pinned.script), roster_of(pinned)
    if workflow.problems:
        say_problems(workflow.problems, workflow.text.path)
    steps = [(node, _answerer(node, script, roster)) for node in steps_of(workflow.graph)]
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


def _answerer(node: Node, script: Script, roster: Roster) -> str:
    """Who answers for a step."""
    if node.kind not in _CALLED or node.agent is None:
        return ""
    agent = Agent(node.agent)
    by_id = next((one for one in roster.manifests if node.agent in Roster([one]).names), None)
    name = by_id.name if by_id is not None else roster.known(agent).shown
    lines = script.lines(agent, name)
    if lines is None:
        return "nobody: there is no such agent"
    if name in script.agents:
        return f"the script, {counted(len(lines), 'entry', 'entries')}"
    return f"the script, as {ANYONE!r}" if ANYONE in script.agents else "the script, with 'ok'"
