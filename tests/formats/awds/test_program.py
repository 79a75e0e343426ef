"""What running a workflow means, rule by rule."""

from __future__ import annotations

from typing import Any

import pytest

from quintet.testing import MemoryHost, scripted
from quintet.workflow import WrongInput
from tests.formats.awds.rehearsing import message, native, prompts, run, statuses, step, workflow

OBJECT = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
RECORDS = {"list": ["r1", "r2", "r3"]}


def test_a_step_reads_what_an_earlier_one_put_out() -> None:
    done = run(
        step("a", agent={"resultSchema": OBJECT}),
        step("b", "a", agent={"input": "got ${{ steps.a.outputs.result.n }}"}),
        agents={"a": [{"n": 7}], "b": ["fine"]},
    )
    assert prompts(done) == {"a": "a", "b": "got 7"}
    assert native(done)["a"] == {"status": "success", "outputs": {"status": "success", "result": {"n": 7}}}
    assert done.output == "fine"


def test_what_depends_on_a_failure_does_not_run_and_the_rest_does() -> None:
    """ "If a step fails, all dependent steps MUST NOT execute" """
    done = run(
        step("bad"), step("after", "bad"), step("later", "after"), step("free"), step("more", "free"),
        agents={"bad": [{"error": "no"}], "*": ["ok"]},
    )  # fmt: skip
    assert statuses(done) == {
        "bad": "failed", "after": "skipped", "later": "skipped", "free": "success", "more": "success"
    }  # fmt: skip
    assert message(done) == "Step 'bad' failed: no"
    assert [native(done)[name]["why"] for name in ("after", "later")] == [
        "'bad' failed",
        "'after' was skipped",
    ]
    assert done.error is not None
    assert (done.error.kind, done.error.step) == ("provider", "bad")


def test_several_failures_are_all_told() -> None:
    """ "A workflow MUST fail if any required step fails" """
    done = run(
        step("a"), step("b"), step("c"), agents={"a": [{"error": "x"}], "b": ["ok"], "c": [{"error": "y"}]}
    )
    assert message(done) == "Step 'a' failed: x; also failed: 'c'"
    assert native(done)["c"]["error"] == {"message": "y", "kind": "provider"}


@pytest.mark.parametrize(
    ("condition", "status"),
    [
        ("${{ steps.a.outputs.result.n === 7 }}", "success"),
        ("${{ steps.a.outputs.result.n === '7' }}", "skipped"),
        ("steps.a.outputs.result.n > 6", "success"),
        ("${{ steps.a.outputs.result.missing.more }}", "skipped"),
        ("${{ '' }}", "skipped"),
        ("${{ inputs }}", "success"),
    ],
)
def test_a_step_whose_condition_does_not_hold_is_skipped(condition: str, status: str) -> None:
    """ "If a step's `if` condition evaluates to false, the step is skipped" """
    done = run(step("a"), step("b", "a", **{"if": condition}), agents={"a": [{"n": 7}], "b": ["ok"]})
    assert (done.status, statuses(done)["b"]) == ("completed", status)


def test_what_depends_on_a_skipped_step_is_skipped_and_says_because_of_which() -> None:
    """Reading: a step that was skipped has not completed successfully."""
    done = run(step("a", **{"if": "false"}), step("b", "a"), step("c", "b"), step("d"))
    assert done.status == "completed"
    assert native(done)["a"]["why"] == "its condition does not hold"
    assert native(done)["b"]["why"] == "'a' was skipped"
    assert native(done)["c"] == {"status": "skipped", "outputs": None, "why": "'b' was skipped"}
    assert prompts(done) == {"d": "d"}
    assert done.output == {"c": None, "d": "<d>"}


def test_a_step_runs_once_for_each_item() -> None:
    """ "If a step has a `for_each` field, it executes once for each item in the referenced array" """
    done = run(
        step("each", for_each="${{ inputs.list }}", agent={"input": {"record": "${{ item }}"}}),
        agents={"each": ["A", {"b": 1}, "C"]},
        inputs=RECORDS,
    )
    assert prompts(done)["each[1]"] == '{\n  "record": "r2"\n}'
    assert {one.agent for one in done.steps} == {"each"}
    assert native(done)["each"]["outputs"] == {"status": "success", "result": ["A", {"b": 1}, "C"]}
    assert native(done)["each"]["items"][0] == {
        "index": 0, "status": "success", "item": "r1", "input": {"record": "r1"}, "result": "A"
    }  # fmt: skip
    assert done.output == ["A", {"b": 1}, "C"]


