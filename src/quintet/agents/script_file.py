"""The script file: YAML or JSON, read strictly, with a position for everything that is wrong with it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Generic, TypeVar

from quintet.agents.script import Error, Line, Reply, Script, ToolLine, Tools
from quintet.engine.values import Json
from quintet.formats.codes import MISSING_KEY, UNKNOWN_KEY
from quintet.formats.invalid import InvalidFile
from quintet.formats.kinds import ANYTHING, SOMETHING, TRUTH, Number
from quintet.formats.report import Report
from quintet.formats.shape import (
    TEXT,
    Choice,
    Fields,
    Key,
    Kind,
    ListOf,
    Schema,
    Shape,
    Whole,
    Wrong,
    wrong_type,
)
from quintet.formats.source import UNNAMED, read
from quintet.formats.tree import List, Map, Value, head
from quintet.problems.problem import has_errors
from quintet.problems.wording import one_of, quoted

T = TypeVar("T")
KINDS: Final = ("timeout", "rate_limit", "provider", "refused")


@dataclass(frozen=True, slots=True)
class Entries(Generic[T]):
    """Names, and behind each at least one entry."""

    entry: Kind[T]
    noun: str

    def read(self, value: Value, name: str, report: Report) -> Mapping[str, tuple[T, ...]]:
        if not isinstance(value, Map):
            raise wrong_type(value, name, "a map of names", report)
        return {name: self._entries(entry.value, name, report) for name, entry in value.entries.items()}

    def _entries(self, value: Value, name: str, report: Report) -> tuple[T, ...]:
        if isinstance(value, List) and not value.items:
            report.add(MISSING_KEY, f"{quoted(name)} needs at least one entry", head(value))
        try:
            return ListOf(self.entry, self.noun).read(value, name, report)
        except Wrong:
            return ()

    def schema(self) -> Schema:
        entries: Json = {"type": "array", "minItems": 1, "items": self.entry.schema()}
        return {"type": "object", "additionalProperties": entries}


# --- shapes -------------------------------------------------------------------------------------------

_ERROR_KIND = Key("kind", Choice(KINDS), "provider", "What kind of failure it is.")
_ERROR_MESSAGE = Key("message", TEXT, "", "What the failure says; its kind if absent.")
_ERROR = Shape("an error", (_ERROR_KIND, _ERROR_MESSAGE))


@dataclass(frozen=True, slots=True)
class _ErrorKind:
    """A text, or a map with a kind and a message."""

    def read(self, value: Value, name: str, report: Report) -> Error:
        if isinstance(value, Map):
            fields = _ERROR.read(value, name, report)
            kind = fields[_ERROR_KIND]
            return Error(fields[_ERROR_MESSAGE] or kind, kind)
        return Error(TEXT.read(value, name, report))

    def schema(self) -> Schema:
        return {"anyOf": [TEXT.schema(), _ERROR.schema()]}


_INPUT = Key("input", Whole(0, 2**53), 0, "Tokens of the request.")
_OUTPUT = Key("output", Whole(0, 2**53), 0, "Tokens of the answer.")
_TOKENS = Shape("tokens", (_INPUT, _OUTPUT))

_TOOL_NAME = Key("name", TEXT, "", "Which tool is asked for.", required=True)
_ARGUMENTS = Key("arguments", ANYTHING, {}, "What it is called with.")
_TOOL_CALL = Shape("a tool call", (_TOOL_NAME, _ARGUMENTS))

NEVER: Any = None
"""The default of keys whose presence is looked at first."""

_REPLY = Key("reply", SOMETHING, NEVER, "What the agent answers; a map or list is sent as JSON.")
_FAILS = Key("error", _ErrorKind(), NEVER, "The call fails with this.")
_TOOL = Key("tool", _TOOL_CALL, NEVER, "The tool that the agent asks for.")
_TOOLS = Key("tools", ListOf(_TOOL_CALL, "a tool call"), NEVER, "Tools that the agent asks for at once.")
_DELAY = Key("delay", Number(0), 0.0, "Seconds before it happens.")
_USED: Key[Fields] = Key("tokens", _TOKENS, NEVER, "What the call is said to have used.")
_LINE = Shape("an entry", (_REPLY, _FAILS, _TOOL, _TOOLS, _DELAY, _USED))

_RESULT = Key("result", ANYTHING, NEVER, "What the tool gives.")
_TOOL_LINE = Shape("an entry", (_RESULT, _FAILS, _DELAY))

_AGENTS = Key("agents", Entries(_LINE, "an entry"), {}, "What agents say, by name; '*' is any other.")
_TOOL_LINES = Key("tools", Entries(_TOOL_LINE, "an entry"), {}, "What tools give, by name.")
_DEFAULT = Key("default_agents", TRUTH, False, 'Whether agents not listed answer "ok".')
SCRIPT: Final = Shape("a script", (_AGENTS, _TOOL_LINES, _DEFAULT))


def schema() -> Schema:
    """The JSON Schema of a script, for editors."""
    return SCRIPT.schema()


def parse(text: str | bytes, path: str = UNNAMED) -> Script:
    """The script that a text says.  Raises InvalidFile."""
    reading = read(text, path)
    script = Script() if reading.root is None else read_script(reading.root, reading.report)
    if has_errors(reading.report.problems):
        raise InvalidFile(reading.report.problems)
    return script


def read_script(root: Value, report: Report) -> Script:
    """The script that a value says; what is wrong with it is in the report."""
    try:
        fields = SCRIPT.read(root, "the script", report)
    except Wrong:
        return Script()
    agents = {name: tuple(_line(one, report) for one in lines) for name, lines in fields[_AGENTS].items()}
    tools = {
        name: tuple(_tool_line(one, report) for one in lines) for name, lines in fields[_TOOL_LINES].items()
    }
    return Script(agents, tools, fields[_DEFAULT])


def _line(fields: Fields, report: Report) -> Line:
    exactly_one(fields, (_REPLY, _FAILS, _TOOL, _TOOLS), report)
    tokens = fields[_USED] if fields.given(_USED) and not fields.wrong(_USED) else None
    used = (tokens[_INPUT], tokens[_OUTPUT]) if tokens else (0, 0)
    return Line(_act(fields), fields[_DELAY], *used)


def _act(fields: Fields) -> Reply | Error | Tools:
    if fields.given(_FAILS) and not fields.wrong(_FAILS):
        return fields[_FAILS]
    if fields.given(_TOOL) and not fields.wrong(_TOOL):
        return Tools((_call(fields[_TOOL]),))
    if fields.given(_TOOLS) and not fields.wrong(_TOOLS):
        return Tools(tuple(map(_call, fields[_TOOLS])))
    return Reply(fields[_REPLY])


def _call(fields: Fields) -> tuple[str, Json]:
    return fields[_TOOL_NAME], fields[_ARGUMENTS]


def _tool_line(fields: Fields, report: Report) -> ToolLine:
    exactly_one(fields, (_RESULT, _FAILS), report)
    is_error = fields.given(_FAILS) and not fields.wrong(_FAILS)
    return ToolLine(fields[_FAILS] if is_error else Reply(fields[_RESULT]), fields[_DELAY])


def exactly_one(fields: Fields, keys: tuple[Key[Any], ...], report: Report, noun: str = "an entry") -> None:
    """An entry does one thing."""
    given = [key for key in keys if fields.given(key)]
    if not given:
        report.add(
            MISSING_KEY, f"{noun} needs {one_of([quoted(key.name) for key in keys])}", head(fields.map)
        )
    for key in given[1:]:
        message = f"{quoted(key.name)} cannot stand beside {quoted(given[0].name)}"
        report.add(UNKNOWN_KEY, message, fields.key_at(key), "make two entries of it")
