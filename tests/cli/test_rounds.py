"""What the command line offers to workflows that go in rounds and end with an outcome."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.cli.calling import called
from tests.cli.files import FINE, written
from tests.formats.hyperagent.building import flow, leave, step

SAYS: dict[str, Any] = {"agents": {"a": [{"reply": {"n": 1}}, {"reply": {"n": 2}}], "*": [{"reply": {}}]}}


def files(folder: Path, *steps: Any, **keys: Any) -> tuple[str, str, str]:
    """A call of a workflow with its script."""
    path = written(folder, "rounds.json", json.dumps(flow(*steps, **keys)))
    return path, "--script", written(folder, "says.json", json.dumps(SAYS))


def test_a_call_says_how_many_rounds_there_are(workplace: Path) -> None:
    answer = called("run", *files(workplace, step(), rounds=1), "--max-rounds", "2", "--json")
    assert len(json.loads(answer.out)["native"]["rounds"]) == 2


def test_what_has_no_rounds_and_no_outcome_refuses_to_limit_and_to_expect_them(
    workplace: Path,
) -> None:
    path = written(workplace, "flow.json", FINE)
    says = written(workplace, "says.json", json.dumps(SAYS))
    answer = called("run", path, "--script", says, "--max-rounds", "2")
    assert (answer.code, answer.out) == (2, "")
    assert "workflows of the format 'openfang' have no rounds to limit" in answer.err
    answer = called("run", path, "--script", says, "--expect", "done")
    assert answer.code == 2
    assert "workflows of the format 'openfang' have no outcome to expect" in answer.err


def test_a_script_expects_outcomes(workplace: Path) -> None:
    """ "`--expect OUTCOME,...`: exit 1 where it is another" """
    call = files(workplace, step(exits=[leave("approved", {"field": "parsed.n", "equals": 1})]))
    assert called("run", *call).code == 0
    assert called("exec", *call, "--expect", "done, approved").code == 0
    answer = called("run", *call, "--expect", "done,failed")
    assert (answer.code, json.loads(answer.out)) == (1, {"n": 1})
    assert "the outcome was to be 'done' or 'failed', and it is 'approved'" in answer.err
    assert called("run", *call, "--expect", ",").code == 2


def test_what_a_fork_ends_with_can_be_expected_as_well(workplace: Path) -> None:
    call = files(workplace, step(exits=[leave("approved", {"field": "parsed.n", "equals": 1})]))
    called("run", *call, "--run-id", "r")
    assert called("fork", "r", "--at", "round 1/s", "--expect", "approved").code == 0
    assert called("fork", "r", "--at", "round 1/s", "--expect", "other").code == 1


def test_each_roles_conversation_goes_on_in_another_run(workplace: Path) -> None:
    call = files(workplace, step(prompt="{{run.id}}"), step("t", "b"))
    called("run", *call, "--run-id", "one")
    said = called("run", *call, "--run-id", "two", "--continue", "one", "--events").out
    events = [json.loads(line) for line in said.splitlines()]
    asked = [one["data"] for one in events if one["kind"] == "model.requested"]
    assert [[m["text"] for m in one["messages"]] for one in asked] == [["two"], ["go"]]
    assert [one["before"] is None for one in asked] == [False, False]


def test_inputs_that_are_wrong_stop_a_run_before_it_begins(workplace: Path) -> None:
    path, *rest = files(workplace, step(), user={"n": {"type": "number"}})
    answer = called("run", path, *rest, "-i", "n=x")
    assert (answer.code, answer.out) == (2, "")
    assert "Invalid user inputs for workflow flow.v1: n: expected number, received string" in answer.err
    assert called("run", path, *rest, "-i", "n=5").code == 0
    assert called("run", path, "a prompt", *rest, "-i", "n=5").code == 2


def test_the_model_that_a_workflow_names_is_planned_for(workplace: Path) -> None:
    path, *_ = files(workplace, step(), model="anthropic/claude-x")
    answer = called("run", path, "--dry-run")
    assert answer.code == 2
    assert "'anthropic:claude-x' cannot be asked" in answer.err
