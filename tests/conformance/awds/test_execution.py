"""How steps execute, sentence by sentence."""

from __future__ import annotations

from typing import Any

from quintet.engine.failures import Failure
from quintet.testing import MemoryHost, scripted
from tests.formats.awds.rehearsing import native, prompts, run, statuses, step, workflow


def test_a_step_waits_for_all_that_it_depends_on() -> None:
    """ "A step MUST NOT begin execution until all steps in its `depends_on` array have completed
    successfully" """
    done = run(
        step("slow"), step("fast"), step("both", "slow", "fast"),
        agents={"slow": [{"reply": "s", "delay": 9}], "fast": ["f"], "both": ["b"]},
    )  # fmt: skip
    assert [one.path for one in done.steps] == ["fast", "slow", "both"]
    failed = run(
        step("bad"), step("good"), step("both", "good", "bad"), agents={"bad": [{"error": "x"}], "*": ["ok"]}
    )
    assert statuses(failed)["both"] == "skipped"


def test_a_step_without_dependencies_begins_at_once() -> None:
    """ "Array of step identifiers that must complete before this step begins" """
    done = run(step("one"), step("two"), agents={"*": [{"reply": "x", "delay": 5}]})
    assert [one.began for one in done.steps] == [0.0, 0.0]


def test_a_successful_step_puts_out_its_status_and_its_result() -> None:
    """ "Each step execution produces a standardized output object." """
    done = run(
        step("a"),
        step("b", "a", agent={"input": "${{ steps.a.outputs }}"}),
        agents={"a": [{"x": 1}], "b": ["ok"]},
    )
    assert prompts(done)["b"] == '{\n  "status": "success",\n  "result": {\n    "x": 1\n  }\n}'


def test_inputs_of_any_name_can_be_referred_to() -> None:
    """ "Workflow inputs: `inputs.<name>`" """
    said = "${{ inputs.any-name }} ${{ inputs['an other'] }} ${{ inputs.absent }}"
    done = run(step("a", agent={"input": said}), inputs={"any-name": 1, "an other": [2]})
    assert prompts(done) == {"a": "1 [2] "}


def test_the_context_is_received_by_each_function_and_by_no_agent() -> None:
    """ "Will be received by each function call that agent makes." """
    host = MemoryHost(
        scripted(
            {
                "agents": {"a": [{"tools": [{"name": "f"}, {"name": "g"}]}, {"reply": "ok"}]},
                "tools": {"f": [{"result": 1}], "g": [{"result": 2}]},
            }
        )
    )
    run(step("a", agent={"context": {"tenant": "acme"}}), host=host)
    requests: list[Any] = [call.request for call in host.performed]
    assert [one.get("context") for one in requests if "tool" in one] == [{"tenant": "acme"}] * 2
    assert not [one for one in requests if "tool" not in one and "acme" in str(one)]


def test_the_message_of_an_item_that_fails_is_kept() -> None:
    """Reading: `native` keeps every item's own status, input and error."""
    done = run(
        step("each", for_each="inputs.list", agent={"input": "${{ fromJSON(item) }}"}),
        agents={"each": ["ok"]},
        inputs={"list": ["1", "no"]},
    )
    (good, bad) = native(done)["each"]["items"]
    assert (good["status"], good["input"], good["item"]) == ("success", 1, "1")
    assert (bad["status"], bad["input"], bad["item"]) == ("failed", None, "no")
    assert bad["error"]["kind"] == "expression"


def test_what_a_retry_does_again_are_the_items_that_failed() -> None:
    """Reading: `quintet retry` takes over every item that succeeded."""
    script = {"agents": {"each": [{"reply": "A"}, {"error": "no"}, {"reply": "C"}]}}
    flow = workflow(step("each", for_each="inputs.list"))
    host = MemoryHost(scripted(script))
    report = host.run(
        flow.program, flow.arguments(None, {"list": [1, 2, 3]}), pinned=dict(flow.pinned().to_json())
    )
    assert isinstance(report.failure, Failure)
    assert [path[-1].name for path in report.failure.at] == ["each[1]"]


def test_sessions_go_on_where_an_earlier_run_ended() -> None:
    """Reading: without `--continue` every step, and every item, begins a fresh conversation."""
    host = MemoryHost(scripted({"agents": {"*": [{"reply": "ok"}]}}))
    run(step("each", for_each="inputs.list"), inputs={"list": [1, 2]}, host=host)
    requests: list[Any] = [call.request for call in host.performed]
    assert [one["before"] for one in requests] == [None, None]
