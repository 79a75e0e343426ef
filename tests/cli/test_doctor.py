"""`quintet doctor` tells what is here and what is wrong, and changes nothing."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from quintet.agents.models import weights
from tests.cli.calling import called
from tests.cli.runs import ran


@pytest.fixture(autouse=True)
def _nothing_around(workplace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("quintet.cli.choice.serving", list)
    monkeypatch.setattr(weights, "MODULE", "no_such_package")


def found(name: str, code: int = 0) -> dict[str, Any]:
    answer = called("doctor", "--json")
    assert answer.code == code
    told = json.loads(answer.out)
    assert told["ok"] is (code == 0)
    return next(one for one in told["findings"] if one["name"] == name)


def test_a_new_installation_is_sound_and_nothing_is_made(workplace: Path) -> None:
    answer = called("doctor")
    assert answer.code == 0
    headings = [line for line in answer.out.splitlines() if line and not line.startswith(" ")]
    assert headings == ["Versions", "Project", "Store", "Models"]
    assert found("runs")["state"] == "missing"
    assert not (workplace.parent / "home").exists()


def test_of_a_store_it_tells_the_size_and_that_it_is_sound(workplace: Path) -> None:
    ran(workplace, run_id="one", one="1")
    assert found("runs")["text"].startswith("1 run in ")
    assert found("integrity")["state"] == "ready"
    assert found("schema")["text"].endswith("as this release has it")


def test_a_store_that_is_none_is_broken(workplace: Path) -> None:
    (workplace.parent / "home").mkdir()
    (workplace.parent / "home" / "quintet.db").write_bytes(b"no database, but long enough" * 200)
    assert found("content", code=1)["state"] == "wrong"
    answer = called("doctor")
    assert (answer.code, answer.err) == (1, "1 thing to mend\n")
    assert "✗ content" in answer.out


def test_settings_that_are_wrong_are_told_with_their_line(workplace: Path) -> None:
    (workplace / "quintet.toml").write_text("stroe = 'x'\n")
    told = found("settings", code=1)
    assert "quintet.toml:1:1: " in told["text"]
    assert "stroe" in told["text"]
    (workplace / "quintet.toml").write_text("store = 'runs.db'\n")
    assert found("settings")["state"] == "ready"
    assert found("place")["text"].endswith("runs.db")


def test_weights_that_are_not_as_published_are_broken(workplace: Path) -> None:
    folder = workplace.parent / "home" / "models"
    folder.mkdir(parents=True)
    (folder / weights.FILE).write_bytes(b"half")
    told = found("offline:smollm2-135m", code=1)
    assert told["to_do"] == "quintet model install --force"
