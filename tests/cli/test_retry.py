"""`quintet retry` is a new run that does anew what failed or changed, and nothing else."""

from __future__ import annotations

import json
from pathlib import Path

from tests.cli.calling import called
from tests.cli.files import written
from tests.cli.runs import flow, ran, script


def test_only_what_failed_is_done_again_with_the_texts_of_then(workplace: Path) -> None:
    ran(workplace, one=["1", "again"], two=[{"error": "x"}, "2"])
    answer = called("retry", "r", "--run-id", "s", "--json")
    told = json.loads(answer.out)
    assert (answer.code, told["run_id"], told["status"]) == (0, "s", "completed")
    assert [step["output"] for step in told["steps"]] == ["1", "2"]


def test_what_the_file_changed_is_done_again_too(workplace: Path) -> None:
    ran(workplace, one="<{{prompt}}>", two=[{"error": "x"}, "2"])
    changed = written(workplace, "flow.json", flow("one", "two").replace("one {{", "changed {{"))
    kept = called("retry", "r", "--json")
    assert "flow.json has changed since the run began" in kept.err
    assert [step["output"] for step in json.loads(kept.out)["steps"]] == ["<one in>", "2"]
    answer = called("retry", "r", "--file", changed, "--json")
    assert "has changed" not in answer.err
    assert [step["output"] for step in json.loads(answer.out)["steps"]] == ["<changed in>", "2"]


def test_only_a_failed_run_can_be_retried(workplace: Path) -> None:
    ran(workplace, one="1")
    answer = called("retry", "r")
    assert (answer.code, answer.out) == (2, "")
    assert answer.err.splitlines() == [
        "error: run r has not failed, it is completed: there is nothing to retry",
        "  quintet fork r --at STEP",
    ]


def test_a_file_that_is_wrong_is_told_like_check_does(workplace: Path) -> None:
    ran(workplace, one={"error": "x"})
    wrong = written(workplace, "wrong.json", '{"name": "flow", "steps": [{"nam": "x"}]}')
    answer = called("retry", "r", "--file", wrong)
    assert answer.code == 2
    assert "error[unknown-key]" in answer.err
    assert called("retry", "r", "--script", script()).code == 2
