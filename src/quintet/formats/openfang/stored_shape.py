"""The shape that OpenFang stores: `<workflows_dir>/<id>.json`, and the steps of `GET /api/workflows/{id}`.

What belongs to a mode stands within it: `{"loop": {"max_iterations": 5, "until": "DONE"}}`, and the agent is
`{"id": "…"}` or `{"name": "…"}`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from quintet.engine.values import Json
from quintet.formats.codes import MISSING_KEY, UNKNOWN_VALUE
from quintet.formats.openfang.api_shape import DESCRIPTION, OUTPUT_VAR, SCHEMA, TIMEOUT_SECS
from quintet.formats.openfang.codes import MISSING_AGENT, TWO_AGENTS
from quintet.formats.openfang.document import (
    U32,
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
from quintet.formats.shape import (
    TEXT,
    Fields,
    Key,
    ListOf,
    Schema,
    Shape,
    Whole,
    Wrong,
    unknown_word,
    wrong_type,
)
from quintet.formats.tree import Map, Scalar, Spanned, Value, head
from quintet.problems.wording import one_of, quoted


@dataclass(frozen=True, slots=True)
class Tag:
    """What a `Tagged` value says: a word, and what belongs to it."""

    word: str
    fields: Fields | None = None


@dataclass(frozen=True, slots=True)
class Tagged:
    """A word, or a map with one word as its key and what belongs to it behind it."""

    words: tuple[str, ...]
    maps: Mapping[str, Shape]

    def read(self, value: Value, name: str, report: Report) -> Tag:
        match value:
            case Scalar(str(word)):
                return Tag(self._word(word, name, value, report))
            case Map(entries) if len(entries) == 1:
                [(word, entry)] = entries.items()
                if word not in self.maps:
                    raise unknown_word(word, name, list(self.maps), entry.key, report)
                return Tag(word, self.maps[word].read(entry.value, word, report))
            case Map():
                report.add(
                    UNKNOWN_VALUE, f"{quoted(name)} must have one key, {one_of(list(self.maps))}", head(value)
                )
                raise Wrong
            case _:
                raise wrong_type(value, name, "a text or a map", report)

    def _word(self, word: str, name: str, at: Spanned, report: Report) -> str:
        if word in self.words:
            return word
        if word in self.maps:
            keys = ", ".join(f'"{key.name}": …' for key in self.maps[word].keys)
            report.add(
                MISSING_KEY, f"{quoted(word)} needs its settings", at, f'write {{"{word}": {{{keys}}}}}'
            )
            raise Wrong
        raise unknown_word(word, name, [*self.words, *self.maps], at, report)

    def schema(self) -> Schema:
        maps: list[Json] = [
            {
                "type": "object",
                "properties": {word: shape.schema()},
                "required": [word],
                "additionalProperties": False,
            }
            for word, shape in self.maps.items()
        ]
        return {"anyOf": [{"enum": list(self.words)}, *maps]}


CONDITION = Key("condition", TEXT, "", "What the output before it must contain, in any case.", required=True)
LIMIT = Key("max_iterations", Whole(0, U32), 1, "How many rounds at most.", required=True)
UNTIL = Key("until", TEXT, "", "What an output must contain to end the loop, in any case.", required=True)
RETRIES = Key("max_retries", Whole(0, U32), 0, "How many attempts after the first.", required=True)
MODES = Tagged(
    ("sequential", "fan_out", "collect"),
    {"conditional": Shape("conditional", (CONDITION,)), "loop": Shape("loop", (LIMIT, UNTIL))},
)
ERROR_MODES = Tagged(("fail", "skip"), {"retry": Shape("retry", (RETRIES,))})

AGENT_ID: Key[str | None] = Key("id", TEXT, None, "The agent's UUID.")
AGENT_NAME: Key[str | None] = Key("name", TEXT, None, "The agent's name.")
AGENT_SHAPE = Shape("an agent", (AGENT_ID, AGENT_NAME), rules={"minProperties": 1, "maxProperties": 1})

STEP_NAME = Key("name", TEXT, "", "What the step is called in results and messages.", required=True)
AGENT: Key[Fields | None] = Key("agent", AGENT_SHAPE, None, "The agent that does the step: by id or by name.")
STEP_PROMPT = Key(
    "prompt_template",
    TEXT,
    "",
    "The prompt, with {{input}} for the output before it and {{name}} for variables.",
    required=True,
)
MODE = Key("mode", MODES, Tag("sequential"), "How the step runs.", required=True)
ERROR_MODE = Key("error_mode", ERROR_MODES, Tag("fail"), "What happens when the step fails.")
STEP = Shape(
    "a step",
    (STEP_NAME, AGENT, STEP_PROMPT, MODE, TIMEOUT_SECS, ERROR_MODE, OUTPUT_VAR),
    hints={
        "prompt": "in this shape it is called 'prompt_template'",
        "agent_name": 'in this shape: "agent": {"name": "…"}',
        "agent_id": 'in this shape: "agent": {"id": "…"}',
        "condition": 'in this shape: "mode": {"conditional": {"condition": "…"}}',
        "until": 'in this shape: "mode": {"loop": {"max_iterations": 5, "until": "…"}}',
        "max_iterations": 'in this shape: "mode": {"loop": {"max_iterations": 5, "until": "…"}}',
        "max_retries": 'in this shape: "error_mode": {"retry": {"max_retries": 3}}',
    },
    rules={"anyOf": [{"required": ["agent"]}, {"properties": {"mode": {"const": "collect"}}}]},
)
ID = Key("id", TEXT, "", "The workflow's UUID.", required=True)
CREATED_AT = Key("created_at", TEXT, "", "When it was made, as RFC 3339 writes it.", required=True)
WORKFLOW_NAME = Key("name", TEXT, "", "What the workflow is called.", required=True)
WORKFLOW_DESCRIPTION = Key("description", TEXT, "", DESCRIPTION.about, required=True)
STEPS: Key[tuple[Fields, ...]] = Key(
    "steps", ListOf(STEP, "a step"), (), "The steps, in order.", required=True
)
WORKFLOW = Shape("a stored workflow", (SCHEMA, ID, WORKFLOW_NAME, WORKFLOW_DESCRIPTION, STEPS, CREATED_AT))


def read_stored_shape(root: Map, report: Report) -> PlacedDocument:
    """The workflow that a map in this shape describes; what is wrong with it is in the report."""
    fields = WORKFLOW.read(root, "the workflow", report)
    steps = tuple(_step(step, report) for step in fields[STEPS])
    document = Document(
        name=fields[WORKFLOW_NAME],
        description=fields[WORKFLOW_DESCRIPTION],
        steps=tuple(placed.step for placed in steps),
        id=fields[ID],
        created_at=fields[CREATED_AT],
    )
    return PlacedDocument(
        document,
        steps,
        steps_at=fields.place(STEPS),
        id_at=fields.place(ID),
        created_at_at=fields.place(CREATED_AT),
    )


def _step(fields: Fields, report: Report) -> Placed:
    start = fields.at(STEP_NAME)
    mode, error_mode = _mode(fields[MODE]), _error_mode(fields[ERROR_MODE])
    step = Step(
        name=fields[STEP_NAME],
        agent=_agent(fields, start, mode, report),
        prompt=fields[STEP_PROMPT],
        mode=mode,
        timeout_secs=fields[TIMEOUT_SECS],
        error_mode=error_mode,
        output_var=fields[OUTPUT_VAR],
        line=report.text.position(fields.map.start)[0],
    )
    settings = fields[MODE].fields
    mode_known = not (fields.wrong(MODE) or (settings is not None and settings.wrong()))
    return Placed(step, _places(fields, start), mode_known)


def _agent(fields: Fields, start: Spanned, mode: Mode, report: Report) -> Agent | None:
    agent = fields[AGENT]
    by_id = by_name = False
    if agent is not None:
        by_id, by_name = agent.given(AGENT_ID), agent.given(AGENT_NAME)
    if agent is not None and by_id and by_name and not agent.wrong(AGENT_ID, AGENT_NAME):
        message = f"Step {quoted(fields[STEP_NAME])} has an agent with both 'id' and 'name'"
        report.add(TWO_AGENTS, message, agent.key_at(AGENT_ID), "keep one of them")
    if agent is None or not (by_id or by_name):
        if not (isinstance(mode, Collect) or fields.wrong(AGENT)):
            message = f"Step {quoted(fields[STEP_NAME])} needs an 'agent' with 'id' or 'name'"
            at = fields.at(AGENT) if fields.given(AGENT) else start
            report.add(MISSING_AGENT, message, at, 'add "agent": {"name": "…"}')
        return None
    if agent.wrong(AGENT_ID, AGENT_NAME):
        return None
    return AgentById(agent[AGENT_ID] or "") if by_id else AgentByName(agent[AGENT_NAME] or "")


def _mode(tag: Tag) -> Mode:
    match tag:
        case Tag("fan_out"):
            return FanOut()
        case Tag("collect"):
            return Collect()
        case Tag("conditional", Fields() as fields):
            return Conditional(fields[CONDITION])
        case Tag("loop", Fields() as fields):
            return Loop(fields[LIMIT], fields[UNTIL])
        case _:
            return Sequential()


def _error_mode(tag: Tag) -> ErrorMode:
    match tag:
        case Tag("skip"):
            return Skip()
        case Tag("retry", Fields() as fields):
            return Retry(fields[RETRIES])
        case _:
            return Fail()


def _places(fields: Fields, start: Spanned) -> Places:
    agent, mode = fields[AGENT], fields[MODE].fields
    return Places(
        step=start,
        agent=None if agent is None else agent.place(AGENT_ID) or agent.place(AGENT_NAME),
        prompt=fields.place(STEP_PROMPT),
        mode=fields.place(MODE),
        timeout_secs=fields.place(TIMEOUT_SECS),
        error_mode=fields.place(ERROR_MODE),
        output_var=fields.place(OUTPUT_VAR),
        condition=None if mode is None else mode.place(CONDITION),
        until=None if mode is None else mode.place(UNTIL),
        max_iterations=None if mode is None else mode.place(LIMIT),
    )
