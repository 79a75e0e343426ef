"""Wherever a run of whatever workflow is cut, it goes on as if it had not been."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quintet.runs.chronicle import Chronicle
from quintet.testing import Crash, Fault, MemoryHost, scripted
from tests.formats.hyperagent.building import flow, go, leave, loaded, step

CONDITIONS = st.sampled_from(
    [
        "always",
        {"field": "parsed.n", "equals": 2},
        {"field": "@state.v", "exists": True},
        {"field": "@round", "equals": 2},
    ]
)
TEMPLATES = st.sampled_from(
    ["{{state.v}}{{parsed.n}}", "{{steps.one.parsed.n||bootstrap.raw||'x'}}", "{{round}} {{raw}}"]
)
ENTRY: st.SearchStrategy[dict[str, Any]] = st.sampled_from(
    [
        {"reply": {"n": 1}, "tokens": {"input": 2, "output": 1}},
        {"reply": {"n": 2}},
        {"reply": "no JSON"},
        {"reply": "1", "delay": 0.4},
        {"tool": {"name": "look", "arguments": {}}},
        {"error": "down"},
    ]
)


KEYS = st.sampled_from(["one", "two"])


@st.composite
def transitions(draw: st.DrawFn) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    for leads_on in draw(st.lists(st.booleans(), max_size=2)):
        when, then = draw(CONDITIONS), draw(st.dictionaries(st.sampled_from("vw"), TEMPLATES, max_size=1))
        ends = leave("out", when, "{{state.v}}", stateUpdates=then)
        found.append(go(draw(KEYS), when, stateUpdates=then) if leads_on else ends)
    return found


@st.composite
def workflows(draw: st.DrawFn) -> dict[str, Any]:
    steps = [
        step(
            key,
            draw(st.sampled_from("ab")),
            draw(st.lists(TEMPLATES, min_size=1, max_size=2)),
            stateUpdates=draw(st.dictionaries(st.sampled_from("vw"), TEMPLATES, max_size=2)),
            transitions=draw(transitions()),
            exits=draw(transitions()),
        )
        for key in ("one", "two")
    ]
    bootstrap = draw(
        st.none() | st.just(step("boot", "a", "{{user.instructions}}", stateUpdates={"v": "{{raw}}"}))
    )
    return flow(*steps, bootstrap=bootstrap, rounds=draw(st.integers(1, 3)), state={"w": "{{run.id}}"})


def story(host: MemoryHost) -> Any:
    """What a run tells, but for the times, which a cut may well move."""
    chronicle = Chronicle("run")
    chronicle.hear(host.logs["run"].events)
    run = chronicle.run()
    told = run.to_json()
    kept = {key: told[key] for key in ("status", "output", "error", "usage", "native")}
    steps = [
        (one.path, one.status, one.prompt, one.output, one.attempts, one.input_tokens) for one in run.steps
    ]
    return json.dumps(kept), steps


@settings(max_examples=40)
@given(workflows(), st.lists(ENTRY, max_size=4), st.lists(ENTRY, max_size=4))
def test_a_run_cut_at_any_append_goes_on_to_the_same_end(
    document: dict[str, Any], of_a: list[dict[str, Any]], of_b: list[dict[str, Any]]
) -> None:
    last = {"reply": {"n": 3}}
    script: dict[str, Any] = {
        "agents": {"a": [*of_a, last], "b": [*of_b, last]},
        "tools": {"look": [{"result": 1}]},
    }
    workflow = loaded(document)
    arguments, pinned = workflow.arguments("in"), workflow.pinned(script=script)
    whole = MemoryHost(scripted(script))
    whole.run(workflow.program, arguments, pinned=dict(pinned.to_json()))
    expected = story(whole)
    for append in range(2, whole.appends):
        host = MemoryHost(scripted(script), faults=[Fault("crash after", append)])
        with pytest.raises(Crash):
            host.run(workflow.program, arguments, pinned=dict(pinned.to_json()))
        host.resume("run", workflow.program)
        assert story(host) == expected
