"""The shape of a Hyperagent workflow: its keys, and from them the document and the JSON Schema.

Upstream drops unknown keys in silence; here they are refused, but for those that begin with `x-`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from quintet.formats.hyperagent.condition import Always, Condition
from quintet.formats.hyperagent.condition_shape import CONDITION
from quintet.formats.hyperagent.kinds import NAME, TEMPLATES, Filled
from quintet.formats.hyperagent.parser import Parser
from quintet.formats.hyperagent.parser_shape import INPUT, PARSER
from quintet.formats.kinds import ANYTHING, TRUTH
from quintet.formats.report import Report
from quintet.formats.shape import TEXT, Choice, Fields, Key, ListOf, Schema, Shape, Whole
from quintet.formats.tables import Table
from quintet.formats.tree import Map, Scalar, Value

FREE: Final = "x-"
KINDS: Final = ("agent", "cli", "workflow", "transform")
TOOLS: Final = (
    "read",
    "write",
    "edit",
    "bash",
    "grep",
    "glob",
    "list",
    "patch",
    "todowrite",
    "todoread",
    "webfetch",
)

_NO_TEMPLATES: Mapping[str, str] = {}
_NO_FIELDS: tuple[Fields, ...] = ()

# --- transitions and steps ------------------------------------------------------------------------------

_ALWAYS: Condition = Always()
WHEN = Key("condition", CONDITION, _ALWAYS, "When it fires.", required=True)
NEXT_STEP: Key[str | None] = Key("nextStep", TEXT, None, "The step to go on with, in the same round.")
OUTCOME: Key[str | None] = Key("outcome", TEXT, None, "What the run ends with.")
REASON = Key("reason", TEXT, "", "Why: a template.")
UPDATES = Key("stateUpdates", TEMPLATES, _NO_TEMPLATES, "Templates of what is set in the state.")
TRANSITION: Final = Shape(
    "a transition",
    (WHEN, NEXT_STEP, OUTCOME, REASON, UPDATES),
    hints={"next": "in a transition it is called 'nextStep'", "when": "did you mean 'condition'?"},
    rules={"anyOf": [{"required": ["nextStep"]}, {"required": ["outcome", "reason"]}]},
    passing=FREE,
)

KEY = Key("key", NAME, "", "What the step is called; unique in the round.", required=True)
TYPE = Key("type", Choice(KINDS), "agent", "What kind of step it is.")
ROLE = Key("role", NAME, "", "Who takes the turn.", required=True)
_NO_TEXTS: tuple[str, ...] = ()
PROMPT = Key(
    "prompt",
    Filled(ListOf(TEXT, "a section"), "a prompt needs at least one section"),
    _NO_TEXTS,
    "Templates; what they render to is joined with an empty line in between.",
    required=True,
)
NEXT: Key[str | None] = Key("next", TEXT, None, "The step after it, where no transition fires.")
TRANSITIONS = Key("transitions", ListOf(TRANSITION, "a transition"), _NO_FIELDS, "Looked at first.")
EXITS = Key("exits", ListOf(TRANSITION, "an exit"), _NO_FIELDS, "Looked at where no transition fires.")
STEP: Final = Shape(
    "a step",
    (KEY, TYPE, ROLE, PROMPT, NEXT, UPDATES, TRANSITIONS, EXITS),
    hints={
        "name": "did you mean 'key'?",
        "agent": "did you mean 'role'?",
        "nextStep": "did you mean 'next'?",
    },
    passing=FREE,
)

_LATER: Final = {
    "cli": ("command", "args", "argsObject", "argsSchema", "cwd", "stdinFrom", "capture"),
    "workflow": ("workflowId", "input", "inputSchema"),
    "transform": ("template", "input", "inputSchema"),
}
"""Kinds of steps that are known and cannot be run yet, with what belongs to each."""


class StepKind:
    """A step, whatever its kind."""

    def read(self, value: Value, name: str, report: Report) -> Fields:
        kind = value.get(TYPE.name) if isinstance(value, Map) else None
        word = kind.value if isinstance(kind, Scalar) else None
        return (_later(word) if word in _LATER else STEP).read(value, name, report)

    def schema(self) -> Schema:
        return STEP.schema()


def _later(word: object) -> Shape:
    own: list[Key[object]] = [Key(name, ANYTHING, None, "") for name in _LATER[str(word)]]
    unknown: list[Key[object]] = [Key(ROLE.name, TEXT, "", ""), Key(PROMPT.name, ListOf(TEXT, ""), (), "")]
    common = [key for key in STEP.keys if key not in (ROLE, PROMPT)]
    return Shape(f"a step of type {word}", (*common, *own, *unknown), passing=FREE)


ANY_STEP: Final = StepKind()

# --- the flow -------------------------------------------------------------------------------------------

DEFAULT_NAME = Key("outcome", NAME, "", "What the run ends with where nothing else ends it.", required=True)
DEFAULT_REASON = Key("reason", NAME, "", "Why: a template.", required=True)
DEFAULT_OUTCOME: Key[Fields | None] = Key(
    "defaultOutcome",
    Shape("a default outcome", (DEFAULT_NAME, DEFAULT_REASON), passing=FREE),
    None,
    "How the run ends when all rounds are over.",
    required=True,
)
START: Key[str | None] = Key("start", TEXT, None, "The step that each round begins with.")
STEPS = Key(
    "steps",
    Filled(ListOf(ANY_STEP, "a step"), "a round needs at least one step"),
    _NO_FIELDS,
    "The steps, in order.",
    required=True,
)
MAX_ROUNDS: Key[int | None] = Key(
    "maxRounds", Whole(1, 2**53), None, "How many rounds at most; 10 by default."
)
ROUND: Key[Fields | None] = Key(
    "round",
    Shape("a round", (START, STEPS, MAX_ROUNDS, DEFAULT_OUTCOME), passing=FREE),
    None,
    "What is done again and again.",
    required=True,
)
BOOTSTRAP: Key[Fields | None] = Key("bootstrap", ANY_STEP, None, "A step before the first round.")
FLOW: Key[Fields | None] = Key(
    "flow", Shape("a flow", (BOOTSTRAP, ROUND), passing=FREE), None, "What is done.", required=True
)

# --- roles, sessions, state -----------------------------------------------------------------------------

SYSTEM_PROMPT = Key("systemPrompt", NAME, "", "What the role is told before all else.", required=True)
ROLE_PARSER = Key("parser", TEXT, "", "What its replies look like: a key of 'parsers'.", required=True)
TOOL_KEYS: Final = tuple(Key(name, TRUTH, False, f"Whether it may use {name}.") for name in TOOLS)
_TOOLS_SHAPE = Shape("tools", TOOL_KEYS, passing=FREE)
ROLE_TOOLS: Key[Fields | None] = Key("tools", _TOOLS_SHAPE, None, "Which tools the role has.")
ROLE_SHAPE: Final = Shape(
    "a role",
    (SYSTEM_PROMPT, ROLE_PARSER, ROLE_TOOLS),
    hints={"prompt": "did you mean 'systemPrompt'?"},
    passing=FREE,
)
SESSION_ROLE = Key("role", NAME, "", "Whose session it is.", required=True)
NAME_TEMPLATE: Key[str | None] = Key(
    "nameTemplate", TEXT, None, "What it is called; {{runId}} is the run's id."
)
SESSION: Final = Shape("a session", (SESSION_ROLE, NAME_TEMPLATE), passing=FREE)
SESSION_ROLES = Key(
    "roles",
    Filled(ListOf(SESSION, "a session"), "there must be at least one session"),
    _NO_FIELDS,
    "One entry a role.",
    required=True,
)
INITIAL = Key("initial", TEMPLATES, _NO_TEMPLATES, "What the state begins with: templates by key.")

# --- the workflow ---------------------------------------------------------------------------------------

SCHEMA = Key("$schema", TEXT, "", "Where editors find the JSON Schema of this file.")
ID = Key("id", NAME, "", "What the workflow is called: <name>.<version>.", required=True)
DESCRIPTION = Key("description", TEXT, "", "What the workflow does.")
MODEL: Key[str | None] = Key("model", TEXT, None, "The model that answers, unless the call names another.")
SESSIONS: Key[Fields | None] = Key(
    "sessions", Shape("sessions", (SESSION_ROLES,), passing=FREE), None, "The roles' sessions.", required=True
)
_NO_PARSERS: Mapping[str, Parser] = {}
PARSERS = Key("parsers", Table(PARSER, "a map of parsers"), _NO_PARSERS, "What replies look like, by name.")
_NO_ROLES: Mapping[str, Fields] = {}
ROLES: Key[Mapping[str, Fields]] = Key(
    "roles",
    Filled(Table(ROLE_SHAPE, "a map of roles"), "At least one role must be defined."),
    _NO_ROLES,
    "Who takes part, by name.",
    required=True,
)
USER: Key[Mapping[str, Parser] | None] = Key(
    "user", Table(INPUT, "a map of parsers"), None, "The inputs of a run; without it, it takes any."
)
STATE: Key[Fields | None] = Key(
    "state", Shape("the state", (INITIAL,), passing=FREE), None, "What roles share."
)
WORKFLOW: Final = Shape(
    "a workflow",
    (SCHEMA, ID, DESCRIPTION, MODEL, SESSIONS, PARSERS, ROLES, USER, STATE, FLOW),
    hints={"name": "did you mean 'id'?", "steps": 'steps stand in "flow": {"round": {"steps": […]}}'},
    passing=FREE,
)
