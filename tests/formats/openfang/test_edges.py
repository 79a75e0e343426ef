"""At the edges of the guide a workflow still does what the guide says, and what the readings add to it."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import pytest

from tests.formats.openfang.rehearsing import message, native, prompts, run, step

FAN = {"mode": "fan_out"}


# Conditions


def test_the_condition_of_the_first_step_looks_at_the_input_of_the_run() -> None:
    maybe = step("maybe", mode="conditional", condition="ERR")
    assert prompts(run(maybe, prompt="an err")) == {"maybe": "an err"}
    assert run(maybe, prompt="fine").output == "fine"


def test_after_a_skipped_step_a_condition_looks_at_the_output_before_it() -> None:
    """ "The step is skipped entirely and `{{input}}` is not modified." """
    done = run(
        step("one", "good"),
        step("never", mode="conditional", condition="nothing like it"),
        step("bad", "bad", error_mode="skip"),
        step("then", mode="conditional", condition="ALL WELL"),
        agents={"good": ["all well"], "bad": [{"error": "x"}], "a": ["then"]},
    )
    assert [(one.path, one.status) for one in done.steps] == [
        ("one", "completed"),
        ("bad", "failed"),
        ("then", "completed"),
    ]


@pytest.mark.parametrize(("text", "within"), [("ÄÖ", "so äö"), ("ΣΊΣΥΦΟΣ", "ὁ σίσυφος"), ("{{v}}", "{{V}}")])
def test_case_means_nothing_in_any_script_and_a_condition_is_no_template(text: str, within: str) -> None:
    """ "Case-insensitive comparison via `to_lowercase().contains()`." """
    done = run(
        step("maybe", mode="conditional", condition=text, prompt="x"),
        step("loop", "loop", mode="loop", until=text),
        prompt=within,
        inputs={"v": "else"},
        agents={"a": ["ran"], "loop": ["one", within, "unreached"]},
    )
    assert [one.path for one in done.steps] == ["maybe", "loop (iter 1)", "loop (iter 2)"]


# Loops


def test_an_empty_until_ends_a_loop_after_its_first_iteration() -> None:
    assert len(run(step("again", mode="loop", max_iterations=4)).steps) == 1


def test_a_loop_of_no_iterations_hands_its_input_on() -> None:
    done = run(step("none", mode="loop", max_iterations=0, output_var="v"), step("last", prompt="{{v}}"))
    assert prompts(done) == {"last": "in"}


def test_a_loop_has_five_iterations_unless_it_says_otherwise() -> None:
    """ "`max_iterations` … `5`" """
    assert len(run(step("again", mode="loop", until="never")).steps) == 5


def test_the_first_iteration_may_be_skipped_and_leaves_the_input() -> None:
    done = run(
        step("loop", "bad", mode="loop", error_mode="skip", until="x", output_var="v"),
        step("last", prompt="{{v}} {{input}}"),
        agents={"bad": [{"error": "no"}], "a": ["{{prompt}}"]},
    )
    assert done.output == "in in"


def test_each_iteration_has_the_full_time_and_blames_the_plain_name() -> None:
    entries = [{"reply": "1", "delay": 4}, {"reply": "2", "delay": 4}, {"reply": "3", "delay": 6}]
    done = run(step("loop", mode="loop", until="x", timeout_secs=5), agents={"a": entries})
    assert message(done) == "Step 'loop' timed out after 5s"
    assert done.error is not None
    assert (done.error.kind, done.error.step) == ("timeout", "loop (iter 3)")


# Groups


def test_without_a_collect_the_output_of_the_last_member_goes_on() -> None:
    done = run(step("one", **FAN, prompt="1", output_var="v"), step("two", **FAN, prompt="2", output_var="v"))
    assert done.output == "<2>"
    done = run(step("one", **FAN, prompt="1"), step("two", **FAN, prompt="2"), step("last"))
    assert prompts(done)["last"] == "<2>"


@pytest.mark.parametrize("mode", ["skip", "retry"])
def test_the_error_mode_of_a_member_has_no_effect(mode: str) -> None:
    """ "If any fan-out step fails or times out, the entire workflow fails immediately." """
    done = run(step("bad", **FAN, error_mode=mode), agents={"a": [{"error": "x"}, "unreached"]})
    assert message(done) == "FanOut step 'bad' failed: x"


def test_the_failure_that_comes_first_is_told_and_not_the_one_that_is_declared_first() -> None:
    done = run(
        step("late", "late", **FAN),
        step("soon", "soon", **FAN),
        agents={"late": [{"error": "late", "delay": 2}], "soon": [{"error": "soon", "delay": 1}]},
    )
    assert message(done) == "FanOut step 'soon' failed: soon"


def test_a_second_collect_gives_the_same_and_another_step_between_ends_a_group() -> None:
    done = run(
        step("one", **FAN, prompt="1"),
        step("two", **FAN, prompt="2"),
        step("join", mode="collect"),
        step("again", mode="collect", output_var="both"),
        step("old", **FAN, prompt="3"),
        step("never", mode="conditional", condition="nothing like it"),
        step("new", **FAN, prompt="4"),
        step("last", mode="collect"),
        step("tell", prompt="{{both}} {{input}}"),
    )
    assert prompts(done)["tell"] == "<1>\n\n---\n\n<2> <4>"


# Agents


def test_names_of_agents_are_case_sensitive() -> None:
    """ "Name match." """
    assert message(run(step("one", "Writer"), agents={"writer": ["x"]})) == "Agent not found for step 'one'"


# Records


def test_a_run_is_recorded_as_the_guide_has_it() -> None:
    """ "Tracks state, step results, final output, timestamps"; "agent info, output text, token counts,
    duration." """
    said = {"reply": "R", "delay": 2, "tokens": {"input": 100, "output": 50}}
    told: dict[str, Any] = native(run(step("one"), agents={"a": [said]}))
    (result,) = told.pop("step_results")
    began, ended = (datetime.fromisoformat(told.pop(key)) for key in ("started_at", "completed_at"))
    assert (ended - began).total_seconds() == 2
    assert told == {
        "id": "run",
        "workflow_id": None,
        "workflow_name": "flow",
        "input": "in",
        "state": "completed",
        "output": "R",
        "error": None,
    }
    assert len(result.pop("agent_id")) == 36
    assert result == {
        "step_name": "one",
        "agent_name": "a",
        "output": "R",
        "input_tokens": 100,
        "output_tokens": 50,
        "duration_ms": 2000,
    }


def test_what_an_agent_calls_is_a_step_under_its_own_and_no_step_result() -> None:
    calls = {"tools": [{"name": "find", "arguments": {"q": "{{prompt}}"}}, {"name": "find"}]}
    tokens = {"input": 1, "output": 2}
    done = run(step("one"), agents={"a": [{**calls, "tokens": tokens}, {"reply": "R", "tokens": tokens}]})
    assert [(one.path, one.kind, one.agent, one.tool, one.status) for one in done.steps] == [
        ("one/find", "tool", "a", "find", "failed"),
        ("one/find #2", "tool", "a", "find", "failed"),
        ("one", "agent", "a", None, "completed"),
    ]
    assert done.steps[0].arguments == {"q": "in"}
    assert [one["input_tokens"] for one in native(done)["step_results"]] == [2]
