"""Reading: from the value tree of a file to the document, whatever is wrong being in the report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from quintet.formats.hyperagent import shape
from quintet.formats.hyperagent.codes import NO_REASON, NO_TARGET, STEP_KIND
from quintet.formats.hyperagent.document import (
    Document,
    Outcome,
    Role,
    Round,
    SessionEntry,
    Step,
    Templates,
    Transition,
)
from quintet.formats.hyperagent.placed import PlacedDocument, PlacedStep, PlacedTransition
from quintet.formats.report import Report
from quintet.formats.shape import Fields, Key
from quintet.formats.tree import Map, Spanned
from quintet.problems.wording import quoted

_NOTHING = Outcome("", "")


def read_document(root: Map, report: Report) -> PlacedDocument:
    """The workflow that a map describes."""
    fields = shape.WORKFLOW.read(root, "the workflow", report)
    flow = fields[shape.FLOW]
    round_fields = None if flow is None else flow[shape.ROUND]
    bootstrap = None if flow is None or flow[shape.BOOTSTRAP] is None else flow[shape.BOOTSTRAP]
    first = None if bootstrap is None else _step(bootstrap, report, is_bootstrap=True)
    steps = tuple(_step(one, report) for one in (round_fields[shape.STEPS] if round_fields else ()))
    sessions = fields[shape.SESSIONS]
    roles = {name: (_role(one), one) for name, one in fields[shape.ROLES].items()}
    entries = tuple((_session(one), one) for one in (sessions[shape.SESSION_ROLES] if sessions else ()))
    state = fields[shape.STATE]
    document = Document(
        fields[shape.ID],
        fields[shape.DESCRIPTION],
        fields[shape.MODEL],
        tuple(entry for entry, _ in entries),
        fields[shape.PARSERS],
        {name: role for name, (role, _) in roles.items()},
        fields[shape.USER],
        () if state is None else tuple(state[shape.INITIAL].items()),
        None if first is None else first.step,
        _round(round_fields, steps),
    )
    default = None if round_fields is None else round_fields[shape.DEFAULT_OUTCOME]
    placed = {} if state is None else places(state, shape.INITIAL)
    return PlacedDocument(document, fields, round_fields, default, entries, roles, first, steps, placed)


def places(fields: Fields, key: Key[Mapping[str, str]]) -> dict[str, Spanned]:
    """Where each template of a map stands."""
    value = fields.map.get(key.name)
    return {name: entry.value for name, entry in value.entries.items()} if isinstance(value, Map) else {}


def _round(fields: Fields | None, steps: Sequence[PlacedStep]) -> Round:
    if fields is None:
        return Round(None, (), None, _NOTHING)
    default = fields[shape.DEFAULT_OUTCOME]
    outcome = (
        _NOTHING if default is None else Outcome(default[shape.DEFAULT_NAME], default[shape.DEFAULT_REASON])
    )
    start = fields[shape.START] or None
    return Round(start, tuple(one.step for one in steps), fields[shape.MAX_ROUNDS], outcome)


def _role(fields: Fields) -> Role:
    tools = fields[shape.ROLE_TOOLS]
    allowed = {} if tools is None else {key.name: tools[key] for key in shape.TOOL_KEYS if tools.given(key)}
    return Role(fields[shape.SYSTEM_PROMPT], fields[shape.ROLE_PARSER], allowed)


def _session(fields: Fields) -> SessionEntry:
    return SessionEntry(fields[shape.SESSION_ROLE], fields[shape.NAME_TEMPLATE])


def _step(fields: Fields, report: Report, *, is_bootstrap: bool = False) -> PlacedStep:
    known = fields[shape.TYPE] == "agent"
    if not known:
        message = f"steps of type {quoted(fields[shape.TYPE])} cannot be run yet"
        report.add(STEP_KIND, message, fields.at(shape.TYPE))
    transitions = [
        _transition(one, f"transitions[{n}]", report) for n, one in enumerate(fields[shape.TRANSITIONS])
    ]
    exits = [_transition(one, f"exits[{n}]", report) for n, one in enumerate(fields[shape.EXITS])]
    step = Step(
        fields[shape.KEY],
        fields[shape.ROLE],
        fields[shape.PROMPT],
        fields[shape.NEXT] or None,
        _templates(fields),
        tuple(one.transition for one in transitions),
        tuple(one.transition for one in exits),
        report.text.position(fields.map.start)[0],
    )
    return PlacedStep(step, fields, (*transitions, *exits), is_bootstrap, known)


def _transition(fields: Fields, name: str, report: Report) -> PlacedTransition:
    """ "A transition must specify either `nextStep` or `outcome`." "If `outcome` is set, `reason` becomes
    mandatory." An empty text is none."""
    outcome, next_step = fields[shape.OUTCOME] or None, fields[shape.NEXT_STEP] or None
    if outcome is None and next_step is None and not fields.wrong(shape.OUTCOME, shape.NEXT_STEP):
        message = "Transition must specify either an outcome or a nextStep."
        report.add(NO_TARGET, message, fields.key_at(shape.WHEN))
    if outcome is not None and not fields[shape.REASON] and not fields.wrong(shape.REASON):
        at = fields.at(shape.REASON) if fields.given(shape.REASON) else fields.at(shape.OUTCOME)
        report.add(NO_REASON, "Outcome transitions must specify a reason.", at, 'add "reason": "…"')
    transition = Transition(fields[shape.WHEN], outcome, fields[shape.REASON], next_step, _templates(fields))
    return PlacedTransition(transition, fields, name)


def _templates(fields: Fields) -> Templates:
    return tuple(fields[shape.UPDATES].items())
