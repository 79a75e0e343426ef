"""Running a workflow does what the Workflow Engine Guide says; each test quotes the sentence it proves."""

from __future__ import annotations

import json

import pytest

from quintet.api import load
from quintet.testing import rehearse
from tests.formats.openfang.rehearsing import message, native, prompts, run, step
from tests.formats.openfang.seed import EXAMPLES

# Sequential


def test_the_previous_steps_output_becomes_the_input() -> None:
    """ "The previous step's output becomes `{{input}}` for this step." """
    done = run(step("one", prompt="1 {{input}}"), step("two", prompt="2 {{input}}"))
    assert prompts(done) == {"one": "1 in", "two": "2 <1 in>"}
    assert done.output == "<2 <1 in>>"


def test_no_steps_give_back_the_input() -> None:
    assert run().output == "in"


def test_without_a_prompt_the_template_is_the_input() -> None:
    """ "`prompt` … Default `"{{input}}"`" """
    assert prompts(run(step("one"))) == {"one": "in"}


# Fan-out


def test_fan_out_steps_receive_the_same_input_and_run_in_parallel() -> None:
    """ "All fan-out steps receive the same `{{input}}` -- the output from the last step that ran before." """
    done = run(
        step("first"),
        step("slow", "s", mode="fan_out"),
        step("fast", "f", mode="fan_out"),
        step("after", "x", prompt="{{input}}"),
        agents={"a": ["A"], "s": [{"reply": "S", "delay": 9}], "f": ["F"], "x": ["X"]},
    )
    assert prompts(done) == {"first": "in", "fast": "A", "slow": "A", "after": "F"}
    assert [one.path for one in done.steps] == ["first", "fast", "slow", "after"]
    assert [one["step_name"] for one in native(done)["step_results"]] == ["first", "slow", "fast", "after"]


def test_a_member_sees_no_variable_of_its_own_group() -> None:
    done = run(
        step("one", mode="fan_out", output_var="v"),
        step("two", mode="fan_out", prompt="{{v}}"),
        step("three", prompt="{{v}}"),
    )
    assert prompts(done) == {"one": "in", "two": "{{v}}", "three": "<in>"}


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        ({"error": "boom", "delay": 1}, "FanOut step 'bad' failed: boom"),
        ({"reply": "late", "delay": 60}, "FanOut step 'bad' timed out after 5s"),
    ],
)
def test_a_group_fails_the_moment_its_first_member_does(entry: dict[str, object], said: str) -> None:
    """ "If any fan-out step fails or times out, the entire workflow fails immediately." """
    done = run(
        step("good", "g", mode="fan_out"),
        step("bad", "b", mode="fan_out", timeout_secs=5, error_mode="retry"),
        step("slow", "s", mode="fan_out"),
        step("join", mode="collect"),
        agents={"g": ["fine"], "b": [entry], "s": [{"reply": "never", "delay": 100}]},
    )
    assert message(done) == said
    assert done.error is not None
    assert done.error.step == "bad"
    assert [(one.path, one.status) for one in done.steps] == [
        ("good", "completed"),
        ("bad", "failed"),
        ("slow", "cancelled"),
    ]
    assert [one["step_name"] for one in native(done)["step_results"]] == ["good"]
    assert done.ended is not None
    assert done.ended - done.began < 10


# Collect


def test_collect_joins_the_outputs_of_the_group_in_the_order_of_the_file() -> None:
    """ "It joins all accumulated outputs with the separator `"\\n\\n---\\n\\n"`" """
    done = run(
        step("before"),
        step("one", "x", mode="fan_out"),
        step("two", "y", mode="fan_out"),
        step("join", mode="collect", output_var="all"),
        step("last", prompt="{{all}}|{{input}}"),
        agents={"a": ["{{prompt}}"], "x": [{"reply": "X", "delay": 2}], "y": ["Y"]},
    )
    assert done.output == "X\n\n---\n\nY|X\n\n---\n\nY"


def test_collect_executes_no_agent_and_records_nothing() -> None:
    """ "It does not execute an agent -- it is a data-only step." """
    done = run(step("one", mode="fan_out"), step("join", "nobody", mode="collect"), agents={"a": ["A"]})
    assert done.output == "A"
    assert [one["step_name"] for one in native(done)["step_results"]] == ["one"]


def test_collect_joins_the_nearest_group_also_from_afar() -> None:
    done = run(
        step("old", mode="fan_out", prompt="old"),
        step("first", mode="collect"),
        step("one", mode="fan_out", prompt="1"),
        step("two", mode="fan_out", prompt="2"),
        step("between", prompt="between"),
        step("join", mode="collect"),
    )
    assert done.output == "<1>\n\n---\n\n<2>"


# Conditional


