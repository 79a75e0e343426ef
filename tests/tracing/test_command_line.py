"""A run from the command line, in a process of its own, as a collector gets to know it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.servers.collector import Collector
from tests.tracing.runs import KEY, SIMPLE, TOKEN, TREE, by_name, ran, toml
from tests.tracing.trees import check_nesting, tree

# The tree


def test_a_run_is_one_trace_with_every_attempt_request_and_call(tmp_path: Path, collector: Collector) -> None:
    answer = ran(tmp_path, toml=toml(collector), environment={"OTLP_TOKEN": f"Bearer {TOKEN}"})
    assert answer.code == 1
    spans = collector.spans
    assert tree(spans) == TREE
    check_nesting(spans)
    assert {span.service for span in spans} == {"quintet"}
    assert all(span.attributes["gen_ai.conversation.id"] == "r" for span in spans)
    assert all(span.failed == ("error.type" in span.attributes) for span in spans)
    root = spans[0]
    assert root.attributes == {
        "gen_ai.operation.name": "invoke_workflow",
        "gen_ai.conversation.id": "r",
        "gen_ai.workflow.name": "news",
        "quintet.run.id": "r",
        "quintet.run.origin": "r",
        "quintet.format": "openfang",
        "quintet.status": "failed",
        "error.type": "refused",
    }
    assert all(headers["authorization"] == f"Bearer {TOKEN}" for headers in collector.headers)


def test_a_turn_sums_up_what_its_requests_took(tmp_path: Path, collector: Collector) -> None:
    ran(tmp_path, toml=toml(collector), environment={"OTLP_TOKEN": "t-123"})
    failed, done = (span for span in collector.spans if span.name == "invoke_agent writer")
    assert (failed.attributes["quintet.attempt"], done.attributes["quintet.attempt"]) == (1, 2)
    assert done.attributes["quintet.path"] == "draft"
    assert done.attributes["gen_ai.agent.name"] == "writer"
    assert done.attributes["gen_ai.agent.id"]
    assert done.attributes["gen_ai.usage.input_tokens"] == 30
    assert done.attributes["gen_ai.usage.output_tokens"] == 8
    first, last = (span for span in collector.spans if span.parent == done.id and "chat" in span.name)
    assert first.attributes["gen_ai.response.finish_reasons"] == ["tool_call"]
    assert last.attributes["gen_ai.response.finish_reasons"] == ["stop"]
    assert last.attributes["gen_ai.usage.input_tokens"] == 20
    tool = by_name(collector.spans, "execute_tool look")
    assert tool.attributes["gen_ai.tool.call.id"]
    assert tool.attributes["quintet.path"] == "draft/look"


def test_measures_are_those_of_the_conventions(tmp_path: Path, collector: Collector) -> None:
    ran(tmp_path, toml=toml(collector), environment={"OTLP_TOKEN": "t-123"})
    totals: dict[str, tuple[int, float]] = {}
    for point in collector.points:
        count, total = totals.get(point.metric, (0, 0.0))
        totals[point.metric] = count + point.count, total + point.sum
    assert {name: count for name, (count, _) in totals.items()} == {
        "gen_ai.client.operation.duration": 8,
        "gen_ai.client.token.usage": 8,
        "gen_ai.execute_tool.duration": 1,
        "gen_ai.invoke_agent.duration": 7,
        "gen_ai.invoke_agent.inference_calls": 7,
        "gen_ai.invoke_agent.tool_calls": 7,
        "gen_ai.invoke_workflow.duration": 1,
    }
    assert totals["gen_ai.client.token.usage"][1] == 42
    assert totals["gen_ai.invoke_agent.inference_calls"][1] == 8
    (workflow,) = (point for point in collector.points if point.metric == "gen_ai.invoke_workflow.duration")
    assert workflow.attributes == {"gen_ai.workflow.name": "news", "error.type": "refused"}
    assert workflow.bounds == (1, 5, 10, 30, 60, 120, 300, 600, 1800, 3600, 7200)
    root = collector.spans[0]
    assert workflow.sum == pytest.approx((root.end - root.start) / 1e9, abs=0.001)


# What is told


def test_what_was_said_is_told_only_where_it_is_asked_for(tmp_path: Path, collector: Collector) -> None:
    given = {"OTLP_TOKEN": "t-123"}
    ran(tmp_path, toml=toml(collector), environment=given)
    for said in (b"Draft", b"whale", b"slow down", b"too much", b"no mood"):
        assert said not in collector.raw
    ran(tmp_path, "--run-id", "r2", toml=toml(collector, "content = true"), environment=given)
    spans = [span for span in collector.spans if span.attributes["gen_ai.conversation.id"] == "r2"]
    tool = by_name(spans, "execute_tool look")
    assert json.loads(tool.attributes["gen_ai.tool.call.arguments"]) == {"q": "whales"}
    assert json.loads(tool.attributes["gen_ai.tool.call.result"]) == {"found": "a whale"}
    asked, answered, *_ = (span.attributes for span in spans if "gen_ai.output.messages" in span.attributes)
    assert json.loads(asked["gen_ai.input.messages"]) == [
        {"role": "user", "parts": [{"type": "text", "content": "Draft the news"}]}
    ]
    (message,) = json.loads(asked["gen_ai.output.messages"])
    assert (message["parts"][0]["type"], message["finish_reason"]) == ("tool_call", "tool_call")
    (came,) = json.loads(answered["gen_ai.input.messages"])
    assert came["parts"][0]["response"] == {"found": "a whale"}
    assert by_name(spans, "invoke_agent moody").message == "no mood"


def test_no_secret_reaches_the_collector_or_the_screen(tmp_path: Path, collector: Collector) -> None:
    says = {"agents": {"one": [{"reply": f"{TOKEN} planted-header-77"}]}}
    answer = ran(
        tmp_path,
        toml=toml(collector, "content = true"),
        environment={"OTLP_TOKEN": f"Bearer {TOKEN}", "OPENAI_API_KEY": KEY},
        workflow=SIMPLE,
        says=says,
    )
    assert answer.code == 0
    assert b"gen_ai.output.messages" in collector.raw
    log = (tmp_path / "home" / "quintet.db").read_bytes()
    for secret in (TOKEN, "planted-header-77", KEY):
        assert secret.encode() not in collector.raw
        assert secret not in answer.out + answer.err
        assert secret.encode() not in log
