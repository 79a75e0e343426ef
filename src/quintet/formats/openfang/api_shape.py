"""The shape that the guide teaches: what `POST /api/workflows` takes, all keys of a step side by side.

OpenFang falls back to defaults in silence where a key is misspelt or a value is of the wrong type; here both
are refused.  A key that belongs to another mode is a warning, since the step does what its mode says anyway.
"""

from __future__ import annotations

from quintet.engine.values import Json
from quintet.formats.openfang.codes import MISSING_AGENT, NO_EFFECT, TWO_AGENTS
from quintet.formats.openfang.document import (
    MAX_ITERATIONS,
    MAX_RETRIES,
    NAME,
    PROMPT,
    TIMEOUT,
    U32,
    U64,
    Agent,
    AgentById,
    AgentByName,
    Collect,
    Conditional,
    Document,
    ErrorMode,
    Fail,
    FanOut,
    Loop,
    Mode,
    Retry,
    Sequential,
    Skip,
    Step,
)
from quintet.formats.openfang.placed import Placed, PlacedDocument, Places
from quintet.formats.report import Report
from quintet.formats.shape import TEXT, Choice, Fields, Key, ListOf, OrNull, Shape, Whole
from quintet.formats.tree import Map, Spanned
from quintet.problems.wording import quoted

MODES = ("sequential", "fan_out", "collect", "conditional", "loop")
ERROR_MODES = ("fail", "skip", "retry")

STEP_NAME = Key("name", TEXT, NAME, "What the step is called in results and messages.")
AGENT_NAME: Key[str | None] = Key("agent_name", TEXT, None, "The agent that does the step, by its name.")
AGENT_ID: Key[str | None] = Key("agent_id", TEXT, None, "The agent that does the step, by its UUID.")
STEP_PROMPT = Key(
    "prompt", TEXT, PROMPT, "The prompt, with {{input}} for the output before it and {{name}} for variables."
)
MODE = Key("mode", Choice(MODES), "sequential", "How the step runs.")
CONDITION = Key("condition", TEXT, "", "conditional: what the output before it must contain, in any case.")
LIMIT = Key("max_iterations", Whole(0, U32), MAX_ITERATIONS, "loop: how many rounds at most.")
UNTIL = Key("until", TEXT, "", "loop: what an output must contain to end it, in any case.")
TIMEOUT_SECS = Key("timeout_secs", Whole(0, U64), TIMEOUT, "How many seconds each attempt may take.")
ERROR_MODE = Key("error_mode", Choice(ERROR_MODES), "fail", "What happens when the step fails.")
RETRIES = Key("max_retries", Whole(0, U32), MAX_RETRIES, "retry: how many attempts after the first.")
OUTPUT_VAR = Key("output_var", OrNull(TEXT), None, "The variable that keeps the step's output.")

_WITHOUT_AGENT: Json = {"properties": {"mode": {"const": "collect"}}, "required": ["mode"]}
STEP = Shape(
    "a step",
    (
        STEP_NAME,
        AGENT_NAME,
        AGENT_ID,
        STEP_PROMPT,
        MODE,
        CONDITION,
        LIMIT,
        UNTIL,
        TIMEOUT_SECS,
        ERROR_MODE,
        RETRIES,
        OUTPUT_VAR,
    ),
    hints={"agent": "use 'agent_name' or 'agent_id'", "prompt_template": "did you mean 'prompt'?"},
    rules={
        "not": {"required": ["agent_name", "agent_id"]},
        "anyOf": [{"required": ["agent_name"]}, {"required": ["agent_id"]}, _WITHOUT_AGENT],
    },
)
SCHEMA = Key("$schema", TEXT, "", "Where editors find the JSON Schema of this file.")
WORKFLOW_NAME = Key("name", TEXT, "unnamed", "What the workflow is called.")
DESCRIPTION = Key("description", TEXT, "", "What the workflow does.")
STEPS: Key[tuple[Fields, ...]] = Key(
    "steps", ListOf(STEP, "a step"), (), "The steps, in order.", required=True
)
WORKFLOW = Shape("a workflow", (SCHEMA, WORKFLOW_NAME, DESCRIPTION, STEPS))