@pytest.mark.parametrize(
    ("condition", "runs"), [("ERROR", True), ("error", True), ("fatal", False), ("", True)]
)
def test_a_conditional_step_runs_if_the_output_before_contains_its_text(condition: str, runs: bool) -> None:
    """ "The step only executes if the previous step's output contains the `condition` substring
    (case-insensitive)." """
    done = run(
        step("one", "one"),
        step("maybe", mode="conditional", condition=condition),
        agents={"one": ["an Error"], "a": ["fixed"]},
    )
    assert done.output == ("fixed" if runs else "an Error")
    assert [one.path for one in done.steps] == ["one", "maybe"][: 1 + runs]


# Loop


def test_a_loop_feeds_its_output_back_until_the_text_is_found() -> None:
    """ "Each iteration feeds its output back as `{{input}}`." "Step results are recorded with names like
    `"refine (iter 1)"`." """
    done = run(
        step("refine", mode="loop", until="approved", max_iterations=5, prompt="R {{input}}", output_var="v"),
        step("last", "last", prompt="{{v}}"),
        agents={"a": ["draft 1", "draft 2", "APPROVED"], "last": ["{{prompt}}"]},
    )
    assert prompts(done) == {
        "refine (iter 1)": "R in",
        "refine (iter 2)": "R draft 1",
        "refine (iter 3)": "R draft 2",
        "last": "APPROVED",
    }
    names = [one["step_name"] for one in native(done)["step_results"]]
    assert names == ["refine (iter 1)", "refine (iter 2)", "refine (iter 3)", "last"]


def test_a_loop_runs_exactly_so_often_where_the_text_is_never_found() -> None:
    """ "The loop runs exactly `max_iterations` times and continues to the next step with the last
    iteration's output." """
    done = run(step("again", mode="loop", max_iterations=3, until="never"), agents={"a": ["{{call}}"]})
    assert (done.output, len(done.steps)) == ("3", 3)


def test_a_skipped_failure_ends_the_loop_with_the_last_good_output() -> None:
    done = run(
        step("again", mode="loop", max_iterations=4, until="never", error_mode="skip", output_var="v"),
        step("last", "last", prompt="{{v}}"),
        agents={"a": ["good", {"error": "bad"}, "unreached"], "last": ["{{prompt}}"]},
    )
    assert done.output == "good"
    assert [(one.path, one.status) for one in done.steps][:2] == [
        ("again (iter 1)", "completed"),
        ("again (iter 2)", "failed"),
    ]


def test_a_loop_retries_within_an_iteration_and_blames_the_plain_name() -> None:
    failing = run(
        step("refine", mode="loop", error_mode="retry", max_retries=1, until="x"),
        agents={"a": ["one", {"error": "first"}, {"error": "second"}, "unreached"]},
    )
    assert message(failing) == "Step 'refine' failed after 1 retries: second"
    assert failing.error is not None
    assert failing.error.step == "refine (iter 2)"


# Variables


def test_variables_persist_and_can_be_overwritten() -> None:
    """ "Variables persist for the entire workflow run. A later step can overwrite a variable." """
    done = run(
        step("one", prompt="1", output_var="v"),
        step("two", prompt="2 {{v}}"),
        step("three", prompt="3 {{v}}", output_var="v"),
        step("four", prompt="{{v}} {{unknown}} {{name}} {{n}}"),
        inputs={"name": "Ann", "n": {"a": 1}},
    )
    assert prompts(done)["two"] == "2 <1>"
    assert prompts(done)["four"] == '<3 <1>> {{unknown}} Ann {"a":1}'


def test_what_an_agent_writes_is_scanned_once_as_input_and_never_as_a_variable() -> None:
    done = run(
        step("one", "evil", output_var="v"),
        step("two", prompt="{{input}}"),
        step("three", prompt="{{v}}"),
        inputs={"secret": "S", "other": "{{secret}}"},
        agents={"evil": ["{{secret}} {{other}} {{input}}"], "a": ["x"]},
    )
    assert prompts(done)["two"] == "S {{secret}} {{input}}"
    assert prompts(done)["three"] == "{{secret}} {{other}} {{input}}"


# Errors


def test_fail_aborts_the_workflow() -> None:
    """ "The workflow aborts immediately. The run state is set to `Failed`, the error message is recorded, and
    `completed_at` is set." """
    done = run(
        step("one"), step("two", "bad"), step("three"), agents={"a": ["A"], "bad": [{"error": "boom"}]}
    )
    assert message(done) == "Step 'two' failed: boom"
    told = native(done)
    assert (told["state"], told["error"]) == ("failed", "Step 'two' failed: boom")
    assert told["completed_at"] is not None
    assert [one["step_name"] for one in told["step_results"]] == ["one"]