def test_a_failing_item_fails_its_step_and_the_others_still_run() -> None:
    """ "If a step in a `for_each` loop fails, the remaining iterations MUST still execute, but the step MUST
    be marked as failed" """
    done = run(
        step("each", for_each="${{ inputs.list }}"), step("after", "each"),
        agents={"each": ["A", {"error": "no"}, "C"], "after": ["x"]}, inputs=RECORDS,
    )  # fmt: skip
    assert message(done) == "Step 'each' failed: 1 of 3 items failed: [1] no"
    assert statuses(done) == {"each": "failed", "after": "skipped"}
    assert native(done)["each"]["outputs"] == {"status": "failed", "result": ["A", None, "C"]}
    assert native(done)["each"]["items"][1] == {
        "index": 1,
        "status": "failed",
        "item": "r2",
        "input": "each",
        "error": {"message": "no", "kind": "provider"},
    }


def test_no_items_are_no_failure() -> None:
    """Reading: over an empty array it succeeds with an empty list."""
    done = run(step("each", for_each="inputs.list"), inputs={"list": []})
    assert (done.output, statuses(done)) == ([], {"each": "success"})


@pytest.mark.parametrize(
    ("given", "kind"),
    [("text", "a text"), (5, "a number"), ({"a": 1}, "a map"), (None, "null"), (True, "true")],
)
def test_what_is_no_list_has_no_items(given: Any, kind: str) -> None:
    """Reading: `for_each` over something that is no array fails the step."""
    done = run(step("each", for_each="inputs.list"), inputs={"list": given})
    assert message(done) == f"Step 'each' failed: for_each needs a list, and its expression gives {kind}"
    assert done.error is not None
    assert done.error.step == "each"


def test_a_condition_is_looked_at_once_and_before_the_items() -> None:
    """Reading: `if` is evaluated before `for_each`."""
    done = run(step("each", for_each="inputs.missing", **{"if": "inputs.go"}))
    assert (done.status, statuses(done)) == ("completed", {"each": "skipped"})


def test_an_expression_that_comes_to_nothing_fails_its_step() -> None:
    done = run(step("a", agent={"input": "x ${{ fromJSON(inputs.text) }}"}), inputs={"text": "{"})
    assert message(done) == (
        "Step 'a' failed: fromJSON: the text is no JSON, or nested too deep "
        "(in input, character 7: fromJSON(inputs.text))"
    )
    assert message(run(step("a", **{"if": "fromJSON('')"}))).endswith("(in if, character 1: fromJSON(''))")


@pytest.mark.parametrize(
    ("said", "prompt"),
    [
        ("as it stands", "as it stands"),
        ("${{ inputs.map }}", '{\n  "b": 1,\n  "a": [\n    "é"\n  ]\n}'),
        ("${{ inputs.n }}", "5"),
        ("${{ inputs.missing }}", ""),
        ({"z": "${{ inputs.missing }}", "y": "n ${{ inputs.n }}"}, '{\n  "z": null,\n  "y": "n 5"\n}'),
        ([1, "${{ inputs.n }}"], "[\n  1,\n  5\n]"),
        (None, "Please proceed."),
    ],
)
def test_what_the_agent_receives(said: Any, prompt: str) -> None:
    """Reading: a text as it stands, a map or a list as JSON, `Please proceed.` without input."""
    one = step("a", agent={} if said is None else {"input": said})
    if said is None:
        del one["agent"]["input"]
    done = run(one, inputs={"map": {"b": 1, "a": ["é"]}, "n": 5}, agents={"a": ["ok"]})
    assert prompts(done) == {"a": prompt}


def test_the_system_prompt_is_told_first_with_its_expressions_replaced() -> None:
    host = MemoryHost(scripted({"agents": {"a": [{"reply": "ok"}]}}))
    run(step("a", agent={"systemPrompt": "Be ${{ inputs.how }}."}), inputs={"how": "brief"}, host=host)
    request: Any = host.performed[0].request
    assert [(one["role"], one["text"]) for one in request["messages"]] == [
        ("system", "Be brief."),
        ("user", "a"),
    ]


def test_the_prompt_is_the_input_called_prompt() -> None:
    done = run(step("a", agent={"input": "${{ inputs.prompt }}!"}), prompt="hello", agents={"a": ["ok"]})
    assert prompts(done) == {"a": "hello!"}
    with pytest.raises(WrongInput, match="twice"):
        workflow(step("a")).arguments("x", {"prompt": "y"})


