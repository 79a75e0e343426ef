"""`quintet check` tells all problems at once, for people and for machines, and runs nothing."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from quintet.cli.known_agents import SETTINGS
from quintet.project import FILE
from tests.cli.calling import called, run
from tests.cli.files import FINE, WARNED, WRONG, written


def test_a_file_without_problems_is_one_green_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = written(tmp_path, "flow.json", FINE)
    answer = called("check", path)
    assert (answer.code, answer.err) == (0, "")
    assert answer.out == f"{path}: fine (openfang, 2 steps, 2 agents)\n"
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert "\x1b[32mfine\x1b[0m" in called("check", path).out


def test_every_problem_is_told_with_its_place_and_one_line_counts_them(tmp_path: Path) -> None:
    path = written(tmp_path, "flow.json", WRONG)
    answer = called("check", path)
    assert (answer.code, answer.out) == (2, "")
    assert f"{path}:4:6: error[unknown-key]: a step has no key 'agentname'" in answer.err
    assert "^^^^^^^^^^^ did you mean 'agent_name'?" in answer.err
    assert f"{path}:5:" in answer.err
    assert answer.err.splitlines()[-1].startswith(f"3 errors in {path}. `quintet help ")


def test_the_summary_counts_what_is_there(tmp_path: Path) -> None:
    path = written(tmp_path, "flow.json", WARNED)
    answer = called("check", path)
    assert (answer.code, answer.out) == (0, "")
    assert answer.err.splitlines()[-1] == f"1 warning in {path}. `quintet help unset-variable` explains."


def test_several_files_are_told_apart(tmp_path: Path) -> None:
    fine, wrong = written(tmp_path, "fine.json", FINE), written(tmp_path, "wrong.json", WRONG)
    answer = called("check", wrong, fine)
    assert answer.code == 2
    assert answer.out == f"{fine}: fine (openfang, 2 steps, 2 agents)\n"
    assert answer.err.splitlines()[-1] == "1 of 2 files has errors."


def test_standard_input_is_a_file_that_can_be_read_once() -> None:
    assert called("check", "-", stdin=FINE).out == "<stdin>: fine (openfang, 2 steps, 2 agents)\n"
    assert "<stdin>:4:6: error" in called("check", "-", stdin=WRONG).err
    assert called("check", "-", "-", stdin=FINE).code == 2


@pytest.mark.parametrize("name", ["none.json", "."])
def test_what_cannot_be_read_is_a_problem_like_others(tmp_path: Path, name: str) -> None:
    answer = called("check", str(tmp_path / name))
    assert answer.code == 2
    assert "error[cannot-read]: " in answer.err


def test_an_input_that_runs_are_given_is_no_unset_variable(tmp_path: Path) -> None:
    path = written(tmp_path, "flow.json", WARNED)
    assert called("check", path, "--strict").code == 2
    assert called("check", path, "--strict", "-i", "topic=fish", "-i", "size").code == 0


def test_unknown_keys_are_warnings_where_wanted(tmp_path: Path) -> None:
    path = written(tmp_path, "flow.json", FINE.replace('"name": "flow"', '"name": "flow", "colour": "red"'))
    assert called("check", path).code == 2
    answer = called("check", path, "--lenient")
    assert answer.code == 0
    assert "warning[unknown-key]" in answer.err
    assert called("check", path, "--lenient", "--strict").code == 2


def test_a_format_that_there_is_none_of_is_refused_with_a_suggestion(tmp_path: Path) -> None:
    path = written(tmp_path, "flow.json", FINE)
    assert called("check", path, "--format", "openfang").code == 0
    answer = called("check", path, "--format", "openfnag")
    assert (answer.code, answer.out) == (2, "")
    assert "did you mean 'openfang'?" in answer.err


def test_json_is_one_object_with_every_problem(tmp_path: Path) -> None:
    fine, wrong = written(tmp_path, "fine.json", FINE), written(tmp_path, "wrong.json", WRONG)
    answer = called("check", wrong, fine, "--json")
    found = json.loads(answer.out)
    assert (answer.code, answer.err) == (2, "")
    assert (found["ok"], found["errors"], found["warnings"]) == (False, 3, 0)
    assert [file["ok"] for file in found["files"]] == [False, True]
    assert found["files"][0]["problems"][0]["code"] == "unknown-key"
    assert found["files"][1] == {
        "path": fine,
        "ok": True,
        "workflow": "flow",
        "format": "openfang",
        "steps": 2,
        "agents": ["writer", "critic"],
        "problems": [],
    }


def test_github_gets_an_annotation_a_line_and_sarif_a_log(tmp_path: Path) -> None:
    path = written(tmp_path, "flow.json", WRONG)
    answer = called("check", path, "--output", "github")
    assert answer.code == 2
    assert [line.partition(" ")[0] for line in answer.out.splitlines()] == ["::error"] * 3
    log = json.loads(called("check", path, "--output", "sarif").out)
    assert log["runs"][0]["results"][0]["ruleId"] == "unknown-key"
    assert called("check", path, "--output", "sarif", "--json").code == 2


def test_a_script_says_which_agents_there_are(tmp_path: Path) -> None:
    path = written(tmp_path, "flow.json", FINE)
    script = written(tmp_path, "script.yaml", "agents:\n  writer: [{reply: hello}]\n")
    answer = called("check", path, "--script", script)
    assert answer.code == 0
    assert "warning[unknown-agent]: there is no agent 'critic' here" in answer.err
    anyone = written(tmp_path, "anyone.yaml", "agents:\n  '*': [{reply: hello}]\n")
    assert called("check", path, "--strict", "--script", anyone).code == 0


def test_a_folder_of_agents_says_which_agents_there_are(tmp_path: Path) -> None:
    path = written(tmp_path, "flow.json", FINE)
    written(tmp_path, "agents/writer/agent.toml", 'name = "writer"\n')
    folder = str(tmp_path / "agents")
    assert "there is no agent 'critic' here" in called("check", path, "--agents", folder).err
    written(tmp_path, "agents/critic/agent.toml", 'name = "critic"\n')
    alone = written(tmp_path, "script.yaml", "agents:\n  writer: [{reply: hello}]\n")
    told = called("check", path, "--script", alone, "--agents", folder).err
    assert "there is no agent 'critic' here" in told, "a script says alone who exists"


def test_the_settings_of_a_project_say_which_agents_there_are(tmp_path: Path) -> None:
    assert SETTINGS == FILE
    path = written(tmp_path, "flows/flow.json", FINE)
    written(tmp_path, "quintet.toml", '[agents.writer]\ndescription = "writes"\n')
    assert "there is no agent 'critic' here" in called("check", path).err
    assert "no agent" not in called("check", "-", stdin=FINE).err


@pytest.mark.parametrize("option", ["--script", "--agents", "--config"])
def test_a_script_folder_or_settings_that_cannot_be_read_are_an_error(tmp_path: Path, option: str) -> None:
    answer = called("check", written(tmp_path, "flow.json", FINE), option, str(tmp_path / "none"))
    assert (answer.code, answer.out) == (2, "")
    assert "none:1:1: error[cannot-read]" in answer.err


def test_a_script_with_mistakes_is_told_with_its_places(tmp_path: Path) -> None:
    script = written(tmp_path, "script.yaml", "agents:\n  writer: [{replay: hello}]\n")
    answer = called("check", written(tmp_path, "flow.json", FINE), "--script", script)
    assert answer.code == 2
    assert f"{script}:2:" in answer.err


def test_it_works_as_a_process_of_its_own(tmp_path: Path) -> None:
    written(tmp_path, "flow.json", WRONG)
    answer = run("check", "flow.json", environment={"COLUMNS": "60"}, cwd=tmp_path)
    assert (answer.code, answer.out) == (2, "")
    assert answer.err.startswith("flow.json:4:6: error[unknown-key]: a step has no key 'agentname'\n")
    coloured = run("check", "flow.json", environment={"FORCE_COLOR": "1"}, cwd=tmp_path)
    assert "\x1b[1;31merror[unknown-key]\x1b[0m" in coloured.err
