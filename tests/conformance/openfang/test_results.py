"""What the guide says of the records of a run; each test quotes the sentence it proves, or a reading."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import quintet
from quintet.api import load
from quintet.formats.openfang.native import native as record
from quintet.runs.chronicle import Chronicle
from quintet.testing import Crash, Fault, MemoryHost, scripted
from tests.formats.openfang.loading import document
from tests.formats.openfang.rehearsing import native, run, step, workflow

UUID = "0b5c1f4e-1f0e-4d3a-9b51-2f1c8f6f3a11"


def test_a_workflow_has_a_name_a_description_and_steps() -> None:
    """ "The top-level structure is" """
    text = {"name": "my-pipeline", "description": "What it does", "steps": [step("one"), step("two")]}
    found = document(json.dumps(text))
    assert (found.name, found.description) == ("my-pipeline", "What it does")
    assert [one.name for one in found.steps] == ["one", "two"]


def test_a_run_is_told_as_a_workflow_run() -> None:
    """ "A running instance: tracks state, step results, final output, timestamps." """
    told = native(run(step("one"), agents={"a": [{"reply": "A", "delay": 5}]}))
    assert (told["workflow_name"], told["input"], told["output"], told["error"]) == ("flow", "in", "A", None)
    assert told["id"] == "run"
    assert told["state"] == "completed"
    assert (told["started_at"], told["completed_at"]) == ("1970-01-01T00:00:00Z", "1970-01-01T00:00:05Z")


def test_a_run_is_running_completed_or_failed() -> None:
    """ "Enum: `Pending`, `Running`, `Completed`, `Failed`." """
    assert native(run(step("one")))["state"] == "completed"
    assert native(run(step("one"), agents={"a": [{"error": "x"}]}))["state"] == "failed"
    host = MemoryHost(scripted({"agents": {"a": [{"reply": "A"}]}}), faults=[Fault("crash after", 3)])
    flow = workflow(step("one"), step("two"))
    with pytest.raises(Crash):
        host.run(flow.program, flow.arguments("in"), pinned=dict(flow.pinned(script={}).to_json()))
    told: Any = _told(host).native
    assert (told["state"], told["output"], told["completed_at"]) == ("running", None, None)


def test_a_cancelled_run_is_told_as_failed() -> None:
    """Reading: the guide knows no cancelling, so a run that was cancelled has failed."""
    told: Any = record(replace(run(step("one")), status="cancelled", output=None))
    assert (told["state"], told["error"]) == ("failed", "Workflow cancelled")


def _told(host: MemoryHost) -> quintet.Run:
    chronicle = Chronicle("run")
    chronicle.hear(host.logs["run"].events)
    return chronicle.run()


def test_a_step_result_has_the_agent_the_output_the_tokens_and_the_time() -> None:
    """ "Result from one step: agent info, output text, token counts, duration." """
    said: list[dict[str, Any]] = [
        {"tool": {"name": "look"}, "tokens": {"input": 10, "output": 1}, "delay": 2},
        {"reply": "A", "tokens": {"input": 20, "output": 3}, "delay": 1},
    ]
    (result,) = native(run(step("one", "ann"), agents={"ann": said}))["step_results"]
    assert result.pop("agent_id") is not None
    assert result == {
        "step_name": "one",
        "agent_name": "ann",
        "output": "A",
        "input_tokens": 30,
        "output_tokens": 4,
        "duration_ms": 3000,
    }


def test_a_fan_out_step_is_told_with_its_own_time() -> None:
    """Reading: not with the time of the whole group."""
    done = run(
        step("slow", "s", mode="fan_out"),
        step("fast", "f", mode="fan_out"),
        agents={"s": [{"reply": "S", "delay": 9}], "f": [{"reply": "F", "delay": 1}]},
    )
    assert [one["duration_ms"] for one in native(done)["step_results"]] == [9000, 1000]


def test_an_agent_is_found_by_its_uuid(tmp_path: Path) -> None:
    """ "UUID of an existing agent" """
    (tmp_path / "agents" / "ann").mkdir(parents=True)
    manifest = tmp_path / "agents" / "ann" / "agent.toml"
    manifest.write_text(f'name = "ann"\nid = "{UUID}"\n', encoding="utf-8")
    text = json.dumps({"name": "w", "steps": [{"name": "one", "agent_id": UUID}]})
    script = {"agents": {"ann": [{"reply": "A"}]}}
    done = load(text).run_sync("in", agents=tmp_path / "agents", script=script, store=":memory:")
    (result,) = native(done)["step_results"]
    assert (result["agent_id"], result["agent_name"], result["output"]) == (UUID, "ann", "A")
