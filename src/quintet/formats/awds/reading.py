"""Reading: a file's map becomes a document, with every problem of its shape and its expressions reported.

The specification requires `version`, `input` and `resultSchema`, and says that `input` is a text; each of its
own examples breaks one of these rules or more.  So they are warnings, which `--strict` makes errors of.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import PurePath
from typing import Final

from quintet.engine.values import Json
from quintet.formats.awds.codes import (
    EXPRESSION,
    MISSING_INPUT,
    MISSING_SCHEMA,
    MISSING_VERSION,
    STRUCTURED_INPUT,
)
from quintet.formats.awds.document import AT_ONCE, Agent, Document, Function, Step
from quintet.formats.awds.expressions.template import Blueprint, Expression, Template, single, template
from quintet.formats.awds.expressions.tokens import ExpressionError
from quintet.formats.awds.placed import Placed, PlacedDocument, PlacedExpression, Where, within
from quintet.formats.report import Report
from quintet.formats.shape import TEXT, Choice, Fields, Key, ListOf, Schema, Shape, Whole, wrong_type
from quintet.formats.source import UNNAMED
from quintet.formats.tables import Table
from quintet.formats.tree import List, Map, Scalar, Spanned, Value, head, plain

EXTENSION: Final = "x-"


class _Structure:
    """A map of any content, as it stands in the file."""

    def read(self, value: Value, name: str, report: Report) -> Map | None:
        if isinstance(value, Map):
            return value
        raise wrong_type(value, name, "a map", report)

    def schema(self) -> Schema:
        return {"type": "object"}


class _Input:
    """A text; or, as in the specification's examples, a map, or a list."""

    def read(self, value: Value, name: str, report: Report) -> Value | None:
        if isinstance(value, Scalar) and not isinstance(value.value, str):
            raise wrong_type(value, name, "a text, a map or a list", report)
        return value

    def schema(self) -> Schema:
        return {"type": ["string", "object", "array"]}


SERVICE = Key("service", TEXT, "", "The service that provides the function.", required=True)
FUNCTION = Key("function", TEXT, "", "The function.", required=True)
FUNCTION_SHAPE = Shape("a function", (SERVICE, FUNCTION), passing=EXTENSION)

SYSTEM_PROMPT = Key("systemPrompt", TEXT, "", "Instructions for the agent.", required=True)
INPUT: Key[Value | None] = Key("input", _Input(), None, "The message that the agent receives.")
RESULT_SCHEMA: Key[Map | None] = Key(
    "resultSchema", _Structure(), None, "JSON Schema (2020-12) of the agent's result."
)
FUNCTIONS: Key[tuple[Fields, ...]] = Key(
    "attachedFunctions",
    ListOf(FUNCTION_SHAPE, "a function"),
    (),
    "The functions that the agent may call; none listed means all.",
)
TAGS: Key[Mapping[str, str]] = Key("tags", Table(TEXT, "a map of texts"), {}, "Metadata; without influence.")
CONTEXT: Key[Map | None] = Key("context", _Structure(), None, "Received by each function that is called.")
AGENT_SHAPE = Shape(
    "an agent",
    (SYSTEM_PROMPT, INPUT, RESULT_SCHEMA, FUNCTIONS, TAGS, CONTEXT),
    hints={"system_prompt": "did you mean 'systemPrompt'?", "prompt": "did you mean 'systemPrompt'?"},
    passing=EXTENSION,
)

TYPE = Key("type", Choice(("run",)), "run", "What the step does.", required=True)
ID = Key("id", TEXT, "", "What the step is called.", required=True)
AGENT: Key[Fields | None] = Key("agent", AGENT_SHAPE, None, "The agent that does the step.", required=True)
DEPENDS_ON: Key[tuple[str, ...]] = Key(
    "depends_on", ListOf(TEXT, "a step's id"), (), "The steps that must have completed before."
)
IF: Key[str | None] = Key("if", TEXT, None, "An expression; the step is skipped where it is false.")
FOR_EACH: Key[str | None] = Key("for_each", TEXT, None, "An expression; the step runs once for each item.")
STEP = Shape("a step", (TYPE, ID, AGENT, DEPENDS_ON, IF, FOR_EACH), passing=EXTENSION)

STEPS: Key[tuple[Fields, ...]] = Key("steps", ListOf(STEP, "a step"), (), "The steps.", required=True)
PARALLEL = Key("x-parallel", Whole(1, 10_000), AT_ONCE, "Quintet: so many agents are at work at once.")
WORKFLOW_SHAPE = Shape("a workflow", (STEPS, PARALLEL), passing=EXTENSION)
EDITOR = Key("$schema", TEXT, "", "Where editors find the JSON Schema of this file.")
VERSION = Key("version", Choice(("1.0",)), "1.0", "The version of the format.")
WORKFLOW: Key[Fields | None] = Key("workflow", WORKFLOW_SHAPE, None, "The workflow.", required=True)
FILE = Shape("the file", (EDITOR, VERSION, WORKFLOW), passing=EXTENSION)


