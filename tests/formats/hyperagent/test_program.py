"""What a run of a Hyperagent workflow comes to, rule by rule."""

from __future__ import annotations

from typing import Any

import pytest

from quintet.formats.hyperagent.program import session_name
from quintet.workflow import WrongInput
from tests.formats.hyperagent.building import flow, go, leave, loaded, native, prompts, run, step

NUMBER = {"type": "object", "properties": {"n": {"type": "number"}}, "required": ["n"]}


def test_the_bootstrap_executes_exactly_once_before_the_first_round() -> None:
    """ "Executes exactly once before the first round." """
    ignored: dict[str, Any] = {"next": "s", "exits": [leave()]}
    found = run(
        flow(
            step(prompt="{{bootstrap.parsed.v}} {{state.plan}} {{round}}"),
            bootstrap=step(
                "boot", "b", "{{round}} {{maxRounds}}", stateUpdates={"plan": "{{parsed.v}}"}, **ignored
            ),
            rounds=2,
        ),
        a=["{}"],
        b=[{"v": "P"}],
    )
    assert prompts(found) == {"bootstrap": "0 2", "round 1/s": "P P 1", "round 2/s": "P P 2"}
    assert native(found)["bootstrap"] == {
        "key": "boot",
        "role": "b",
        "round": 0,
        "raw": '{"v":"P"}',
        "parsed": {"v": "P"},
    }


def test_a_result_has_the_outcome_the_reason_and_the_rounds() -> None:
    found = run(flow(step(exits=[leave("failed", reason="{{parsed.why}}")])), a=['```json{"why":"no"}```'])
    turn = {"key": "s", "role": "a", "round": 1, "raw": '{"why":"no"}', "parsed": {"why": "no"}}
    assert (found.status, found.output) == ("completed", {"why": "no"})
    assert native(found) == {
        "outcome": "failed",
        "reason": "no",
        "rounds": [{"round": 1, "steps": {"s": turn}}],
    }


def test_a_round_begins_at_start_and_goes_on_with_next_or_in_order() -> None:
    """ "the orchestrator falls back to `next` or step order" """
    found = run(flow(step("a"), step("b", next="d"), step("c"), step("d"), start="b", rounds=1), a=["{}"])
    assert list(prompts(found)) == ["round 1/b", "round 1/d"]


def test_transitions_go_before_exits_and_the_first_that_holds_fires() -> None:
    """ "`transitions`: evaluated first" "`exits`: evaluated after transitions" """
    later = [go("t", {"field": "parsed.n", "equals": 1}), go("s", "always")]
    found = run(
        flow(step("s", transitions=later, exits=[leave()]), step("t", exits=[leave("by-exit")])), a=[{"n": 1}]
    )
    assert list(prompts(found)) == ["round 1/s", "round 1/t"]
    assert native(found)["outcome"] == "by-exit"


def test_an_exit_may_lead_to_a_step_as_well() -> None:
    found = run(flow(step("s", exits=[go("u")]), step("t"), step("u")), a=["{}"])
    assert list(prompts(found)) == ["round 1/s", "round 1/u"]


def test_an_outcome_goes_before_a_next_step() -> None:
    found = run(flow(step("s", exits=[leave("done", nextStep="s")])), a=["{}"])
    assert (native(found)["outcome"], len(found.steps)) == ("done", 1)


def test_state_updates_are_applied_in_order_and_a_reason_sees_the_steps_own_only() -> None:
    """ "`stateUpdates` borrow the same templating rules; they run only when the transition fires." """
    updates = {"x": "{{parsed.n}}", "y": "{{state.x}}+"}
    fires = leave(
        reason="{{state.x}} {{state.z}} {{state.y}}", stateUpdates={"z": "late", "w": "{{state.z}}!"}
    )
    found = run(
        flow(
            step(
                "s",
                stateUpdates=updates,
                transitions=[go("s", {"field": "parsed.n", "equals": 9}, stateUpdates={"x": "no"})],
                exits=[fires],
            ),
            state={"x": "0", "z": "early"},
        ),
        a=[{"n": 1}],
    )
    assert native(found)["reason"] == "1 early 1+"
    changes = [fact.data for fact in found.facts if fact.kind == "state.changed"]
    assert changes == [{"x": "0", "z": "early"}, {"x": "1", "y": "1+"}, {"z": "late", "w": "late!"}]


def test_the_state_begins_with_what_its_templates_render_to_in_order() -> None:
    """ "template strings rendered once at run start" """
    state = {"a": "{{user.instructions}}", "b": "{{state.a}}{{state.c}}", "c": "{{round}}{{run.id}}"}
    found = run(flow(step(prompt="{{state.b}} {{state.c}}"), state=state), "tea", a=["{}"])
    assert prompts(found) == {"round 1/s": "tea 0run"}