def read_api_shape(root: Map, report: Report) -> PlacedDocument:
    """The workflow that a map in this shape describes; what is wrong with it is in the report."""
    fields = WORKFLOW.read(root, "the workflow", report)
    steps = tuple(_step(step, report) for step in fields[STEPS])
    document = Document(fields[WORKFLOW_NAME], fields[DESCRIPTION], tuple(placed.step for placed in steps))
    return PlacedDocument(document, steps, fields.place(STEPS))


def _step(fields: Fields, report: Report) -> Placed:
    mode = _mode(fields)
    if not fields.wrong(MODE):
        _misplaced(fields, mode, report)
    if fields[ERROR_MODE] != "retry" and fields.given(RETRIES) and not fields.wrong(ERROR_MODE):
        _no_effect(fields, RETRIES, 'the step has no "error_mode": "retry"', report)
    start = fields.at(STEP_NAME)
    step = Step(
        name=fields[STEP_NAME],
        agent=_agent(fields, start, mode, report),
        prompt=fields[STEP_PROMPT],
        mode=mode,
        timeout_secs=fields[TIMEOUT_SECS],
        error_mode=_error_mode(fields),
        output_var=fields[OUTPUT_VAR],
        line=report.text.position(fields.map.start)[0],
    )
    return Placed(step, _places(fields, start), mode_known=not fields.wrong(MODE, CONDITION, LIMIT, UNTIL))


def _agent(fields: Fields, start: Spanned, mode: Mode, report: Report) -> Agent | None:
    """ "Every step must specify exactly one of `agent_name` or `agent_id`"; a collect step may do without."""
    by_name, by_id = fields.given(AGENT_NAME), fields.given(AGENT_ID)
    if by_name and by_id and not fields.wrong(AGENT_NAME, AGENT_ID):
        message = f"Step {quoted(fields[STEP_NAME])} has both 'agent_name' and 'agent_id'"
        report.add(TWO_AGENTS, message, fields.key_at(AGENT_ID), "keep one of them")
    if not (by_name or by_id or isinstance(mode, Collect)):
        message = f"Step {quoted(fields[STEP_NAME])} needs 'agent_id' or 'agent_name'"
        report.add(MISSING_AGENT, message, start, 'add "agent_name": "…"')
    if fields.wrong(AGENT_NAME, AGENT_ID):
        return None
    if by_id:
        return AgentById(fields[AGENT_ID] or "")
    return AgentByName(fields[AGENT_NAME] or "") if by_name else None


def _mode(fields: Fields) -> Mode:
    match fields[MODE]:
        case "fan_out":
            return FanOut()
        case "collect":
            return Collect()
        case "conditional":
            return Conditional(fields[CONDITION])
        case "loop":
            return Loop(fields[LIMIT], fields[UNTIL])
        case _:
            return Sequential()


def _error_mode(fields: Fields) -> ErrorMode:
    match fields[ERROR_MODE]:
        case "skip":
            return Skip()
        case "retry":
            return Retry(fields[RETRIES])
        case _:
            return Fail()


def _misplaced(fields: Fields, mode: Mode, report: Report) -> None:
    """Keys of another mode than the step's."""
    if not isinstance(mode, Conditional) and fields.given(CONDITION):
        _no_effect(fields, CONDITION, 'the step has no "mode": "conditional"', report)
    for key in (UNTIL, LIMIT):
        if not isinstance(mode, Loop) and fields.given(key):
            _no_effect(fields, key, 'the step has no "mode": "loop"', report)


def _no_effect(fields: Fields, key: Key[object], why: str, report: Report) -> None:
    message = f"{quoted(key.name)} has no effect: {why}"
    report.add(NO_EFFECT, message, fields.key_at(key), "leave it out, or change that")


def _places(fields: Fields, start: Spanned) -> Places:
    return Places(
        step=start,
        agent=fields.place(AGENT_ID) or fields.place(AGENT_NAME),
        prompt=fields.place(STEP_PROMPT),
        mode=fields.place(MODE),
        timeout_secs=fields.place(TIMEOUT_SECS),
        error_mode=fields.place(ERROR_MODE),
        output_var=fields.place(OUTPUT_VAR),
        condition=fields.place(CONDITION),
        until=fields.place(UNTIL),
        max_iterations=fields.place(LIMIT),
    )
