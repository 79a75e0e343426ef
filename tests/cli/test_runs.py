"""`quintet runs` lists what has run."""

from __future__ import annotations

import json
from pathlib import Path

from tests.cli.calling import called
from tests.cli.runs import ran


def listed(*options: str) -> list[str]:
    return [row["run_id"] for row in json.loads(called("runs", "--json", *options).out)["runs"]]


def test_the_newest_is_first_and_filters_narrow_the_list(workplace: Path) -> None:
    ran(workplace, run_id="old", one="1")
    ran(workplace, run_id="bad", one={"error": "x"})
    ran(workplace, run_id="new", one="1")
    assert listed() == ["new", "bad", "old"]
    assert listed("--status", "failed") == ["bad"]
    assert listed("--workflow", "other") == []
    assert listed("--format", "openfang", "--limit", "1", "--before", "bad") == ["old"]
    lines = called("runs").out.splitlines()
    assert lines[0].split()[:2] == ["STATUS", "RUN"]
    assert lines[2].split()[:3] == ["✗", "failed", "bad"]


def test_where_nothing_has_run_the_list_is_empty_and_no_store_is_made(workplace: Path) -> None:
    assert (called("runs").out, listed()) == ("no runs\n", [])
    assert called("inbox").out == "no questions\n"
    assert not (workplace.parent / "home").exists()


def test_a_store_that_somebody_names_and_that_is_not_there_is_told(workplace: Path) -> None:
    for verb, key in (("runs", "runs"), ("inbox", "questions")):
        answer = called(verb, "--store", "sqlite:///none.db", "--json")
        assert (answer.code, answer.err) == (0, "there is no store at none.db: no run was kept there\n")
        assert json.loads(answer.out) == {key: []}
    answer = called("show", "r", "--store", "sqlite:///none.db")
    assert (answer.code, answer.err) == (2, "error: there is no store at none.db: no run was kept there\n")
    assert not Path("none.db").exists()
