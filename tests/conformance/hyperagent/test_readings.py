"""The readings that are taken where the text is silent, or leaves a choice."""

from __future__ import annotations

import json
from typing import Any

import pytest

from quintet.formats.registry import load
from tests.formats.hyperagent.building import flow, go, leave, loaded, native, problems, prompts, run, step


def test_what_the_text_says_must_be_is_found_before_anything_runs() -> None:
    """Reading: roles, sessions and parsers that are not there are errors of the file."""
    document = flow(step())
    document["roles"]["a"]["parser"] = "nowhere"
    assert load(json.dumps(document), "flow.json").workflow is None


def test_an_outcome_of_any_name_completes_the_run() -> None:
    """Reading: `failed` is an outcome like any other."""
    assert run(flow(step(exits=[leave("failed")])), a=["1"]).status == "completed"


def test_what_no_role_can_answer_fails_the_run() -> None:
    """Reading: a failure is no outcome."""
    found = run(flow(step()), a=[{"error": "down"}])
    assert (found.status, native(found)["outcome"]) == ("failed", None)


def test_unknown_keys_are_errors_or_warnings() -> None:
    """Reading: upstream drops them; `--lenient` makes warnings of them."""
    text = json.dumps(flow(step(), colour="red"))
    assert load(text, "flow.json").workflow is None
    assert load(text, "flow.json", lenient=True).workflow is not None


def test_the_output_is_what_the_last_turn_said() -> None:
    """Reading: parsed, as the role's parser leaves it."""
    only = {"type": "object", "properties": {"a": {"type": "string", "default": "x"}}}
    assert run(flow(step(), parsers={"a": only}), a=[{"b": 1}]).output == {"a": "x"}


def test_a_run_of_no_turn_has_no_output() -> None:
    """Reading: no round is run where there are to be none."""
    found = loaded(flow(step())).run_sync(
        max_rounds=0, script={"agents": {"a": [{"reply": "1"}]}}, store=":memory:"
    )
    assert (found.status, found.output, native(found)["rounds"]) == ("completed", None, [])


def test_a_reply_without_a_text_stands_for_an_error_report() -> None:
    """Reading: a parser may accept it, as upstream's does."""
    found = run(flow(step(exits=[leave(reason="{{parsed.status}}")])), a=[""])
    assert native(found)["reason"] == "error"


def test_text_that_is_no_json_is_refused_whatever_the_parser() -> None:
    """Reading: `unknown` takes any JSON, and nothing else."""
    assert run(flow(step()), a=["hello"]).status == "failed"
    assert run(flow(step()), a=['"hello"']).output == "hello"


def test_an_invalid_reply_stays_in_the_conversation() -> None:
    """Reading: asking again is a further attempt of the same turn, in the same session."""
    [turn] = run(flow(step()), a=["no", "1"]).steps
    assert (turn.attempts, turn.output) == (2, "1")


def test_sessions_go_on_by_their_role() -> None:
    """Reading: what a session is called changes nothing of whose it is."""
    entries = [{"role": "a", "nameTemplate": "{{runId}}-x"}]
    found = run(flow(step(), step("t"), sessions={"roles": entries}), a=["1"])
    assert found.status == "completed"


def test_an_empty_next_or_start_is_none() -> None:
    """Reading: as an empty `outcome` is none."""
    found = run(flow(step("s", next=""), step("t"), start=""), a=["1"])
    assert list(prompts(found)) == ["round 1/s", "round 1/t"]


@pytest.mark.parametrize("condition", [{"any": ["always"], "field": "raw", "equals": "never"}])
def test_any_goes_before_a_comparison(condition: Any) -> None:
    """Reading: what stands beside `any` is not looked at; `check` warns."""
    document = flow(step(exits=[leave("yes", condition)]))
    assert native(run(document, a=["1"]))["outcome"] == "yes"
    assert [one.severity for one in problems(document)] == ["warning", "warning"]


def test_the_round_of_the_default_outcome_is_none() -> None:
    """Reading: `{{round}}` is 0 there, and no step is in sight."""
    found = run(flow(step(), default={"outcome": "end", "reason": "{{round}}{{steps.s.raw}}"}), a=["1"])
    assert native(found)["reason"] == "0"


def test_what_a_script_says_of_a_role_is_what_the_role_says() -> None:
    """Reading: roles are the agents of a run: `--script` and `--model NAME=` know them by their names."""
    found = run(flow(step("s", "writer"), step("t", "critic")), writer=["1"], critic=["2"])
    assert [one.agent for one in found.steps] == ["writer", "critic"]


def test_a_run_is_named_by_its_id_in_templates_and_a_retry_by_that_of_the_first() -> None:
    """Reading: so that a retry asks the same again."""
    found = run(flow(step(prompt="{{run.id}}", transitions=[go("t")]), step("t")), a=["1"])
    assert prompts(found)["round 1/s"] == "run"