def test_steps_are_those_of_this_round_and_one_that_runs_again_takes_its_place() -> None:
    """ "accesses the raw JSON emitted by a prior step within the same round" """
    again = [go("one", {"field": "parsed.again", "equals": True})]
    found = run(
        flow(
            step("one", prompt="[{{steps.two.raw}}]"),
            step("two", "b", "{{steps.one.parsed.n}}", transitions=again),
            rounds=2,
        ),
        a=[{"n": 1}, {"n": 2}, {"n": 3}],
        b=[{"again": True}, {"again": False}],
    )
    assert prompts(found) == {
        "round 1/one": "[]",
        "round 1/two": "1",
        "round 1/one #2": '[{"again":true}]',
        "round 1/two #2": "2",
        "round 2/one": "[]",
        "round 2/two": "3",
    }
    assert native(found)["rounds"][0]["steps"]["one"]["parsed"] == {"n": 2}


def test_prompts_do_not_see_the_turn_they_begin() -> None:
    found = run(
        flow(step("a", prompt="x"), step("b", prompt="y{{parsed.n}}{{raw}}{{current.key}}")), a=[{"n": 1}]
    )
    assert prompts(found)["round 1/b"] == "y"


@pytest.mark.parametrize(
    ("document", "given", "rounds"), [(None, None, 10), (3, None, 3), (3, 5, 5), (3, 0, 0)]
)
def test_rounds_are_limited_by_the_call_the_document_or_ten(
    document: int | None, given: int | None, rounds: int
) -> None:
    """ "optional numeric cap; callers can also override when starting a run" """
    workflow = loaded(
        flow(
            step(),
            rounds=document,
            default={"outcome": "end", "reason": "{{maxRounds}} {{round}}{{steps.s.raw}}"},
        )
    )
    script = {"agents": {"a": [{"reply": "{}"}]}}
    found = workflow.run_sync(script=script, store=":memory:", max_rounds=given)
    assert len(found.steps) == rounds
    assert native(found)["reason"] == f"{rounds} 0"
    assert len(native(found)["rounds"]) == rounds


def test_a_round_that_goes_in_circles_is_stopped() -> None:
    found = run(flow(step("one", transitions=[go("one")]), rounds=3), a=["{}"])
    assert found.status == "failed"
    assert found.error is not None
    assert (
        found.error.message
        == "Workflow transitions exceeded safe limit in round 1. Check for cycles in flow.v1."
    )
    assert len(found.steps) == 3
    two = run(flow(step("one"), step("two", transitions=[go("one")])), a=["{}"])
    assert (two.status, len(two.steps)) == ("failed", 6)


def test_as_many_steps_as_are_safe_are_no_circle() -> None:
    found = run(
        flow(step("one", transitions=[go("one", {"field": "parsed", "equals": 1})])), a=["1", "1", "2"]
    )
    assert (found.status, len(found.steps)) == ("completed", 3)


def test_an_invalid_reply_is_asked_for_again_in_the_formats_own_words() -> None:
    said: list[Any] = ["no", {"n": "1"}, {"n": 1}]
    found = run(flow(step(prompt="Count."), parsers={"a": NUMBER}), a=said)
    assert [(one.attempts, one.prompt, one.output, one.status) for one in found.steps] == [
        (3, "Count.", '{"n":1}', "completed")
    ]
    heard = run(flow(step(prompt="Count."), parsers={"a": {"type": "string"}}), a=["{", "2", '"{{call}}"'])
    assert heard.output == "3"


def test_the_third_invalid_reply_fails_the_run() -> None:
    found = run(flow(step(), parsers={"a": NUMBER}), a=["{}"])
    assert found.error is not None
    assert found.error.message == "[a] parser 'a' validation failed: n: expected number, received undefined"
    assert (found.error.kind, found.error.step) == ("invalid_answer", "round 1/s")
    [turn] = found.steps
    assert (turn.status, turn.attempts, found.status) == ("failed", 3, "failed")
    assert native(found) == {"outcome": None, "reason": None, "rounds": [{"round": 1, "steps": {}}]}


def test_a_models_failure_is_not_asked_again() -> None:
    found = run(flow(step()), a=[{"error": "down"}, "{}"])
    assert found.error is not None
    assert (found.error.message, found.error.step, len(found.steps)) == ("down", "round 1/s", 1)


