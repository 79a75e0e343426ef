"""`--record` and `--fake`: a run is recorded, and played without asking anybody."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.calling import Answer, called
from tests.cli.files import written
from tests.cli.runs import ran, shown


def faked(folder: Path, prompt: str, *options: str, run_id: str = "f") -> Answer:
    return called("run", str(folder / "flow.json"), prompt, "--fake", "c.yaml", "--run-id", run_id, *options)


def test_a_recorded_run_is_played(workplace: Path) -> None:
    recorded = ran(workplace, "--record", "c.yaml", one="first", two="<{{prompt}}>")
    assert recorded.code == 0
    assert "\nrecorded in c.yaml\n" in recorded.err
    answer = faked(workplace, "in")
    assert (answer.code, answer.out) == (0, "<two first>\n")
    steps = [{**step, "duration_ms": 0} for step in shown("r")["steps"]]
    assert [{**step, "duration_ms": 0} for step in shown("f")["steps"]] == steps


def test_a_miss_is_told_with_the_difference_and_how_to_go_on(workplace: Path) -> None:
    ran(workplace, "--record", "c.yaml", one="first")
    answer = faked(workplace, "out")
    assert (answer.code, answer.out) == (1, "")
    assert "the agent 'one' is asked what is not on the cassette" in answer.err
    assert "\n-user: one in\n+user: one out\n" in answer.err
    assert answer.err.endswith("quintet resume f --fake FILE\n")
    told = json.loads(faked(workplace, "out", "--json", run_id="g").out)
    assert told["error"]["kind"] == "not-recorded"


def test_resume_keeps_the_cassette_and_takes_another(workplace: Path) -> None:
    ran(workplace, "--record", "c.yaml", one="first")
    text = (workplace / "c.yaml").read_text()
    written(workplace, "c.yaml", text.replace("one in", "one no"))
    assert faked(workplace, "in").code == 1
    written(workplace, "c.yaml", text)
    again = called("resume", "f")
    assert again.code == 1
    assert "c.yaml has changed since the run began" in again.err
    assert called("resume", "f", "--fake", "c.yaml").out == "first\n"


def test_any_run_is_exported_as_a_cassette(workplace: Path) -> None:
    ran(workplace, "--record", "c.yaml", one="first")
    recorded = (workplace / "c.yaml").read_text()
    assert called("export", "r", "--as", "cassette").out == recorded
    assert called("export", "r", "--as", "cassette", "-o", "d.yaml").code == 0
    assert (workplace / "d.yaml").read_text() == recorded
    assert called("export", "r", "--as", "cassette", "--json").code == 2


def test_a_plan_tells_what_the_cassette_has(workplace: Path) -> None:
    ran(workplace, "--record", "c.yaml", one="first", two="second")
    assert "the cassette, 1 answer" in faked(workplace, "in", "--dry-run").out


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--fake", "c.yaml", "--script", "script.json"], "--fake and --script exclude each other"),
        (["--fake", "c.yaml", "--record", "d.yaml"], "--fake and --record exclude each other"),
        (["--fake", "missing.yaml"], "missing.yaml:1:1: error[cannot-read]"),
        (["--fake", "broken.yaml"], "broken.yaml:1:11: error[out-of-range]"),
        (["--script", "script.json", "--record", "nowhere/c.yaml"], "is in no folder that there is"),
        (["--script", "script.json", "--record", "."], "is a folder"),
    ],
)
def test_what_cannot_be_played_or_recorded_is_refused(workplace: Path, options: list[str], said: str) -> None:
    ran(workplace, "--record", "c.yaml", one="first")
    written(workplace, "broken.yaml", "cassette: 7\n")
    answer = called("run", "flow.json", "in", "--run-id", "x", *options)
    assert (answer.code, answer.out) == (2, "")
    assert said in answer.err
    assert called("show", "x").code == 2


def test_a_run_that_waits_or_fails_is_recorded_as_well(workplace: Path) -> None:
    assert ran(workplace, "--record", "c.yaml", one={"error": "broken"}).code == 1
    assert "status: failed" in (workplace / "c.yaml").read_text()
    assert faked(workplace, "in").code == 1
    assert shown("f")["error"] == shown("r")["error"]
