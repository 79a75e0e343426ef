"""`quintet run` gives the result on standard output, all else on standard error, and the exit code."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from quintet.project import FILE
from tests.cli.calling import called
from tests.cli.files import WRONG, written
from tests.cli.runs import flow, ran, script, shown


def test_the_output_alone_goes_to_standard_output(workplace: Path) -> None:
    answer = ran(workplace, one="first", two="<{{prompt}}>")
    assert (answer.code, answer.out) == (0, "<two first>\n")
    assert "✓ one completed" in answer.err
    assert answer.err.splitlines()[-1].startswith("completed in ")
    assert answer.err.endswith("quintet show r\n")


def test_json_is_one_object_and_what_show_prints(workplace: Path) -> None:
    answer = ran(workplace, "--json", one="first")
    told = json.loads(answer.out)
    assert (told["run_id"], told["status"], told["output"]) == ("r", "completed", "first")
    assert shown() == told


def test_events_are_one_object_a_line_as_they_happen(workplace: Path) -> None:
    answer = ran(workplace, "--events", one="first")
    events = [json.loads(line) for line in answer.out.splitlines()]
    assert [event["seq"] for event in events if "seq" in event] == list(range(1, 9))
    assert (events[0]["kind"], events[-1]["kind"]) == ("run.created", "run.completed")
    assert {"kind": "text.said", "path": "one", "data": "first", "run_id": "r"} in events
    assert "✓ one completed" not in answer.err


def test_exec_is_run_under_another_name(workplace: Path) -> None:
    path, says = written(workplace, "f.json", flow("one")), written(workplace, "s.json", script(one="1"))
    assert called("exec", path, "in", "--script", says).out == "1\n"


def test_a_failed_run_has_exit_code_1_and_says_how_to_go_on(workplace: Path) -> None:
    answer = ran(workplace, one="first", two={"error": "broken"})
    assert (answer.code, answer.out) == (1, "")
    assert "Step 'two' failed: broken" in answer.err
    assert "  quintet retry r   again from 'two'" in answer.err
    assert json.loads(ran(workplace, "--json", run_id="s", one={"error": "x"}).out)["error"]["step"] == "one"


@pytest.mark.parametrize(
    ("given", "prompt"), [("a\nb\n\n", "one a\nb"), ("\ufeffa\r\n", "one a"), ("", "one ")]
)
def test_a_dash_reads_the_prompt_as_a_shell_would(workplace: Path, given: str, prompt: str) -> None:
    path, says = written(workplace, "f.json", flow("one")), written(workplace, "s.json", script(one="1"))
    told = called("run", path, "-", "--script", says, "--json", stdin=given)
    assert json.loads(told.out)["steps"][0]["prompt"] == prompt


def test_the_workflow_itself_may_come_from_standard_input(workplace: Path) -> None:
    says = written(workplace, "s.json", script(one="1"))
    assert called("run", "-", "in", "--script", says, stdin=flow("one")).out == "1\n"
    assert called("run", "-", "-", "--script", says, stdin=flow("one")).code == 2


def test_inputs_are_json_where_they_are_json_and_go_before_a_file(workplace: Path) -> None:
    text = json.dumps(
        {"name": "f", "steps": [{"name": "one", "agent_name": "one", "prompt": "{{a}}/{{b}}/{{c}}"}]}
    )
    path, says = written(workplace, "f.json", text), written(workplace, "s.json", script(one="{{prompt}}"))
    more = written(workplace, "more.yaml", "a: from a file\nb: [1, 2]\nc: kept\n")
    answer = called("run", path, "--script", says, "--inputs", more, "-i", "a=NaN", "-i", 'b={"x": 1}')
    assert answer.out == 'NaN/{"x":1}/kept\n'


def test_an_agent_called_by_its_name_and_by_its_id_goes_on_in_one_list_of_entries(workplace: Path) -> None:
    """ "Entries are used one per call, in order, per name." """
    known = "0b5c1f4e-1f0e-4d3a-9b51-2f1c8f6f3a11"
    steps = [{"agent_name": "writer"}, {"agent_id": known.upper()}]
    path = written(workplace, "f.json", json.dumps({"name": "f", "steps": steps}))
    written(workplace, "agents/writer/agent.toml", f'name = "writer"\nid = "{known}"\n')
    says = written(workplace, "s.json", script(writer=["1", {"error": "2"}, "3"]))
    first = called("run", path, "in", "--script", says, "--agents", "agents", "--run-id", "r", "--json")
    assert json.loads(first.out)["error"]["message"] == "Step 'step' failed: 2"
    assert called("retry", "r").out == "3\n"


def test_an_agent_is_found_by_its_id_however_that_is_written(workplace: Path) -> None:
    known = "0b5c1f4e-1f0e-4d3a-9b51-2f1c8f6f3a11"
    path = written(workplace, "f.json", json.dumps({"steps": [{"agent_id": known.upper()}]}))
    says = written(workplace, "s.json", script(**{known: "1"}))
    assert called("run", path, "in", "--script", says).out == "1\n"


def test_warnings_are_counted_and_strict_makes_errors_of_them(workplace: Path) -> None:
    path, says = (
        written(workplace, "f.json", flow("one", "nobody")),
        written(workplace, "s.json", script(one="1")),
    )
    answer = called("run", path, "in", "--script", says)
    assert f"1 warning in {path}: quintet check {path} --script {says}\n" in answer.err
    assert "nobody" in called("check", path, "--script", says).err, "what is suggested shows the warning"
    assert "Agent not found for step 'nobody'" in answer.err
    assert called("run", path, "in", "--script", says, "--strict").code == 2


def test_an_agent_of_the_script_may_be_referred_to_by_the_id_that_its_manifest_gives(workplace: Path) -> None:
    own = "a1b2c3d4-e5f6-7890-abcd-ef1234567890"
    written(workplace, "agents/one/agent.toml", f'name = "one"\nid = "{own}"\n')
    path = written(workplace, "f.json", json.dumps({"steps": [{"agent_id": own}]}))
    says = written(workplace, "s.json", script(one="1"))
    answer = called("run", path, "in", "--script", says, "--agents", "agents")
    assert (answer.code, answer.out) == (0, "1\n")
    assert "warning" not in answer.err


WRONG_CALLS = {
    "no file": (["none.json"], "error[cannot-read]"),
    "the prompt first": (["some tea", "f.json"], "there is no file 'some tea'\n  the file comes first"),
    "a prompt without quotes": (["f.json", "some", "tea"], "a text of several words stands in quotes"),
    "wrong file": (["wrong.json"], "error[unknown-key]"),
    "no agents": (["f.json", "in"], "--script FILE"),
    "no script": (["f.json", "--script", "none.json"], "error[cannot-read]"),
    "wrong script": (["f.json", "--script", "f.json"], "a script has no key 'name'"),
    "no agents' folder": (["f.json", "--script", "s.json", "--agents", "none"], "no such folder"),
    "no settings": (["f.json", "--script", "s.json", "--config", "none.toml"], "error[cannot-read]"),
    "an input without a value": (["f.json", "--script", "s.json", "-i", "a"], "'a' is no input"),
    "an input given twice": (["f.json", "--script", "s.json", "-i", "a=1", "-i", "a=2"], "given twice"),
    "an input that has no place": (["f.json", "--script", "s.json", "-i", "input=1"], "give it as PROMPT"),
    "an input that is deep": (
        ["f.json", "--script", "s.json", "-i", f"a={'[' * 200}{']' * 200}"],
        "too deep",
    ),
    "an input far too deep": (["f.json", "--script", "s.json", "-i", f"a={'[' * 99_999}"], "too deep"),
    "no inputs": (["f.json", "--script", "s.json", "--inputs", "none.yaml"], "error[cannot-read]"),
    "inputs that are no map": (
        ["f.json", "--script", "s.json", "--inputs", "list.yaml"],
        "list.yaml:1:1: error[wrong-type]",
    ),
    "no text": (["f.json", "\udcff", "--script", "s.json"], "PROMPT is not UTF-8"),
    "no format": (["f.json", "--script", "s.json", "--format", "openfan"], "did you mean 'openfang'?"),
    "no store": (["f.json", "--script", "s.json", "--store", "http://x"], "a store is sqlite:///PATH"),
    "no database": (["f.json", "--script", "s.json", "--store", "sqlite:///f.json"], "no store at all"),
    "no id": (["f.json", "--script", "s.json", "--run-id", ""], "the id of a run is empty"),
    "two outputs": (["f.json", "--script", "s.json", "--json", "--events"], "exclude each other"),
    "an option of tomorrow": (["f.json", "--script", "s.json", "--yolo"], "no such option '--yolo'"),
}


@pytest.mark.parametrize("name", WRONG_CALLS)
def test_what_is_wrong_with_a_call_is_told_and_nothing_runs(workplace: Path, name: str) -> None:
    for file, text in {
        "f.json": flow("one"),
        "s.json": script(one="1"),
        "wrong.json": WRONG,
        "list.yaml": "[1]",
    }.items():
        written(workplace, file, text)
    arguments, said = WRONG_CALLS[name]
    answer = called("run", *arguments)
    assert (answer.code, answer.out) == (2, "")
    assert said in answer.err
    assert not (workplace.parent / "home").exists()


def test_an_id_that_exists_is_refused(workplace: Path) -> None:
    assert ran(workplace, one="1").code == 0
    answer = ran(workplace, one="1")
    assert (answer.code, answer.out) == (2, "")
    assert "there is a run r already" in answer.err


def test_a_dry_run_plans_and_keeps_nothing(workplace: Path) -> None:
    answer = ran(workplace, "--dry-run", one="1", two=["1", "2"])
    assert answer.code == 0
    assert "two   two    the script, 2 entries" in answer.out
    told = json.loads(ran(workplace, "--dry-run", "--json", one="1").out)
    assert told["arguments"]["input"] == "in"
    assert [step["agent"] for step in told["steps"]] == ["one"]
    assert ran(workplace, "--dry-run", "--events", one="1").code == 2
    assert not (workplace.parent / "home").exists()


def test_a_store_in_memory_keeps_nothing_and_names_no_command(workplace: Path) -> None:
    answer = ran(workplace, "--store", ":memory:", one="1")
    assert (answer.code, answer.out) == (0, "1\n")
    assert "quintet show" not in answer.err
    assert called("show", "r", "--store", ":memory:").code == 2


def test_the_store_of_the_project_is_used_and_named_where_commands_would_miss_it(workplace: Path) -> None:
    written(workplace, f"project/{FILE}", 'store = "sqlite:///kept/runs.db"')
    answer = ran(workplace / "project", one="1")
    store = f"sqlite:///{workplace}/project/kept/runs.db"
    assert answer.err.endswith(f"quintet show r --store {store}\n")
    assert (workplace / "project" / "kept" / "runs.db").exists()
    assert called("show", "r").code == 2
    assert called("show", "r", "--store", store).code == 0


def test_an_engine_that_cannot_go_on_says_so_and_how(
    workplace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def broken(*_: object) -> None:
        raise RuntimeError("out of order")

    with monkeypatch.context() as patched:
        patched.setattr("quintet.agents.standins.StandIns.model", broken)
        answer = ran(workplace, "--json", one="1")
    assert answer.code == 1
    assert "out of order" in answer.err
    assert "quintet resume r" in answer.err
    told = json.loads(answer.out)
    assert (told["status"], told["error"]["kind"]) == ("interrupted", "performer")
    assert called("resume", "r").out == "1\n"


def test_a_model_for_an_agent_that_is_not_there_is_refused(workplace: Path) -> None:
    path = written(workplace, "flow.json", flow("writer"))
    answer = called("run", path, "in", "--dry-run", "--model", "offline:m", "--model", "wirter=openai:m")
    assert (answer.code, answer.out) == (2, "")
    assert "--model names 'wirter', and no agent is called so; did you mean 'writer'?" in answer.err
