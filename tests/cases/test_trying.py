"""A case is run as a run is, in no time, and asks nobody who is not on its script or its cassette."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from quintet.cases.case import Case
from quintet.cases.trying import ready, tried
from quintet.formats.invalid import InvalidFile
from tests.cli.files import written
from tests.cli.runs import flow, script
from tests.runs.test_cassettes import recorded
from tests.runs.workflows import flow as loaded
from tests.runs.workflows import says


def case(folder: Path, **said: object) -> Case:
    workflow = Path(written(folder, "flow.json", flow("one", "two")))
    return Case("a case", workflow, workflow, **said)  # pyright: ignore[reportArgumentType]


def told(one: Case) -> tuple[str, ...]:
    return tried(ready(one)).differences


SCRIPT = json.loads(script(one="1", two="<{{prompt}}>"))


def test_a_run_that_comes_out_as_expected_passes(tmp_path: Path) -> None:
    expect = {"status": "completed", "output": "<two 1>", "steps": ["one", "two"]}
    one = case(tmp_path, script=SCRIPT, prompt="tea", expect=expect)
    result = tried(ready(one))
    assert (result.passed, result.differences) == (True, ())


def test_without_a_word_of_what_is_expected_a_run_has_to_complete(tmp_path: Path) -> None:
    assert told(case(tmp_path, script=SCRIPT)) == ()
    failing = json.loads(script(one={"error": "broken"}))
    assert told(case(tmp_path, script=failing)) == (
        "status is not as expected:",
        "  -completed",
        "  +failed",
        "it failed: Step 'one' failed: broken",
    )


def test_steps_are_expected_by_their_paths(tmp_path: Path) -> None:
    steps = {"one": {"prompt": "one tea", "output": {"contains": "1"}}, "three": None}
    fits = {"status": "completed", "steps": steps}
    assert told(case(tmp_path, script=SCRIPT, prompt="tea", expect=fits)) == ()
    wrong: dict[str, Any] = {"status": "completed", "steps": {"one": None, "three": {}}}
    assert told(case(tmp_path, script=SCRIPT, prompt="tea", expect=wrong)) == (
        "the step 'one' is not to be there",
        "there is no step 'three', only 'one', 'two'",
    )


def test_a_cassette_says_with_what_it_began_and_what_came_of_it(tmp_path: Path) -> None:
    file = tmp_path / "c.yaml"
    recorded(loaded("one", "two"), "tea", says(one=["1"], two=["2"]), file)
    assert told(case(tmp_path, cassette=file)) == ()
    file.write_text(file.read_text().replace('output: "2"', "output: another"))
    assert told(case(tmp_path, cassette=file)) == ("output is not as expected:", "  -another", "  +2")


def test_a_failed_run_is_compared_with_how_it_failed(tmp_path: Path) -> None:
    file = tmp_path / "c.yaml"
    recorded(loaded("one", "two"), "tea", says(one=[{"error": "broken"}], two=["2"]), file)
    assert told(case(tmp_path, cassette=file)) == ()


def test_what_is_not_on_the_cassette_fails_the_case_with_the_difference(tmp_path: Path) -> None:
    file = tmp_path / "c.yaml"
    recorded(loaded("one", "two"), "tea", says(one=["1"], two=["2"]), file)
    missed = told(case(tmp_path, cassette=file, prompt="rum"))
    assert "the agent 'one' is asked what is not on the cassette" in missed[0]
    assert missed[-2:] == ("-user: one tea", "+user: one rum")


def test_time_limits_strike_as_they_did_and_nobody_waits(tmp_path: Path) -> None:
    file = tmp_path / "c.yaml"
    slow = [{"reply": "late", "delay": 90}]
    recorded(loaded("one", timeout_secs=60), "tea", says(one=slow), file)
    workflow = Path(written(tmp_path, "slow.json", flow("one", timeout_secs=60)))
    assert told(Case("slow", file, workflow, cassette=file)) == ()
    assert told(Case("slow", file, workflow, script=says(one=slow)))[-1].endswith("timed out after 60s")


def test_a_wrong_prompt_or_input_fails_the_case(tmp_path: Path) -> None:
    (line,) = told(case(tmp_path, script=SCRIPT, inputs={"input": "x"}, prompt="y"))
    assert "input" in line


def test_a_file_that_is_wrong_is_told_before_anything_is_run(tmp_path: Path) -> None:
    for said in ({"script": tmp_path / "missing.yaml"}, {"cassette": tmp_path / "missing.yaml"}):
        with pytest.raises(InvalidFile, match="cannot be read"):
            ready(case(tmp_path, **said))
