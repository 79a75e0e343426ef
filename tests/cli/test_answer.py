"""`quintet inbox` lists what is asked, and `quintet answer` answers it and goes on."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from quintet.formats.registry import formats
from tests.cli.asking import entry_points
from tests.cli.calling import Answer, called
from tests.cli.files import written
from tests.cli.runs import script


@pytest.fixture(autouse=True)
def _asking(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr("importlib.metadata.entry_points", entry_points)
    formats.cache_clear()
    yield
    formats.cache_clear()


def asked(folder: Path, asks: str) -> Answer:
    path, says = written(folder, "ask.yaml", f"asks: {asks}"), written(folder, "s.json", script())
    return called("run", path, "--script", says, "--run-id", "r")


def test_a_run_that_waits_for_a_person_has_exit_code_3_and_is_in_the_inbox(workplace: Path) -> None:
    answer = asked(workplace, "{gate: {decision: boolean}}")
    assert (answer.code, answer.out) == (3, "")
    assert "quintet answer r decision=true" in answer.err
    assert "What of gate?" in called("inbox").out
    (question,) = json.loads(called("inbox", "--json").out)["questions"]
    assert (question["run_id"], question["path"], question["fields"][0]["name"]) == (
        "r",
        "gate/asked",
        "decision",
    )
    assert called("resume", "r").code == 3


@pytest.mark.parametrize(
    ("fields", "values", "given"),
    [
        ("{a: text}", ["a=5"], {"a": "5"}),
        ("{a: text, b: number, c: boolean}", ["a=x=y", "b=1.5", "c=No"], {"a": "x=y", "b": 1.5, "c": False}),
        ("{a: json}", ['a={"x": [1]}'], {"a": {"x": [1]}}),
        ("{a: integer}", ["7"], {"a": 7}),
        ("{}", ["yes"], "yes"),
        ("{}", ["a=b"], "a=b"),
        ("{}", ["[1]"], [1]),
    ],
)
def test_values_are_read_in_the_types_of_their_fields(
    workplace: Path, fields: str, values: list[str], given: object
) -> None:
    asked(workplace, f"{{gate: {fields}}}")
    answer = called("answer", "r", *values, "--json")
    assert (answer.code, json.loads(answer.out)["output"]) == (0, {"gate": given})


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ([], "an answer is missing: What of gate?"),
        (["yes=maybe"], "a is missing; there is no field 'yes'"),
        (["a=x"], "a must be a whole number"),
        (["a=1", "a=2"], "given twice"),
    ],
)
def test_an_answer_that_does_not_fit_is_refused_and_the_run_waits_on(
    workplace: Path, values: list[str], said: str
) -> None:
    asked(workplace, "{gate: {a: integer, b: json}}" if "twice" in said else "{gate: {a: integer}}")
    answer = called("answer", "r", *values)
    assert (answer.code, answer.out) == (2, "")
    assert said in answer.err
    assert called("resume", "r").code == 3


def test_of_several_questions_one_is_named(workplace: Path) -> None:
    asked(workplace, "{one: {}, two: {}}")
    several = called("answer", "r", "x")
    assert several.code == 2
    assert "asks 2 questions; say which: one/asked, two/asked" in several.err
    unknown = called("answer", "r", "x", "--question", "three")
    assert (unknown.code, "does not ask 'three'" in unknown.err) == (2, True)
    assert called("answer", "r", "1", "--question", "two/asked").code == 3
    assert json.loads(called("answer", "r", "2").out) == {"one": 2, "two": 1}


def test_a_run_that_asks_nothing_cannot_be_answered(workplace: Path) -> None:
    asked(workplace, "{gate: {}}")
    called("answer", "r", "x")
    answer = called("answer", "r", "y")
    assert (answer.code, answer.err.splitlines()[0]) == (2, "error: run r is completed: it cannot go on")
    assert called("answer", "none", "y").code == 2
