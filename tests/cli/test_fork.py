"""`quintet fork` keeps what was done before a step, and does the rest anew."""

from __future__ import annotations

import json
from pathlib import Path

from tests.cli.calling import called
from tests.cli.files import written
from tests.cli.runs import flow, ran, script


def test_a_fork_keeps_what_was_before_and_lists_what_the_file_changed_there(workplace: Path) -> None:
    ran(workplace, one="1", two="2", three="3")
    changed = written(workplace, "changed.json", flow("one", "two", "three").replace("one {{", "changed {{"))
    says = written(workplace, "says.json", script(one="no", two="<{{prompt}}>", three="{{prompt}}"))
    answer = called(
        "fork", "r", "--at", "two", "--file", changed, "--script", says, "--run-id", "s", "--json"
    )
    told = json.loads(answer.out)
    assert (answer.code, told["run_id"]) == (0, "s")
    assert [step["output"] for step in told["steps"]] == ["1", "<two 1>", "three <two 1>"]
    assert "kept as it was, although it would be asked something else now: one" in answer.err


def test_a_step_that_is_not_there_is_told_with_those_that_are(workplace: Path) -> None:
    ran(workplace, one="1", two="2")
    answer = called("fork", "r", "--at", "tow")
    assert (answer.code, answer.out) == (2, "")
    assert "run r has no step 'tow'; it has 'one', 'two'" in answer.err
    assert called("fork", "r").code == 2


def test_a_fork_at_the_step_that_failed_goes_on_behind_the_failure_of_its_script(workplace: Path) -> None:
    """ "The count goes on over a resume, an answer and a fork." """
    ran(workplace, one=["1", "2"], two=[{"error": "simulated"}, "<{{prompt}}>"])
    assert called("fork", "r", "--at", "two").out == "<two 1>\n"
    assert called("fork", "r", "--at", "one").code == 1


def test_the_count_of_a_fork_goes_on_where_it_was_before_its_step(workplace: Path) -> None:
    steps = [{"name": name, "agent_name": "one"} for name in ("a", "b", "c")]
    path = written(workplace, "f.json", json.dumps({"name": "f", "steps": steps}))
    says = written(workplace, "s.json", script(one=["1", "2", "3", "4"]))
    assert called("run", path, "in", "--script", says, "--run-id", "r").out == "3\n"
    told = json.loads(called("fork", "r", "--at", "b", "--json").out)
    assert [step["output"] for step in told["steps"]] == ["1", "2", "3"]


def test_a_fork_may_begin_at_a_step_whose_agent_was_not_there(workplace: Path) -> None:
    """ "`fork RUN --at STEP` … that step and all after it run anew", with a script that has the agent."""
    path = written(workplace, "f.json", flow("one", "two").replace('"name": "two"', '"name": "one"'))
    says = written(workplace, "says.json", script(one="1"))
    failed = json.loads(called("run", path, "in", "--script", says, "--run-id", "r", "--json").out)
    assert failed["error"] == {
        "message": "Agent not found for step 'one'",
        "kind": "agent_not_found",
        "step": "one #2",
    }
    both = written(workplace, "both.json", script(one="no", two="2"))
    assert called("fork", "r", "--at", "one #2", "--script", both).out == "2\n"
