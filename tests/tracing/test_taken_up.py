"""A run that several processes work on is one trace; a run that is made from another is its own."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.calling import run
from tests.cli.processes import Working
from tests.servers.collector import Collector
from tests.tracing.runs import SIMPLE, by_name, ran
from tests.tracing.trees import check_nesting, tree


def test_what_was_cut_by_a_kill_is_told_once_when_it_is_done(
    tmp_path: Path, collector: Collector, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", collector.url)
    monkeypatch.setenv("OTEL_BSP_SCHEDULE_DELAY", "1")
    slow = {"reply": "2", "delay": 60}
    with Working(tmp_path, one="1", two=slow) as working:
        collector.until(lambda: any("invoke_agent one" in span.name for span in collector.spans))
        working.kill()
    assert tree(collector.spans) == "… invoke_agent one\n  chat script\n"
    quick = tmp_path / "quick.json"
    quick.write_text('{"agents": {"two": [{"reply": "2"}]}}', encoding="utf-8")
    environment = {"QUINTET_HOME": str(tmp_path / "home"), "OTEL_EXPORTER_OTLP_ENDPOINT": collector.url}
    answer = run("resume", "r", "--script", str(quick), environment=environment, cwd=tmp_path)
    assert answer.code == 0
    assert tree(collector.spans) == (
        "invoke_workflow flow\n  invoke_agent one\n    chat script\n  invoke_agent two\n    chat script\n"
    )
    check_nesting(collector.spans)
    assert collector.spans[0].marks == ("run.resumed",)
    _, two = (span for span in collector.spans if span.name == "chat script")
    assert two.end - two.start < 30e9


def test_a_run_that_waits_for_a_person_is_told_whole_when_it_has_ended(
    tmp_path: Path, collector: Collector
) -> None:
    environment = {"QUINTET_HOME": str(tmp_path / "home"), "OTEL_EXPORTER_OTLP_ENDPOINT": collector.url}
    says = {"agents": {"one": [{"reply": "1", "tokens": {"input": 6, "output": 6}}]}}
    workflow = {"name": "two", "steps": [dict(SIMPLE["steps"][0], name=name) for name in ("a", "b")]}
    waiting = ran(tmp_path, "--max-tokens", "10", environment=environment, workflow=workflow, says=says)
    assert waiting.code == 3
    assert tree(collector.spans) == "… invoke_agent one\n  chat script\n"
    answer = run("answer", "r", "max_tokens=100000", environment=environment, cwd=tmp_path)
    assert answer.code == 0
    assert tree(collector.spans) == (
        "invoke_workflow two\n  invoke_agent one\n    chat script\n  invoke_agent one\n    chat script\n"
    )
    check_nesting(collector.spans)
    assert collector.spans[0].marks == ("run.paused", "run.resumed")


def test_what_a_fork_takes_over_is_not_told_again(tmp_path: Path, collector: Collector) -> None:
    environment = {"QUINTET_HOME": str(tmp_path / "home"), "OTEL_EXPORTER_OTLP_ENDPOINT": collector.url}
    workflow = {"name": "two", "steps": [dict(SIMPLE["steps"][0], name=name) for name in ("a", "b")]}
    says = {"agents": {"one": [{"reply": "1"}]}}
    ran(tmp_path, environment=environment, workflow=workflow, says=says)
    first = len(collector.spans)
    answer = run("fork", "r", "--at", "b", environment=environment, cwd=tmp_path)
    assert answer.code == 0
    assert first == 5
    again = [span for span in collector.spans if span.attributes["gen_ai.conversation.id"] != "r"]
    assert tree(again) == "invoke_workflow two\n  invoke_agent one\n    chat script\n"
    assert by_name(again, "invoke_agent one").attributes["quintet.path"] == "b"
    assert {span.trace for span in again}.isdisjoint(
        span.trace for span in collector.spans if span not in again
    )
