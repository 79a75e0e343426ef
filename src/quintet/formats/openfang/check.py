"""Check: every rule of an OpenFang workflow that can be proven without running it.

What a single key may hold has been checked while the shape was read.  Here are the rules about what steps are
to each other and to the world: each is a function of its own that says what it finds, and none stops another.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from quintet.formats.openfang.codes import (
    COLLECT_WITHOUT_GROUP,
    EMPTY_CONDITION,
    EMPTY_UNTIL,
    MISSING_AGENT,
    NEVER_RUNS,
    NO_EFFECT,
    NO_STEPS,
    NOT_A_TIME,
    NOT_A_UUID,
    UNKNOWN_AGENT,
    UNUSABLE_VARIABLE,
)
from quintet.formats.openfang.document import (
    TIMEOUT,
    AgentById,
    Collect,
    Conditional,
    Fail,
    FanOut,
    Loop,
)
from quintet.formats.openfang.placed import Placed, PlacedDocument
from quintet.formats.openfang.variables import check_placeholders
from quintet.formats.registry import Surroundings
from quintet.formats.report import Report
from quintet.formats.tree import List
from quintet.formats.uuids import canonical, is_uuid
from quintet.problems.wording import did_you_mean, quoted

_TIME = re.compile(r"\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)", re.ASCII)


def check(placed: PlacedDocument, report: Report, surroundings: Surroundings) -> None:
    """Adds to the report all that can be proven wrong with a workflow."""
    _stored(placed, report)
    if isinstance(placed.steps_at, List) and not placed.steps_at.items:
        report.add(NO_STEPS, "there are no steps: a run gives back its input", placed.steps_at)
    _groups(placed.steps, report)
    for step in placed.steps:
        _mode(step, report)
        _no_effect(step, report)
        _never(step, report)
        _variable(step, report)
        _agent(step, report, surroundings.agents)
    check_placeholders(placed.steps, report, surroundings.inputs)


def _stored(placed: PlacedDocument, report: Report) -> None:
    """OpenFang itself loads a stored workflow only with a UUID and a time."""
    document = placed.document
    if placed.id_at is not None and not is_uuid(document.id or ""):
        report.add(NOT_A_UUID, f"the id {quoted(document.id or '')} is not a UUID", placed.id_at)
    if placed.created_at_at is not None and not _is_time(document.created_at or ""):
        message = f"{quoted(document.created_at or '')} is not a time as RFC 3339 writes it"
        report.add(NOT_A_TIME, message, placed.created_at_at, "like 2026-01-15T10:30:00Z")


def _groups(steps: Sequence[Placed], report: Report) -> None:
    """ "The `collect` step gathers all outputs from the preceding fan-out group": there must be one."""
    for step in steps:
        if isinstance(step.step.mode, FanOut) or not step.mode_known:
            return
        if isinstance(step.step.mode, Collect):
            message = f"{quoted(step.step.name)} has no fan-out group before it to collect"
            at = step.at.mode or step.at.step
            report.add(COLLECT_WITHOUT_GROUP, message, at, 'put it after steps with "mode": "fan_out"')


def _mode(step: Placed, report: Report) -> None:
    """An empty text is contained in every text."""
    match step.step.mode:
        case Conditional(condition="") if step.mode_known:
            at = step.at.condition or step.at.mode or step.at.step
            report.add(EMPTY_CONDITION, "an empty condition always holds", at, 'add "condition": "…"')
        case Loop(until="", max_iterations=limit) if step.mode_known and limit > 1:
            at = step.at.until or step.at.mode or step.at.step
            message = "this loop ends after its first round: every output contains the empty text"
            report.add(EMPTY_UNTIL, message, at, 'add "until": "…"')
        case _:
            pass


def _no_effect(step: Placed, report: Report) -> None:
    """`error_mode` and `timeout_secs` where the step's mode does not look at them."""
    if not isinstance(step.step.mode, FanOut | Collect):
        return
    if step.at.error_mode is not None and not isinstance(step.step.error_mode, Fail):
        fan_out = isinstance(step.step.mode, FanOut)
        why = (
            "on a fan_out step: its failure fails the group"
            if fan_out
            else "on a collect step: it cannot fail"
        )
        report.add(NO_EFFECT, f"'error_mode' has no effect {why}", step.at.error_mode, "leave it out")
    if (
        isinstance(step.step.mode, Collect)
        and step.at.timeout_secs is not None
        and step.step.timeout_secs != TIMEOUT
    ):
        message = "'timeout_secs' has no effect on a collect step: it calls nobody"
        report.add(NO_EFFECT, message, step.at.timeout_secs, "leave it out")


def _never(step: Placed, report: Report) -> None:
    """Limits of zero."""
    if isinstance(step.step.mode, Loop) and step.step.mode.max_iterations == 0:
        at = step.at.max_iterations or step.at.step
        report.add(NEVER_RUNS, "a loop of at most 0 rounds runs nothing", at)
    if step.step.timeout_secs == 0 and not isinstance(step.step.mode, Collect):
        at = step.at.timeout_secs or step.at.step
        report.add(NEVER_RUNS, "with 0 seconds every answer that takes time is too late", at)


def _variable(step: Placed, report: Report) -> None:
    """Names of variables that no placeholder can have."""
    name, at = step.step.output_var, step.at.output_var
    if name is None or at is None:
        return
    if name == "input":
        message = "a variable cannot be called 'input': '{{input}}' is the output of the step before"
        report.add(UNUSABLE_VARIABLE, message, at, "choose another name")
    elif not name or "{" in name or "}" in name:
        why = "has braces" if name else "is empty"
        report.add(UNUSABLE_VARIABLE, f"no prompt can refer to a variable whose name {why}", at)


def _agent(step: Placed, report: Report, known: Collection[str] | None) -> None:
    """Agents "belong to the place a workflow runs in": that one is missing there is worth a warning."""
    agent, at = step.step.agent, step.at.agent
    if agent is None or at is None or isinstance(step.step.mode, Collect):
        return
    name = canonical(agent.id) if isinstance(agent, AgentById) else agent.name
    if not name:
        message = f"Step {quoted(step.step.name)} names no agent: the text is empty"
        report.add(MISSING_AGENT, message, at, "say which agent does it")
    elif isinstance(agent, AgentById) and not is_uuid(name):
        hint = f'for a name: "agent_name": "{name}"' if len(name) < 40 else ""
        report.add(NOT_A_UUID, f"the agent id {quoted(name)} is not a UUID", at, hint)
    elif known is not None and name not in known:
        full = report.full(UNKNOWN_AGENT) or isinstance(agent, AgentById)
        hint = "" if full else did_you_mean(name, known)
        report.add(UNKNOWN_AGENT, f"there is no agent {quoted(name)} here", at, hint)


def _is_time(text: str) -> bool:
    if not _TIME.fullmatch(text):
        return False
    from datetime import datetime  # only stored workflows have a time

    try:
        datetime.fromisoformat(text.upper())
    except ValueError:
        return False
    return True