def test_a_step_times_out() -> None:
    """ "`"Step '<name>' timed out after <N>s"`" """
    done = run(step("slow", timeout_secs=7), agents={"a": [{"reply": "late", "delay": 8}]})
    assert message(done) == "Step 'slow' timed out after 7s"
    assert done.error is not None
    assert (done.error.kind, done.error.step) == ("timeout", "slow")
    (late,) = done.steps
    assert (late.status, late.duration_ms) == ("failed", 7000)
    assert late.error is not None
    assert late.error.message == "timed out after 7s"


def test_the_default_timeout_is_120_seconds() -> None:
    """ "The default timeout is 120 seconds." """
    assert run(step("slow"), agents={"a": [{"reply": "just", "delay": 119}]}).status == "completed"
    assert message(run(step("slow"), agents={"a": [{"reply": "late", "delay": 121}]})).endswith("after 120s")


def test_a_timeout_that_a_model_reports_is_an_error_of_the_step() -> None:
    done = run(step("one"), agents={"a": [{"error": {"kind": "timeout", "message": "no answer"}}]})
    assert message(done) == "Step 'one' failed: no answer"


def test_skip_keeps_the_input_and_records_nothing() -> None:
    """ "The `{{input}}` for the next step remains unchanged. No `StepResult` is recorded." """
    done = run(
        step("one", output_var="v"),
        step("bad", "bad", error_mode="skip", output_var="v"),
        step("slow", "slow", error_mode="skip", timeout_secs=1),
        step("last", "last", prompt="{{input}} {{v}}"),
        agents={
            "a": ["A"],
            "bad": [{"error": "x"}],
            "slow": [{"reply": "y", "delay": 2}],
            "last": ["{{prompt}}"],
        },
    )
    assert done.output == "A A"
    assert [one["step_name"] for one in native(done)["step_results"]] == ["one", "last"]
    assert [fact.data for fact in done.facts if fact.kind == "step.skipped"] == [
        {"name": "bad", "why": "Step 'bad' failed: x"},
        {"name": "slow", "why": "Step 'slow' timed out after 1s"},
    ]


def test_retry_tries_again_and_each_attempt_has_the_full_time() -> None:
    """ "Each attempt gets the full `timeout_secs` budget independently." """
    late = {"reply": "late", "delay": 6}
    done = run(
        step("flaky", error_mode="retry", max_retries=3, timeout_secs=5),
        agents={"a": [late, {"error": "x"}, late, {"reply": "just", "delay": 4}]},
    )
    assert done.output == "just"
    (only,) = done.steps
    assert (only.attempts, only.duration_ms) == (4, 14_000)


@pytest.mark.parametrize(
    ("last", "said"), [({"error": "boom"}, "boom"), ({"reply": "late", "delay": 9}, "timed out after 5s")]
)
def test_retry_gives_up_after_so_many_retries(last: dict[str, object], said: str) -> None:
    """ "`max_retries: 3` means up to 4 total attempts." "`"Step '<name>' failed after <N> retries:
    <last_error>"`" """
    done = run(
        step("flaky", error_mode="retry", max_retries=3, timeout_secs=5),
        agents={"a": [{"error": "1"}, {"error": "2"}, {"error": "3"}, last, "one too many"]},
    )
    assert message(done) == f"Step 'flaky' failed after 3 retries: {said}"
    assert done.steps[0].attempts == 4


# Agents


@pytest.mark.parametrize("error_mode", ["fail", "skip", "retry"])
@pytest.mark.parametrize("mode", ["sequential", "fan_out", "conditional", "loop"])
def test_an_agent_that_is_not_found_fails_the_workflow(mode: str, error_mode: str) -> None:
    """ "If the agent cannot be resolved at execution time, the workflow fails with `"Agent not found for step
    '<name>'"`." """
    done = run(step("one"), step("two", "nobody", mode=mode, error_mode=error_mode), agents={"a": ["A"]})
    assert message(done) == "Agent not found for step 'two'"
    assert [one.path for one in done.steps] == ["one"]
    assert native(done)["state"] == "failed"
    assert native(done)["completed_at"] is not None


def test_steps_of_one_name_are_told_apart() -> None:
    done = run(step("same"), step("same"), step("same", mode="fan_out"), step("same", mode="fan_out"))
    assert [one.path for one in done.steps] == ["same", "same #2", "same #3", "same #4"]
    assert [one["output"] for one in native(done)["step_results"]] == [
        "<in>",
        "<<in>>",
        "<<<in>>>",
        "<<<in>>>",
    ]


# The examples


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_examples_of_the_guide_run(name: str) -> None:
    done = rehearse(load(EXAMPLES[name]), "bees", script={"agents": {"*": [{"reply": "{{call}}"}]}})
    assert done.status == "completed"
    assert native(done)["workflow_name"] == json.loads(EXAMPLES[name])["name"]


def test_a_prompt_that_no_model_could_read_fails_its_step() -> None:
    done = run(step("one", prompt="{{input}}" * 20_000), prompt="x" * 1000)
    assert message(done).startswith("Step 'one' failed: the prompt has 20,000,000 characters")
