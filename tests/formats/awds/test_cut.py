"""Wherever a run of whatever workflow is cut, it goes on as if it had not been."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quintet.runs.chronicle import Chronicle
from quintet.testing import Crash, Fault, MemoryHost, scripted
from tests.formats.awds.rehearsing import step, workflow

NAMES = ("a", "b", "c", "d")
SAID: list[dict[str, Any]] = [
    {"reply": {"list": [1, 2, 3], "n": 1}},
    {"reply": {"list": [], "n": 0}, "delay": 0.5},
    {"reply": "no list", "delay": 2},
    {"tool": {"name": "s_f", "arguments": {}}},
    {"tool": {"name": "other", "arguments": {}}},
    {"error": "no"},
]
LAST: dict[str, Any] = {"reply": {"list": [1], "n": 1}, "delay": 1}


def entries() -> st.SearchStrategy[list[dict[str, Any]]]:
    """What an agent says; the last entry, which repeats, is an answer."""
    return st.lists(st.sampled_from(SAID), min_size=1, max_size=3).map(lambda some: [*some, LAST])


@st.composite
def graphs(draw: st.DrawFn) -> list[dict[str, Any]]:
    """Steps of every kind, each depending on some of those before it."""
    made: list[dict[str, Any]] = []
    for number, name in enumerate(NAMES):
        needs = draw(st.lists(st.sampled_from(NAMES[:number]), unique=True)) if number else []
        keys: dict[str, Any] = {}
        agent: dict[str, Any] = {"attachedFunctions": [{"service": "s", "function": "f"}]}
        if needs and draw(st.booleans()):
            keys["for_each"] = f"steps.{needs[0]}.outputs.result.list"
            agent["input"] = "${{ item }}"
        if needs and draw(st.booleans()):
            keys["if"] = f"steps.{needs[-1]}.outputs.result.n === 1"
        if draw(st.booleans()):
            agent["resultSchema"] = {"type": "object"}
        made.append(step(name, *needs, agent=agent, **keys))
    return made


def story(host: MemoryHost) -> Any:
    """What a run tells, but for the times, which a cut may well move."""
    chronicle = Chronicle("run")
    chronicle.hear(host.logs["run"].events)
    told: Any = chronicle.run().to_json()
    steps = [
        [one[key] for key in ("path", "status", "prompt", "output", "attempts")] for one in told["steps"]
    ]
    kept = {key: told[key] for key in ("status", "output", "error", "usage", "native")}
    return json.dumps(kept), sorted(map(str, steps))


@settings(max_examples=25)
@given(graphs(), st.fixed_dictionaries(dict.fromkeys(NAMES, entries())), st.integers(1, 3))
def test_a_run_cut_at_any_append_goes_on_to_the_same_end(
    steps: list[dict[str, Any]], agents: dict[str, list[dict[str, Any]]], at_once: int
) -> None:
    script: dict[str, Any] = {"agents": agents, "tools": {"s_f": [{"result": 1}, {"error": "gone"}]}}
    flow = workflow(*steps, **{"x-parallel": at_once})
    arguments, pinned = flow.arguments(), dict(flow.pinned(script=script).to_json())
    whole = MemoryHost(scripted(script))
    whole.run(flow.program, arguments, pinned=pinned)
    expected = story(whole)
    for append in range(2, whole.appends):
        host = MemoryHost(scripted(script), faults=[Fault("crash after", append)])
        with pytest.raises(Crash):
            host.run(flow.program, arguments, pinned=pinned)
        host.resume("run", flow.program)
        assert story(host) == expected


def test_a_run_cut_in_the_middle_of_its_items_repeats_none_that_finished() -> None:
    script = {"agents": {"each": [{"reply": "{{call}}", "delay": 1}]}}
    flow = workflow(step("each", for_each="inputs.list"), **{"x-parallel": 1})
    arguments, pinned = (
        flow.arguments(None, {"list": [1, 2, 3, 4]}),
        dict(flow.pinned(script=script).to_json()),
    )
    host = MemoryHost(scripted(script), faults=[Fault("crash after", 4)])
    with pytest.raises(Crash):
        host.run(flow.program, arguments, pinned=pinned)
    host.resume("run", flow.program)
    asked = Counter(call.path[-2].name for call in host.performed)
    assert sorted(asked) == [f"each[{number}]" for number in range(4)]
    assert asked.total() <= 5, "what was under way may be asked again"
