"""What the guide says of modes, variables and errors, where no other test quotes it; and readings."""

from __future__ import annotations

from typing import Any

from quintet.testing import MemoryHost, scripted
from tests.formats.openfang.loading import step as loaded
from tests.formats.openfang.rehearsing import ECHO, message, prompts, run, step

SLOW = {"reply": "late", "delay": 50}

# Modes


def test_a_typical_pattern_of_fan_out_and_collect() -> None:
    """ "receives joined output as {{input}}" """
    done = run(
        step("1", "x", mode="fan_out"),
        step("2", "y", mode="fan_out"),
        step("3", mode="collect"),
        step("4", "z"),
        agents={"x": ["X"], "y": ["Y"], "z": ["Z"]},
    )
    assert prompts(done)["4"] == "X\n\n---\n\nY"


def test_a_condition_that_is_not_met_leaves_the_input_alone() -> None:
    """ "If the condition is not met, the step is skipped entirely and `{{input}}` is not modified." """
    done = run(
        step("one", output_var="v"),
        step("maybe", mode="conditional", condition="nowhere", output_var="v"),
        step("last", prompt="{{input}} {{v}}"),
    )
    assert prompts(done) == {"one": "in", "last": "<in> <in>"}


def test_a_condition_that_is_met_makes_a_step_like_any_other() -> None:
    """ "When the condition is met, the step executes like a sequential step." """
    done = run(
        step("maybe", "m", mode="conditional", condition="IN", error_mode="retry", output_var="v"),
        step("last", prompt="{{input}} {{v}}"),
        agents={"m": [{"error": "x"}, "M"], "a": ["{{prompt}}"]},
    )
    assert done.output == "M M"
    assert done.steps[0].attempts == 2


def test_a_loop_feeds_each_output_to_the_next_iteration() -> None:
    """ "Each iteration feeds its output back as `{{input}}` for the next iteration." """
    done = run(step("again", mode="loop", max_iterations=3, until="never", prompt="{{input}}"))
    assert list(prompts(done).values()) == ["in", "<in>", "<<in>>"]


def test_a_loop_never_runs_more_often_than_its_cap() -> None:
    """ "The engine will never execute more than this many iterations, even if the `until` condition is never
    met." """
    assert len(run(step("again", mode="loop", until="never")).steps) == 5


def test_a_loop_of_no_rounds_gives_back_its_input() -> None:
    """Reading: nothing runs, and its variable is the input."""
    done = run(step("none", mode="loop", max_iterations=0, output_var="v"), step("last", prompt="{{v}}"))
    assert prompts(done) == {"last": "in"}


def test_a_loop_without_a_text_to_find_ends_after_its_first_round() -> None:
    """Reading: every output contains the empty text."""
    assert len(run(step("once", mode="loop")).steps) == 1


def test_a_loop_whose_first_round_is_skipped_gives_back_its_input() -> None:
    """Reading: the last good output is what came before it."""
    done = run(
        step("bad", "bad", mode="loop", until="x", error_mode="skip", output_var="v"),
        step("last", prompt="{{input}} {{v}}"),
        agents={"bad": [{"error": "x"}], "a": ["{{prompt}}"]},
    )
    assert done.output == "in in"


def test_a_second_collect_gathers_what_the_first_one_joined() -> None:
    """Reading: the joined text stands for the group from then on."""
    done = run(
        step("one", mode="fan_out", prompt="1"),
        step("two", mode="fan_out", prompt="2"),
        step("join", mode="collect"),
        step("between", prompt="between"),
        step("again", mode="collect"),
    )
    assert done.output == "<1>\n\n---\n\n<2>"


# Variables


def test_a_step_keeps_its_output_under_a_name() -> None:
    """ "If set, stores this step's output in a named variable for later reference." """
    assert loaded(output_var=None).output_var is None
    done = run(step("one", output_var="my_var"), step("two", prompt="2"), step("three", prompt="{{my_var}}"))
    assert prompts(done)["three"] == "<in>"


def test_of_two_members_that_set_one_variable_the_later_in_the_file_wins() -> None:
    """Reading: whoever was faster does not matter."""
    done = run(
        step("slow", "s", mode="fan_out", output_var="v"),
        step("fast", "f", mode="fan_out", output_var="v"),
        step("last", prompt="{{v}}"),
        agents={"s": [{"reply": "S", "delay": 9}], "f": ["F"], "a": ["{{prompt}}"]},
    )
    assert done.output == "F"


# Errors and time


def test_a_timeout_is_an_error_like_any_other() -> None:
    """ "Timeouts are treated as errors and handled according to the step's `error_mode`." """
    late = {"a": [SLOW, "in time"], "b": ["{{prompt}}"]}
    keys: dict[str, Any] = {"timeout_secs": 5}
    failed = run(step("s", **keys), step("t", "b"), agents=late)
    skipped = run(step("s", error_mode="skip", **keys), step("t", "b"), agents=late)
    retried = run(step("s", error_mode="retry", **keys), step("t", "b"), agents=late)
    assert message(failed) == "Step 's' timed out after 5s"
    assert (skipped.output, retried.output) == ("in", "in time")


def test_each_fan_out_step_has_its_own_timeout() -> None:
    """ "For fan-out steps, each parallel step gets its own timeout individually." """
    patient, hasty = (step("p", mode="fan_out", timeout_secs=60), step("h", mode="fan_out", timeout_secs=10))
    assert message(run(patient, hasty, agents={"a": [SLOW]})) == "FanOut step 'h' timed out after 10s"
    assert run(patient, step("q", mode="fan_out", timeout_secs=51), agents={"a": [SLOW]}).output == "late"


def test_a_skipped_step_is_noted() -> None:
    """ "A warning is logged, but the workflow continues." """
    done = run(step("bad", error_mode="skip"), agents={"a": [{"error": "x"}]})
    assert (done.status, done.output) == ("completed", "in")
    assert [fact.kind for fact in done.facts] == ["step.skipped"]


def test_retries_are_made_at_once() -> None:
    """Reading: there is no pause between attempts."""
    done = run(step("s", error_mode="retry"), agents={"a": [{"error": "x"}, {"error": "x"}, "A"]})
    assert (done.steps[0].attempts, done.steps[0].duration_ms) == (3, 0)


def test_a_step_that_has_no_time_at_all_is_too_late() -> None:
    """Reading: a `timeout_secs` of 0 is what it says."""
    assert message(run(step("s", timeout_secs=0), agents={"a": [SLOW]})) == "Step 's' timed out after 0s"


def test_a_run_as_a_whole_has_no_time_limit() -> None:
    """Reading: only its steps have."""
    slow = {"reply": "{{call}}", "delay": 3000}
    done = run(step("one", timeout_secs=4000), step("two", timeout_secs=4000), agents={"a": [slow]})
    assert done.output == "2"


def test_every_step_begins_a_fresh_conversation() -> None:
    """Reading: an agent does not see what it was asked in an earlier step."""
    host = MemoryHost(scripted(ECHO))
    run(step("one"), step("two"), host=host)
    requests: list[Any] = [call.request for call in host.performed]
    assert [(one["before"], len(one["messages"])) for one in requests] == [(None, 1), (None, 1)]
