"""The cassette file: read strictly, with a position for everything that is wrong with it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final

from quintet.agents.cassette import Answered, Asked, Called, Cassette, Outcome, Recording, Served
from quintet.agents.cassette_text import VERSION, answer_of
from quintet.agents.messages import Message
from quintet.agents.script_file import NEVER, Entries, exactly_one
from quintet.engine.failures import Failure
from quintet.engine.values import Json
from quintet.formats.codes import MISSING_KEY, UNKNOWN_VALUE
from quintet.formats.invalid import InvalidFile
from quintet.formats.kinds import ANYTHING, SOMETHING, TRUTH, Number
from quintet.formats.limits import Limits
from quintet.formats.report import Report
from quintet.formats.shape import (
    TEXT,
    Choice,
    Fields,
    Key,
    ListOf,
    Schema,
    Shape,
    Whole,
    Wrong,
)
from quintet.formats.source import UNNAMED, read
from quintet.formats.tables import Table
from quintet.formats.tree import Map, Value, head
from quintet.problems.problem import has_errors
from quintet.problems.wording import quoted

LIMITS: Final = Limits(size=64 * 1024 * 1024, values=2_000_000)
"""Nobody writes a cassette by hand; a long run is a long text."""
STATUSES: Final = ("completed", "failed", "paused", "cancelled")


# --- shapes -------------------------------------------------------------------------------------------

_KIND = Key("kind", TEXT, "provider", "What kind of failure it is.")
_MESSAGE = Key("message", TEXT, "", "What the failure says.")
_DEFINITE = Key("definite", TRUTH, False, "Whether it is certain that nothing happened.")
_DETAIL = Key("detail", ANYTHING, None, "What else is known of it.")
_FAILURE = Shape("an error", (_KIND, _MESSAGE, _DEFINITE, _DETAIL))


@dataclass(frozen=True, slots=True)
class _FailureKind:
    """A text, or a map with a kind and a message."""

    def read(self, value: Value, name: str, report: Report) -> Failure:
        if not isinstance(value, Map):
            return Failure("provider", TEXT.read(value, name, report))
        fields = _FAILURE.read(value, name, report)
        message = fields[_MESSAGE] or fields[_KIND]
        return Failure(fields[_KIND], message, fields[_DEFINITE], fields[_DETAIL])

    def schema(self) -> Schema:
        return {"anyOf": [TEXT.schema(), _FAILURE.schema()]}


_NAME = Key("name", TEXT, "", "Which tool is asked for.", required=True)
_ARGUMENTS: Key[Json] = Key("arguments", ANYTHING, {}, "What it is called with.")
_CALL = Shape("a tool call", (_NAME, _ARGUMENTS))
_CALLS: Key[tuple[Fields, ...]] = Key("tools", ListOf(_CALL, "a tool call"), (), "Tools that are asked for.")

_SYSTEM = Key("system", TEXT, "", "What the agent is told before all else.")
_USER = Key("user", TEXT, "", "What it is told.")
_ASSISTANT = Key("assistant", TEXT, "", "What it has said.")
_TOOL = Key("tool", TEXT, "", "The tool that has given this.")
_RESULT: Key[Json] = Key("result", ANYTHING, None, "What the tool has given.")
_TOLD = Key("error", TEXT, "", "Why the tool has failed.")
_WORDS = Shape("a message", (_SYSTEM, _USER, _ASSISTANT, _CALLS, _TOOL, _RESULT, _TOLD))

_COUNT = Whole(0, 2**53)
_INPUT = Key("input", _COUNT, 0, "Tokens of the request.")
_OUTPUT = Key("output", _COUNT, 0, "Tokens of the answer.")
_CACHE_READ = Key("cache_read", _COUNT, 0, "Of the input, what the provider had kept.")
_CACHE_WRITE = Key("cache_write", _COUNT, 0, "Of the input, what the provider keeps.")
_TOKENS = Shape("tokens", (_INPUT, _OUTPUT, _CACHE_READ, _CACHE_WRITE))

_AT = Key("at", TEXT, "", "Where it was asked.")
_ID = Key("id", Whole(1, 2**53), 0, "What those name that come after it in a conversation.")
_AFTER = Key("after", Whole(1, 2**53), 0, "Goes on with the conversation of the entry with this id.")
_ASKED: Key[tuple[Fields, ...]] = Key(
    "asked", ListOf(_WORDS, "a message"), (), "What was asked, as far as it was new.", required=True
)
_WISH = Key("wish", TEXT, "", "Which of the wishes went with it.")
_REPLY = Key("reply", TEXT, "", "What the model said.")
_VALUE: Key[Json] = Key("value", ANYTHING, None, "The reply as a value.")
_MODEL = Key("model", TEXT, "", "Which model was asked.")
_ANSWERED = Key("answered", TEXT, "", "Which model really answered.")
_USED: Key[Fields] = Key("tokens", _TOKENS, NEVER, "What it took.")
_COST = Key("cost_usd", Number(0), 0.0, "What it cost.")
_FAILS: Key[Failure] = Key("error", _FailureKind(), NEVER, "It failed with this.")
_UNANSWERED = Key("unanswered", TRUTH, False, "It was given up before there was an answer.")
_TOOK = Key("took", Number(0), 0.0, "Seconds until the answer.")
_ENTRY = Shape(
    "an entry",
    (
        *(_AT, _ID, _AFTER, _ASKED, _WISH, _REPLY, _CALLS, _VALUE, _MODEL, _ANSWERED, _USED, _COST),
        *(_FAILS, _UNANSWERED, _TOOK),
    ),
)

_AGENT: Key[str | None] = Key("agent", TEXT, None, "Who has asked for it.")
_TOOL_ENTRY = Shape("an entry", (_AT, _AGENT, _ARGUMENTS, _RESULT, _FAILS, _UNANSWERED, _TOOK))
_DATA: Key[Json] = Key("data", ANYTHING, None, "What it was asked.")
_SERVICE_ENTRY = Shape("an entry", (_AT, _DATA, _RESULT, _FAILS, _UNANSWERED, _TOOK))

_SCHEMA: Key[Json] = Key("schema", ANYTHING, None, "The JSON Schema that the answer had to satisfy.")
_OFFERS = Key("tools", ListOf(SOMETHING, "a tool"), (), "The tools that were offered.")
_WISHES_SHAPE = Shape("a wish", (_SCHEMA, _OFFERS))

_QUESTION = Key("at", TEXT, "", "Which question it is.", required=True)
_ANSWER: Key[Json] = Key("answer", ANYTHING, None, "What was answered.", required=True)
_ANSWER_SHAPE = Shape("an answer", (_QUESTION, _ANSWER))

_STATUS = Key("status", Choice(STATUSES), "", "What became of the run.", required=True)
_GAVE: Key[Json] = Key("output", ANYTHING, None, "What it gave.")
_TROUBLE: Key[Json] = Key("error", ANYTHING, None, "Why it failed.")
_OUTCOME_SHAPE = Shape("the outcome", (_STATUS, _GAVE, _TROUBLE))

_VERSION = Key("cassette", Whole(VERSION, VERSION), VERSION, "The version of this shape.", required=True)
_WORKFLOW = Key("workflow", TEXT, "", "The workflow's name.")
_FORMAT = Key("format", TEXT, "", "Its format.")
_BEGAN: Key[Json] = Key("arguments", ANYTHING, None, "What the run began with.")
_OUTCOME: Key[Fields] = Key("outcome", _OUTCOME_SHAPE, NEVER, "What came of it.")
_AGENTS: Key[Mapping[str, tuple[Fields, ...]]] = Key(
    "agents", Entries(_ENTRY, "an entry"), {}, "What agents said, by name."
)
_TOOLS: Key[Mapping[str, tuple[Fields, ...]]] = Key(
    "tools", Entries(_TOOL_ENTRY, "an entry"), {}, "What tools gave, by name."
)
_SERVICES: Key[Mapping[str, tuple[Fields, ...]]] = Key(
    "services", Entries(_SERVICE_ENTRY, "an entry"), {}, "What services of the host gave, by name."
)
_ANSWERS: Key[tuple[Fields, ...]] = Key(
    "answers", ListOf(_ANSWER_SHAPE, "an answer"), (), "What people said."
)
_WISHES: Key[Mapping[str, Fields]] = Key(
    "wishes", Table(_WISHES_SHAPE, "a table of wishes"), {}, "Schemas and tools."
)
_CASSETTE = Shape(
    "a cassette",
    (_VERSION, _WORKFLOW, _FORMAT, _BEGAN, _OUTCOME, _AGENTS, _TOOLS, _SERVICES, _ANSWERS, _WISHES),
)


def schema() -> Schema:
    """The JSON Schema of a cassette, for editors."""
    return _CASSETTE.schema()


def parse(text: str | bytes, path: str = UNNAMED) -> Cassette:
    """The cassette that a text says.  Raises InvalidFile."""
    reading = read(text, path, LIMITS)
    cassette = Cassette()
    if reading.root is not None:
        with suppress(Wrong):
            cassette = _cassette(_CASSETTE.read(reading.root, "the cassette", reading.report), reading.report)
    if has_errors(reading.report.problems):
        raise InvalidFile(reading.report.problems)
    return cassette


def _cassette(fields: Fields, report: Report) -> Cassette:
    outcome = fields[_OUTCOME] if fields.given(_OUTCOME) and not fields.wrong(_OUTCOME) else None
    return Cassette(
        fields[_WORKFLOW],
        fields[_FORMAT],
        fields[_BEGAN],
        None if outcome is None else Outcome(outcome[_STATUS], outcome[_GAVE], _map(outcome[_TROUBLE])),
        tuple(_Reader(fields, report).models()),
        _recordings(fields[_TOOLS], report, lambda name, one: Called(name, one[_ARGUMENTS], one[_AGENT])),
        _recordings(fields[_SERVICES], report, lambda name, one: Served(name, one[_DATA])),
        tuple(Answered(one[_QUESTION], one[_ANSWER]) for one in fields[_ANSWERS]),
    )


def _map(value: Json) -> Mapping[str, Json] | None:
    return value if isinstance(value, Mapping) else None


class _Reader:
    """Reads requests to models, each with the conversation that it goes on with."""

    def __init__(self, fields: Fields, report: Report) -> None:
        self._report = report
        self._wishes = fields[_WISHES]
        self._entries = [(name, one) for name, entries in fields[_AGENTS].items() for one in entries]
        self._by_id = {one[_ID]: one for _, one in self._entries if one[_ID]}
        self._known: dict[int, list[Message]] = {}
        """Conversations up to and with the answer of an entry."""
        self._new: dict[int, list[Message]] = {}

    def models(self) -> list[Recording[Asked]]:
        return [self._recording(name, entry) for name, entry in self._entries]

    def _recording(self, name: str, entry: Fields) -> Recording[Asked]:
        one_end(entry, (_REPLY, _CALLS), self._report)
        words = [*self._before(entry), *self._asked(entry)]
        wish = self._wishes.get(entry[_WISH])
        if entry[_WISH] and wish is None:
            self._report.add(UNKNOWN_VALUE, f"there is no wish {quoted(entry[_WISH])}", entry.at(_WISH))
        asked = Asked(name, words) if wish is None else Asked(name, words, _map(wish[_SCHEMA]), wish[_OFFERS])
        return _recording(asked, entry, _said(entry))

    def _before(self, entry: Fields) -> list[Message]:
        """The conversation that an entry goes on with."""
        chain: list[Fields] = []
        while entry[_AFTER]:
            before = self._by_id.get(entry[_AFTER])
            if before is None or before in chain:
                what = "there is no entry with this id" if before is None else "it comes after itself"
                self._report.add(UNKNOWN_VALUE, f"{what}: {entry[_AFTER]}", entry.at(_AFTER))
                break
            chain.append(before)
            entry = before
            if entry[_ID] in self._known:
                break
        return self._told(chain)

    def _told(self, chain: list[Fields]) -> list[Message]:
        words: list[Message] = []
        for entry in reversed(chain):
            known = self._known.get(entry[_ID])
            if known is None:
                known = self._known[entry[_ID]] = [*words, *self._asked(entry), answer_of(_said(entry))]
            words = known
        return words

    def _asked(self, entry: Fields) -> list[Message]:
        """What was new in a request; what is wrong with it is told once."""
        place = entry.map.start
        if place not in self._new:
            self._new[place] = [_message(message, self._report) for message in entry[_ASKED]]
        return self._new[place]


def _recordings(
    groups: Mapping[str, tuple[Fields, ...]], report: Report, request: Callable[[str, Fields], object]
) -> tuple[Recording[Any], ...]:
    found: list[Recording[Any]] = []
    for name, entries in groups.items():
        for entry in entries:
            one_end(entry, (_RESULT,), report)
            found.append(_recording(request(name, entry), entry, entry[_RESULT]))
    return tuple(found)


def _recording(asked: Any, entry: Fields, value: Json) -> Recording[Any]:
    failure = entry[_FAILS] if entry.given(_FAILS) and not entry.wrong(_FAILS) else None
    gave = failure is None and not entry[_UNANSWERED]
    return Recording(
        asked, value if gave else None, failure, not entry[_UNANSWERED], entry[_AT], entry[_TOOK]
    )


def one_end(entry: Fields, gives: tuple[Key[Any], ...], report: Report) -> None:
    """It gives something, or fails, or was given up."""
    given = [key for key in gives if entry.given(key)]
    ends = given[:1] + [key for key in (_FAILS, _UNANSWERED) if entry.given(key)]
    if not ends:
        names = [*(quoted(key.name) for key in gives), "'error'", "'unanswered'"]
        report.add(MISSING_KEY, f"an entry needs one of {', '.join(names)}", head(entry.map))
    elif len(ends) > 1:
        exactly_one(entry, tuple(ends), report)


def _message(fields: Fields, report: Report) -> Message:
    exactly_one(fields, (_SYSTEM, _USER, _ASSISTANT, _TOOL), report, "a message")
    if fields.given(_TOOL):
        gave: dict[str, Json] = (
            {"error": fields[_TOLD]} if fields.given(_TOLD) else {"result": fields[_RESULT]}
        )
        return {"role": "tool", "tool": fields[_TOOL], **gave}
    for key in (_SYSTEM, _USER):
        if fields.given(key):
            return {"role": key.name, "text": fields[key]}
    return answer_of({"text": fields[_ASSISTANT], "calls": _calls(fields)})


def _calls(fields: Fields) -> list[Json]:
    return [{"tool": call[_NAME], "arguments": call[_ARGUMENTS]} for call in fields[_CALLS]]


def _said(entry: Fields) -> dict[str, Any]:
    said: dict[str, Any] = {"text": entry[_REPLY], "calls": _calls(entry), "usage": _usage(entry)}
    for key in (_VALUE, _MODEL, _ANSWERED, _COST):
        if entry.given(key):
            said[key.name] = entry[key]
    return said


def _usage(entry: Fields) -> dict[str, Json]:
    tokens = entry[_USED] if entry.given(_USED) and not entry.wrong(_USED) else None
    if tokens is None:
        return {"input": 0, "output": 0}
    usage: dict[str, Json] = {"input": tokens[_INPUT], "output": tokens[_OUTPUT]}
    return usage | {key.name: tokens[key] for key in (_CACHE_READ, _CACHE_WRITE) if tokens.given(key)}