def test_a_role_takes_all_its_turns_in_one_session_under_its_system_prompt() -> None:
    """ "`systemPrompt` is fed directly to the LLM whenever the role executes a step." """
    from quintet.engine.values import decode
    from quintet.testing import MemoryHost, scripted

    host = MemoryHost(scripted({"agents": {"*": [{"reply": "no"}, {"reply": "{}"}]}}))
    run(flow(step("s"), step("t", "b"), rounds=2), host=host)
    asked: list[Any] = [decode(one.data) for one in host.logs["run"].events if one.kind == "model.requested"]
    of_a = [one for one in asked if one["agent"]["name"] == "a"]
    assert [[m["role"] for m in one["messages"]] for one in of_a] == [["system", "user"], ["user"], ["user"]]
    assert of_a[0]["messages"][0]["text"] == "a"
    assert of_a[1]["messages"][0]["text"].startswith(
        "go\n\nIMPORTANT: Your previous response was invalid JSON (a returned"
    )
    assert [one["before"] is None for one in of_a] == [True, False, False]


def test_the_model_of_the_document_is_asked_for() -> None:
    from quintet.engine.values import decode
    from quintet.testing import MemoryHost, scripted

    host = MemoryHost(scripted({"agents": {"a": [{"reply": "{}"}]}}))
    document = flow(step(), model="anthropic/claude")
    run(document, host=host)
    [asked] = [decode(one.data) for one in host.logs["run"].events if one.kind == "model.requested"]
    assert asked["agent"] == {"name": "a", "model": "anthropic/claude"}  # pyright: ignore[reportCallIssue, reportArgumentType, reportIndexIssue, reportOptionalSubscript]
    assert loaded(document).definition.models == {"a": "anthropic/claude"}


def test_sessions_are_named_by_their_template() -> None:
    """ "`nameTemplate` is optional and can include `{{runId}}` replacements" """
    assert session_name("{{runId}}-a {{ runId }}{{run.id}}{{runId||'x'}}", "r1") == "r1-a r1"
    found = run(flow(step(), sessions={"roles": [{"role": "a", "nameTemplate": "{{runId}}-x"}]}), a=["{}"])
    assert [fact.data for fact in found.facts if fact.kind == "session.named"] == [
        {"role": "a", "name": "run-x"}
    ]


def test_a_text_without_an_end_fails_its_step() -> None:
    twice = {"v": "{{state.v}}{{state.v}}"}
    found = run(flow(step(stateUpdates=twice), state={"v": "x" * 1000}, rounds=20), a=["{}"])
    assert found.error is not None
    assert (found.error.kind, found.error.step) == ("text_too_long", "round 15/s")


USER = {"n": {"type": "number"}, "who": {"type": "string", "default": "nobody"}}


@pytest.mark.parametrize(
    ("user", "prompt", "inputs", "expected"),
    [
        (USER, None, {"n": 5}, {"n": 5, "who": "nobody"}),
        ({"instructions": ""}, None, {}, {"instructions": ""}),
        ({"instructions": "x"}, "tea", {}, {"instructions": "tea"}),
        (None, "tea", {"any": [1]}, {"instructions": "tea", "any": [1]}),
        (None, None, {}, {}),
    ],
)
def test_inputs_are_those_that_the_workflow_declares(
    user: Any, prompt: str | None, inputs: Any, expected: Any
) -> None:
    """ "Keys that include a `default` are optional at runtime; keys without a `default` are required." """
    document = flow(step()) if user is None else flow(step(), user=user)
    assert loaded(document).arguments(prompt, inputs) == {"user": expected}


@pytest.mark.parametrize(
    ("user", "prompt", "inputs", "message"),
    [
        (USER, None, {}, "Invalid user inputs for workflow flow.v1: n: expected number, received undefined"),
        (
            USER,
            None,
            {"n": "5"},
            "Invalid user inputs for workflow flow.v1: n: expected number, received string",
        ),
        (USER, None, {"n": 1, "whom": "x"}, "flow.v1 has no input 'whom'; did you mean 'who'?"),
        (
            USER,
            "tea",
            {"n": 1},
            "flow.v1 has no place for a prompt: no input 'instructions'; it takes n, who",
        ),
        ({}, None, {"n": 1}, "flow.v1 has no input 'n'; it takes none"),
        (
            None,
            "tea",
            {"instructions": "rum"},
            "'instructions' is the prompt: give it as PROMPT or as an input, not as both",
        ),
    ],
)
def test_other_inputs_are_refused(user: Any, prompt: str | None, inputs: Any, message: str) -> None:
    """ "If validation fails the call throws `Invalid user inputs for workflow <id>: <zod details>`." """
    document = flow(step()) if user is None else flow(step(), user=user)
    with pytest.raises(WrongInput) as caught:
        loaded(document).arguments(prompt, inputs)
    assert str(caught.value) == message
