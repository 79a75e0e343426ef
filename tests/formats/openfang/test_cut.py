"""Wherever a run of whatever workflow is cut, it goes on as if it had not been."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quintet.api import load
from quintet.runs.chronicle import Chronicle
from quintet.testing import Crash, Fault, MemoryHost, scripted
from tests.formats.openfang.anything import steps

ENTRY: st.SearchStrategy[dict[str, Any]] = st.sampled_from(
    [
        {"reply": "{{call}} <{{prompt}}>"},
        {"reply": "ann {{call}}", "tokens": {"input": 2, "output": 1}},
        {"reply": "slow", "delay": 0.4},
        {"reply": "too slow", "delay": 5},
        {"tool": {"name": "look", "arguments": {"q": "{{prompt}}"}}},
        {"error": "no"},
    ]
)


def entries() -> st.SearchStrategy[list[dict[str, Any]]]:
    """What an agent says; the last entry, which repeats, is an answer."""
    return st.lists(ENTRY, min_size=1, max_size=4).map(_ended)


def _ended(some: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [*some, {"reply": "end"}]


def story(chronicle: Chronicle) -> Any:
    """What a run tells, but for the times, which a cut may well move."""
    told = chronicle.run().to_json()
    text = json.dumps({key: told[key] for key in ("status", "output", "error", "usage")})
    steps = [
        (step.path, step.status, step.prompt, step.output, step.attempts, step.input_tokens)
        for step in chronicle.run().steps
    ]
    return text, sorted(map(str, steps))


@settings(max_examples=60)
@given(steps(), st.fixed_dictionaries({name: entries() for name in ("ann", "bob", "cy")}))
def test_a_run_cut_at_any_append_goes_on_to_the_same_end(
    some: list[dict[str, Any]], agents: dict[str, list[dict[str, Any]]]
) -> None:
    script: dict[str, Any] = {"agents": agents, "tools": {"look": [{"result": {"n": 1}}, {"error": "gone"}]}}
    workflow = load(json.dumps({"name": "w", "steps": some}))
    arguments, pinned = workflow.arguments("in", {"w": "W"}), workflow.pinned(script=script)

    def live(host: MemoryHost) -> Any:
        host.run(workflow.program, arguments, pinned=dict(pinned.to_json()))
        return tell(host)

    def tell(host: MemoryHost) -> Any:
        chronicle = Chronicle("run")
        chronicle.hear(host.logs["run"].events)
        return story(chronicle)

    whole = MemoryHost(scripted(script))
    expected = live(whole)
    for append in range(2, whole.appends):
        host = MemoryHost(scripted(script), faults=[Fault("crash after", append)])
        with pytest.raises(Crash):
            live(host)
        host.resume("run", workflow.program)
        assert tell(host) == expected