def read_document(root: Map, report: Report) -> PlacedDocument:
    """The workflow that a map describes; what is wrong with it is in the report."""
    fields = FILE.read(root, "the file", report)
    if not fields.given(VERSION):
        report.add(MISSING_VERSION, "the file does not say its version", head(root), 'add version: "1.0"')
    workflow = fields[WORKFLOW]
    if workflow is None:
        return PlacedDocument(Document(name_of(report), ()), (), None, complete=False)
    steps = tuple(_Reader(report, one).step() for one in workflow[STEPS])
    document = Document(name_of(report), tuple(placed.step for placed in steps), workflow[PARALLEL])
    at = workflow.place(STEPS)
    complete = isinstance(at, List) and len(at.items) == len(steps)
    return PlacedDocument(document, steps, at, complete)


def name_of(report: Report) -> str:
    """The format has no name for a workflow: it is called as its file is."""
    path = report.text.path
    return "workflow" if path == UNNAMED else PurePath(path).stem or "workflow"


class _Reader:
    """Reads one step."""

    def __init__(self, report: Report, fields: Fields) -> None:
        self.report, self.fields = report, fields
        self.expressions: list[PlacedExpression] = []

    def step(self) -> Placed:
        fields, agent = self.fields, self.fields[AGENT]
        start = fields.at(ID)
        step = Step(
            id=fields[ID],
            agent=self._agent(agent),
            depends_on=tuple(dict.fromkeys(fields[DEPENDS_ON])),
            condition=self._single(IF, "if"),
            for_each=self._single(FOR_EACH, "for_each"),
            line=self.report.text.position(fields.map.start)[0],
        )
        return Placed(
            step,
            id_at=start,
            id_known=not fields.wrong(ID),
            depends_on=self._dependencies(),
            expressions=tuple(self.expressions),
            schema=None if agent is None else agent[RESULT_SCHEMA],
            functions=self._functions(agent, step),
            functions_at=None if agent is None else agent.place(FUNCTIONS),
            agent_known=agent is not None,
        )

    def _agent(self, fields: Fields | None) -> Agent:
        if fields is None:
            return Agent(Template("", ("",)))
        self._missing(fields)
        schema, context = fields[RESULT_SCHEMA], fields[CONTEXT]
        given = fields.place(SYSTEM_PROMPT)
        prompt = Template("", ("",))
        if isinstance(given, Scalar) and isinstance(given.value, str):
            prompt = self._template(given, given.value)
        value = fields[INPUT]
        return Agent(
            system_prompt=prompt,
            input=None if value is None else self._blueprint(value),
            schema=None if schema is None else _plain_map(schema),
            functions=tuple(Function(one[SERVICE], one[FUNCTION]) for one in fields[FUNCTIONS]),
            context={} if context is None else self._blueprints(context),
            tags=fields[TAGS],
        )

    def _missing(self, fields: Fields) -> None:
        start, given = head(fields.map), fields.place(INPUT)
        if given is None:
            hint = "add input: … (without it, the message is 'Please proceed.')"
            self.report.add(MISSING_INPUT, "this agent has no 'input'", start, hint)
        elif not isinstance(given, Scalar):
            what = "a map" if isinstance(given, Map) else "a list"
            message = f"'input' should be a text, and is {what}; the agent receives it as JSON"
            self.report.add(STRUCTURED_INPUT, message, fields.key_at(INPUT))
        if not fields.given(RESULT_SCHEMA):
            hint = "add resultSchema: {type: object, …}"
            self.report.add(MISSING_SCHEMA, "this agent has no 'resultSchema'", start, hint)

    def _dependencies(self) -> tuple[tuple[str, Spanned], ...]:
        at = self.fields.place(DEPENDS_ON)
        items = at.items if isinstance(at, List) else ()
        return tuple(
            (item.value, item) for item in items if isinstance(item, Scalar) and isinstance(item.value, str)
        )

    def _functions(self, agent: Fields | None, step: Step) -> tuple[tuple[Function, Spanned], ...]:
        found = () if agent is None else agent[FUNCTIONS]
        places = [fields.at(FUNCTION) for fields in found]
        return tuple(zip(step.agent.functions, places, strict=True))

    # Texts with expressions

    def _blueprint(self, value: Value) -> Blueprint:
        match value:
            case Map():
                return self._blueprints(value)
            case List(items):
                return tuple(self._blueprint(item) for item in items)
            case Scalar(str(text)):
                return self._template(value, text)
            case Scalar(scalar):
                return None if isinstance(scalar, str) else scalar

    def _blueprints(self, value: Map) -> Mapping[str, Blueprint]:
        return {name: self._blueprint(entry.value) for name, entry in value.entries.items()}

    def _template(self, scalar: Scalar, text: str) -> Template:
        errors: list[ExpressionError] = []
        made = template(text, errors)
        self._report(errors, scalar, text)
        for expression in made.expressions:
            self.expressions.append(PlacedExpression(expression.node, text, scalar, "agent"))
        return made

    def _single(self, key: Key[str | None], where: Where) -> Expression | None:
        text, scalar = self.fields[key], self.fields.place(key)
        if text is None or not isinstance(scalar, Scalar):
            return None
        errors: list[ExpressionError] = []
        made = single(text, errors)
        self._report(errors, scalar, text)
        if made is not None:
            self.expressions.append(PlacedExpression(made.node, text, scalar, where))
        return made

    def _report(self, errors: list[ExpressionError], scalar: Scalar, text: str) -> None:
        for error in errors:
            at = within(self.report, scalar, text, error.start, error.end)
            self.report.add(EXPRESSION, error.message, at, error.hint)


def _plain_map(value: Map) -> dict[str, Json]:
    return {name: plain(entry.value) for name, entry in value.entries.items()}
