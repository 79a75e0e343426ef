"""Check: every rule of a Hyperagent workflow that can be proven without running it.

"Must include all role names referenced elsewhere. Parsers must reference keys defined in `parsers`."
Upstream finds some of this only when it comes to it; here all of it is found before anything runs.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable

from quintet.formats.hyperagent import shape
from quintet.formats.hyperagent.codes import (
    DUPLICATE_STEP,
    IGNORED_KEY,
    NEVER_REACHED,
    NO_SESSION,
    NO_VERSION,
    REPEATED_SESSION,
    ROLE_TOOLS,
    UNKNOWN_PARSER,
    UNKNOWN_ROLE,
    UNKNOWN_STEP,
    UNUSED,
)
from quintet.formats.hyperagent.placed import PlacedDocument, PlacedStep
from quintet.formats.hyperagent.references import check_references
from quintet.formats.registry import Surroundings
from quintet.formats.report import Report
from quintet.formats.tree import Map, Spanned
from quintet.problems.wording import did_you_mean, quoted

_VERSIONED = re.compile(r".+[.@_-]v?\d[\w.-]*", re.DOTALL)


def check(placed: PlacedDocument, report: Report, surroundings: Surroundings) -> None:
    """Adds to the report all that can be proven wrong with a workflow."""
    _steps(placed, report)
    for step in placed.all_steps:
        _turn(step, placed, report)
    _bootstrap(placed, report)
    _sessions(placed, report)
    _roles(placed, report)
    _parsers(placed, report)
    _reached(placed, report)
    _version(placed, report)
    check_references(placed, report, surroundings.inputs)


def _steps(placed: PlacedDocument, report: Report) -> None:
    """ "duplicate step keys, invalid references" """
    keys: set[str] = set()
    for one in placed.steps:
        if one.step.key in keys:
            message = f"Duplicate step key: {_bare(one.step.key)}"
            report.add(DUPLICATE_STEP, message, one.fields.at(shape.KEY))
        if one.step.key:
            keys.add(one.step.key)
    start = placed.document.round.start
    if start is not None and placed.round is not None and start not in keys:
        message = f"Round start step {_bare(start)} is not defined in steps."
        _unknown_step(start, message, keys, placed.round.at(shape.START), report)
    for one in placed.steps:
        _targets(one, keys, report)


def _targets(one: PlacedStep, keys: Collection[str], report: Report) -> None:
    name = _bare(one.step.key)
    if one.step.next is not None and one.step.next not in keys:
        message = f"Step {name} references unknown next step {_bare(one.step.next)}."
        _unknown_step(one.step.next, message, keys, one.fields.at(shape.NEXT), report)
    for each in one.transitions:
        target = each.transition.next_step
        if target is not None and target not in keys:
            message = f"Step {name} {each.name} references unknown next step {_bare(target)}."
            _unknown_step(target, message, keys, each.fields.at(shape.NEXT_STEP), report)


def _unknown_step(name: str, message: str, known: Iterable[str], at: Spanned, report: Report) -> None:
    if not report.full(UNKNOWN_STEP):
        report.add(UNKNOWN_STEP, message, at, did_you_mean(name, known))


def _turn(one: PlacedStep, placed: PlacedDocument, report: Report) -> None:
    """The role of a step is one, and "role must match a key in the `roles` map"."""
    for each in one.transitions:
        if each.transition.outcome is not None and each.transition.next_step is not None:
            message = "'nextStep' has no effect beside 'outcome': the run ends"
            report.add(IGNORED_KEY, message, each.fields.key_at(shape.NEXT_STEP), "leave one of them out")
    role, at = one.step.role, one.fields.at(shape.ROLE)
    if not role or not one.is_known:
        return
    if role not in placed.roles:
        if not report.full(UNKNOWN_ROLE) and not placed.fields.wrong(shape.ROLES):
            message = f"Workflow step {_bare(one.step.key)} references unknown role {_bare(role)}."
            report.add(UNKNOWN_ROLE, message, at, did_you_mean(role, placed.roles))
    elif role not in {entry.role for entry in placed.document.sessions} and _sessions_read(placed):
        hint = f'add {{"role": "{role}"}} to "sessions"' if len(role) < 40 else ""
        report.add(NO_SESSION, f"No session available for role {_bare(role)}", at, hint)


def _sessions_read(placed: PlacedDocument) -> bool:
    sessions = placed.fields[shape.SESSIONS]
    return sessions is not None and not sessions.wrong()


def _bootstrap(placed: PlacedDocument, report: Report) -> None:
    """ "Executes exactly once before the first round": whatever else it says of where to go on."""
    if placed.bootstrap is None:
        return
    for key in (shape.NEXT, shape.TRANSITIONS, shape.EXITS):
        if placed.bootstrap.fields.given(key):
            message = f"{quoted(key.name)} has no effect on the bootstrap: the first round comes after it"
            report.add(IGNORED_KEY, message, placed.bootstrap.fields.key_at(key), "leave it out")


def _sessions(placed: PlacedDocument, report: Report) -> None:
    seen: set[str] = set()
    for entry, fields in placed.sessions:
        at = fields.at(shape.SESSION_ROLE)
        if entry.role and entry.role not in placed.roles and not placed.fields.wrong(shape.ROLES):
            message = f"The session of {_bare(entry.role)} is of no role."
            hint = "" if report.full(UNKNOWN_ROLE) else did_you_mean(entry.role, placed.roles)
            report.add(UNKNOWN_ROLE, message, at, hint)
        if entry.role in seen:
            report.add(REPEATED_SESSION, f"{quoted(entry.role)} has a session already", at)
        seen.add(entry.role)


def _roles(placed: PlacedDocument, report: Report) -> None:
    used = {step.step.role for step in placed.all_steps}
    known = placed.document.parsers
    for name, (role, fields) in placed.roles.items():
        if role.parser not in known and not fields.wrong(shape.ROLE_PARSER):
            message = (
                f"Parser '{_bare(role.parser)}' for role '{_bare(name)}' is not defined in workflow "
                f"'{_bare(placed.document.id)}'."
            )
            hint = "" if report.full(UNKNOWN_PARSER) else did_you_mean(role.parser, known)
            report.add(UNKNOWN_PARSER, message, fields.at(shape.ROLE_PARSER), hint)
        tools = fields[shape.ROLE_TOOLS]
        if tools is not None and any(role.tools.values()):
            message = f"the role {quoted(name)} does not have its tools yet: they come with a later release"
            report.add(ROLE_TOOLS, message, fields.key_at(shape.ROLE_TOOLS))
        if name not in used and placed.steps:
            _unused(placed, shape.ROLES.name, name, f"the role {quoted(name)} takes no turn", report)


def _parsers(placed: PlacedDocument, report: Report) -> None:
    used = {role.parser for role, _ in placed.roles.values()}
    for name in placed.document.parsers:
        if name not in used and placed.roles:
            _unused(placed, shape.PARSERS.name, name, f"no role has the parser {quoted(name)}", report)


def _unused(placed: PlacedDocument, key: str, name: str, message: str, report: Report) -> None:
    table = placed.fields.map.get(key)
    assert isinstance(table, Map)
    report.add(UNUSED, message, table.entries[name].key)


def _reached(placed: PlacedDocument, report: Report) -> None:
    """Steps that no way leads to."""
    by_key = {one.step.key: one for one in placed.steps}
    document_round = placed.document.round
    if not placed.steps or document_round.first not in by_key or len(by_key) < len(placed.steps):
        return
    waiting, reached = [document_round.first], set[str]()
    while waiting:
        key = waiting.pop()
        if key in reached or key not in by_key:
            continue
        reached.add(key)
        step = by_key[key].step
        ways = [one.transition.next_step for one in by_key[key].transitions]
        waiting += [way for way in (*ways, document_round.after(step)) if way is not None]
    for key, one in by_key.items():
        if key and key not in reached:
            report.add(NEVER_REACHED, f"nothing leads to the step {quoted(key)}", one.fields.at(shape.KEY))


def _version(placed: PlacedDocument, report: Report) -> None:
    """ "Pick a stable `id` and version suffix." """
    name = placed.document.id
    if name and not _VERSIONED.fullmatch(name[-200:]):
        hint = f"such as {quoted(f'{name}.v1')}" if len(name) < 50 else ""
        report.add(NO_VERSION, "the id has no version", placed.fields.at(shape.ID), hint)


def _bare(name: str) -> str:
    """A name as messages of this format have it, without quotes."""
    return quoted(name)[1:-1]