def test_an_answer_must_conform_and_the_agent_is_told_what_is_wrong_with_it() -> None:
    """ "`result` conforms to the `resultSchema` if specified" """
    one = step("a", agent={"resultSchema": OBJECT})
    done = run(one, agents={"a": ["no json", {"m": 1}, {"n": 1}]})
    assert done.output == {"n": 1}
    assert len(done.steps) == 1
    bad = run(one, agents={"a": [{"n": "x"}]})
    assert message(bad) == (
        "Step 'a' failed: the answer does not fit, also after it was asked 2 more times: "
        'at /n: "x" is not of type "integer"'
    )


@pytest.mark.parametrize(
    ("said", "result"),
    [("plain", "plain"), ('{"a": 1}', {"a": 1}), ([1], [1]), ("{broken", "{broken"), ("5", "5")],
)
def test_without_a_schema_the_result_is_the_json_or_the_text(said: Any, result: Any) -> None:
    assert run(step("a"), agents={"a": [said]}).output == result
    assert run(step("a", agent={"resultSchema": {}}), agents={"a": [said]}).output == result


FUNCTIONS = [{"service": "crm", "function": "get"}]


def test_an_agent_calls_its_functions_by_service_and_name() -> None:
    host = MemoryHost(
        scripted(
            {
                "agents": {"a": [{"tool": {"name": "crm_get", "arguments": {"id": 1}}}, {"reply": "ok"}]},
                "tools": {"crm_get": [{"result": "Ann"}]},
            }
        )
    )
    agent = {"attachedFunctions": FUNCTIONS, "context": {"token": "${{ inputs.token }}", "n": 1}}
    done = run(step("a", agent=agent), inputs={"token": "secret"}, host=host)
    assert [(one.path, one.tool) for one in done.steps] == [("a/crm_get", "crm_get"), ("a", None)]
    assert {one.status for one in done.steps} == {"completed"}
    offered: Any = host.performed[0].request
    assert [one["name"] for one in offered["tools"]] == ["crm_get"]
    called: Any = host.performed[1].request
    assert called["context"] == {"token": "secret", "n": 1}
    assert "secret" not in str(offered)


def test_a_function_that_is_not_attached_is_not_executed() -> None:
    """Reading: its entry is `failed`, the agent is told and goes on."""
    agents: dict[str, list[Any]] = {"a": [{"tool": {"name": "crm_get", "arguments": {}}}, "ok"]}
    tools: Any = {"crm_get": [{"result": "Ann"}]}
    attached = step("a", agent={"attachedFunctions": [{"service": "other", "function": "f"}]})
    done = run(attached, agents=agents, tools=tools)
    assert done.status == "completed"
    (call, _) = done.steps
    assert (call.path, call.status, call.output) == ("a/crm_get", "failed", None)
    assert call.error is not None
    assert "may not call 'crm_get'; it may call: other_f" in call.error.message
    every: list[Any] = [{}, {"attachedFunctions": []}]
    for allowed in every:
        assert run(step("a", agent=allowed), agents=agents, tools=tools).steps[0].status == "completed"


def test_a_function_that_fails_does_not_fail_the_step() -> None:
    """Reading: the agent is told."""
    agents: dict[str, list[Any]] = {"a": [{"tool": {"name": "crm_get", "arguments": {}}}, "ok"]}
    done = run(step("a"), agents=agents, tools={"crm_get": [{"error": "down"}]})
    assert (done.status, done.steps[0].status) == ("completed", "failed")


def test_tags_are_told_in_the_record_and_nowhere_else() -> None:
    """ "Does not influence execution." """
    done = run(step("a", agent={"tags": {"team": "${{ x }}"}}))
    assert native(done)["a"]["tags"] == {"team": "${{ x }}"}


def test_the_output_is_that_of_the_steps_on_which_nothing_depends() -> None:
    """Reading: of several a map from id to result."""
    assert run(step("a"), step("b", "a")).output == "<b>"
    assert run(step("a"), step("b", "a"), step("c", "a")).output == {"b": "<b>", "c": "<c>"}
    assert run().output is None


def test_an_agent_that_does_not_exist_fails_its_step() -> None:
    done = run(step("a"), step("b"), agents={"b": ["ok"]})
    assert message(done) == "Step 'a' failed: there is no agent 'a'"
    assert statuses(done)["b"] == "success"
