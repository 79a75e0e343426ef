"""The test file: YAML or JSON, read strictly, with a position for everything that is wrong with it.

tests:
  - name: is approved in the second round
    prompt: tea
    script: review.script.yaml
    expect:
      output: {contains: APPROVED}
      steps: [first-draft, review (iter 1), review (iter 2)]
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, TypeAlias

from quintet.agents.cassette_file import STATUSES
from quintet.agents.script_file import SCRIPT, read_script
from quintet.cases.case import Case
from quintet.cases.expecting import BadPattern, is_like, pattern
from quintet.cases.naming import beside, workflow_of
from quintet.engine.values import Json
from quintet.formats.codes import MISSING_KEY, UNKNOWN_KEY, WRONG_TYPE
from quintet.formats.invalid import InvalidFile
from quintet.formats.kinds import ANYTHING
from quintet.formats.report import Report
from quintet.formats.shape import TEXT, Choice, Fields, Key, ListOf, Schema, Shape, Wrong, wrong_type
from quintet.formats.source import read_file
from quintet.formats.tables import Table
from quintet.formats.tree import List, Map, Scalar, Value, head, plain
from quintet.problems.problem import has_errors

Scripted: TypeAlias = "str | Mapping[str, Any] | None"


@dataclass(frozen=True, slots=True)
class _ScriptKind:
    """The path of a script, or what a script says."""

    def read(self, value: Value, name: str, report: Report) -> str | Mapping[str, Any]:
        if not isinstance(value, Map):
            return TEXT.read(value, name, report)
        read_script(value, report)
        said: Any = plain(value)
        return said

    def schema(self) -> Schema:
        return {"anyOf": [TEXT.schema(), SCRIPT.schema()]}


@dataclass(frozen=True, slots=True)
class _Expected:
    """Any value, or what it is to be like."""

    def read(self, value: Value, name: str, report: Report) -> Json:
        _check(value, report)
        return plain(value)

    def schema(self) -> Schema:
        return {}


def _check(value: Value, report: Report) -> None:
    """What is said of texts can be said of them."""
    if isinstance(value, List):
        for item in value.items:
            _check(item, report)
    elif isinstance(value, Map):
        matches = value.get("matches") if is_like(plain(value)) else None
        if matches is not None:
            _check_pattern(matches, report)
        for entry in value.entries.values():
            _check(entry.value, report)


def _check_pattern(value: Value, report: Report) -> None:
    try:
        pattern(TEXT.read(value, "matches", report))
    except BadPattern as bad:
        assert isinstance(value, Scalar)
        report.add(WRONG_TYPE, str(bad), value)
    except Wrong:
        pass


@dataclass(frozen=True, slots=True)
class _Steps:
    """The paths of all steps in their order, or by path what single ones are to be like."""

    def read(self, value: Value, name: str, report: Report) -> Json:
        if isinstance(value, List):
            return ListOf(TEXT, "a path").read(value, name, report)
        if isinstance(value, Map):
            return _Expected().read(value, name, report)
        raise wrong_type(value, name, "a list of paths, or a map of steps", report)

    def schema(self) -> Schema:
        return {"type": ["array", "object"]}


_STATUS: Key[str] = Key(
    "status", Choice(STATUSES), "", "What becomes of the run; completed, unless it fails."
)
_OUTPUT: Key[Json] = Key("output", _Expected(), None, "What it gives.")
_ERROR: Key[Json] = Key("error", _Expected(), None, "Why it fails: its message, or a map.")
_NATIVE: Key[Json] = Key("native", _Expected(), None, "The result as the format has it, as far as is said.")
_STEPS: Key[Json] = Key("steps", _Steps(), None, "All steps, or single ones.")
_USAGE: Key[Json] = Key("usage", _Expected(), None, "What it takes.")
_EXPECT = Shape("an expectation", (_STATUS, _OUTPUT, _ERROR, _NATIVE, _STEPS, _USAGE))

_NAME = Key("name", TEXT, "", "What the test is called.", required=True)
_PROMPT: Key[str | None] = Key("prompt", TEXT, None, "The prompt.")
_INPUTS: Key[Mapping[str, Json]] = Key("inputs", Table(ANYTHING, "a map of inputs"), {}, "Named inputs.")
_SCRIPT: Key[Scripted] = Key("script", _ScriptKind(), None, "The script that answers: its path, or itself.")
_CASSETTE: Key[str | None] = Key("cassette", TEXT, None, "The path of the cassette that answers.")
_AGENTS: Key[str | None] = Key("agents", TEXT, None, "The folder in which agents are defined.")
_CONFIG: Key[str | None] = Key("config", TEXT, None, "The project's settings.")
_ANSWERS: Key[Mapping[str, Json]] = Key(
    "answers", Table(ANYTHING, "a map of answers"), {}, "What a person answers, by where that is asked."
)
_EXPECTS: Key[Fields | None] = Key("expect", _EXPECT, None, "What is to come of it.")
_TEST = Shape("a test", (_NAME, _PROMPT, _INPUTS, _SCRIPT, _CASSETTE, _AGENTS, _CONFIG, _ANSWERS, _EXPECTS))

_WORKFLOW: Key[str | None] = Key("workflow", TEXT, None, "The path of the workflow; else the one beside.")
_TESTS: Key[tuple[Fields, ...]] = Key("tests", ListOf(_TEST, "a test"), (), "The tests.", required=True)
_FILE: Final = Shape("a test file", (_WORKFLOW, _SCRIPT, _CASSETTE, _AGENTS, _CONFIG, _TESTS))


def schema() -> Schema:
    """The JSON Schema of a test file, for editors."""
    return _FILE.schema()


def cases_in(path: Path) -> list[Case]:
    """The tests that a file says.  Raises InvalidFile."""
    reading = read_file(path)
    report, cases = reading.report, list[Case]()
    if reading.root is not None:
        try:
            cases = _Reader(path, _FILE.read(reading.root, "the file", report), report).cases()
        except Wrong:
            cases = []
    if has_errors(report.problems):
        raise InvalidFile(report.problems)
    return cases


class _Reader:
    """Reads tests; what they do not say, their file says for all of them."""

    def __init__(self, path: Path, fields: Fields, report: Report) -> None:
        self._path = path
        self._fields = fields
        self._report = report

    def cases(self) -> list[Case]:
        fields, report = self._fields, self._report
        workflow = self._file(fields, _WORKFLOW) or workflow_of(self._path)
        if workflow is None:
            report.add(
                MISSING_KEY, "no workflow is beside this file", head(fields.map), "name it: workflow: …"
            )
        if fields.given(_TESTS) and not fields.wrong(_TESTS) and not fields[_TESTS]:
            report.add(MISSING_KEY, "there is no test", head(fields.at(_TESTS)))
        self._one_answers(fields)
        return [self._case(one, workflow or self._path) for one in fields[_TESTS]]

    def _case(self, test: Fields, workflow: Path) -> Case:
        script, cassette = self._answering(test)
        return Case(
            test[_NAME],
            self._path,
            workflow,
            script=script,
            cassette=cassette,
            prompt=test[_PROMPT],
            inputs=test[_INPUTS],
            agents=self._file(test, _AGENTS) or self._file(self._fields, _AGENTS),
            config=self._file(test, _CONFIG) or self._file(self._fields, _CONFIG),
            answers=test[_ANSWERS],
            expect=_expected(test),
        )

    def _answering(self, test: Fields) -> tuple[Path | Mapping[str, Any] | None, Path | None]:
        """Who answers: as the test says, or its file, or else what is beside it."""
        self._one_answers(test)
        for fields in (test, self._fields):
            if fields.given(_SCRIPT):
                script = fields[_SCRIPT]
                return (self._file(fields, _SCRIPT) if isinstance(script, str) else script), None
            if fields.given(_CASSETTE):
                return None, self._file(fields, _CASSETTE)
        script, cassette = beside(self._path, "script"), beside(self._path, "cassette")
        if (script is None) == (cassette is None):
            why = "who answers? name a script or a cassette: a test asks no model"
            self._report.add(MISSING_KEY, why, head(test.map))
        return script, cassette

    def _one_answers(self, fields: Fields) -> None:
        if fields.given(_SCRIPT) and fields.given(_CASSETTE):
            message = "'cassette' cannot stand beside 'script'"
            self._report.add(UNKNOWN_KEY, message, fields.key_at(_CASSETTE), "make two tests of it")

    def _file(self, fields: Fields, key: Key[Any]) -> Path | None:
        """A file or a folder, from where this file is."""
        named = fields[key]
        return self._path.parent / named if isinstance(named, str) else None


def _expected(test: Fields) -> Mapping[str, Json] | None:
    expect = test[_EXPECTS]
    if expect is None:
        return None
    keys: tuple[Key[Any], ...] = (_OUTPUT, _ERROR, _NATIVE, _STEPS, _USAGE)
    status = expect[_STATUS] or ("failed" if expect.given(_ERROR) else "completed")
    return {"status": status, **{key.name: expect[key] for key in keys if expect.given(key)}}
