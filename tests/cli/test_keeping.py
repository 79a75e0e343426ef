"""`quintet export`, `backup` and `prune`: what is kept, elsewhere or no longer."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.calling import called
from tests.cli.runs import flow, ran, shown


def test_an_export_has_the_run_what_it_was_made_from_and_every_event(workplace: Path) -> None:
    ran(workplace, one="1")
    told = json.loads(called("export", "r").out)
    assert told["run"] == shown()
    assert told["made_from"]["definition"]["text"] == flow("one")
    assert [event["seq"] for event in told["events"]] == list(range(1, len(told["events"]) + 1))
    answer = called("export", "r", "-o", "r.json")
    assert (answer.code, answer.out) == (0, "")
    assert json.loads(Path("r.json").read_text()) == told
    assert called("export", "r", "-o", "none/r.json").code == 2


def test_a_backup_is_a_store_of_its_own(workplace: Path) -> None:
    ran(workplace, one="1")
    assert json.loads(called("backup", "copy.db", "--json").out)["bytes"] > 0
    assert called("show", "r", "--store", "copy.db").code == 0
    again = called("backup", "copy.db")
    assert (again.code, "exists already" in again.err) == (2, True)


def test_what_ended_long_ago_is_forgotten_and_nothing_else(workplace: Path) -> None:
    ran(workplace, one="1")
    assert called("prune", "--older-than", "1h").out == "0 runs forgotten\n"
    assert called("prune", "--before", "2001-01-31").out == "0 runs forgotten\n"
    assert json.loads(called("prune", "--older-than", "0s", "--json").out)["runs"] == 1
    assert called("show", "r").code == 2


@pytest.mark.parametrize(
    "options",
    [[], ["--older-than", "1d", "--before", "2001-01-31"], ["--older-than", "a month"], ["--before", "then"]],
    ids=" ".join,
)
def test_what_is_too_old_must_be_said_clearly(workplace: Path, options: list[str]) -> None:
    answer = called("prune", *options)
    assert (answer.code, answer.out) == (2, "")
