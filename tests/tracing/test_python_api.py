"""A run from Python against a model on a real socket, as a collector or an application gets to know it."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from pathlib import Path

import pytest

import quintet
from quintet.tracing.destination import CannotTrace
from tests.cli.files import written
from tests.servers.collector import Collector
from tests.servers.openai import FakeOpenAI
from tests.servers.replies import Call, Refuses, Says
from tests.tracing.trees import check_nesting, tree

KEY = "sk-planted-41c2"
FLOW = json.dumps(
    {
        "name": "ask",
        "steps": [
            {"name": "one", "agent_name": "one", "prompt": "Ask {{input}}"},
            {"name": "two", "agent_name": "two", "prompt": "Again", "error_mode": "skip"},
        ],
    }
)
REPLIES = (
    Says(calls=[Call("search", {"q": 1}, id="call_77")], input=11, output=4),
    Says([f"You are {KEY}, ", "are you?"], input=20, output=6, cached=8, model="fake-1-2026"),
    Refuses(400, "no such thing"),
)


def test_requests_to_a_model_are_told_with_the_model_and_what_they_took(
    tmp_path: Path, collector: Collector, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = asked(tmp_path, collector, monkeypatch, "content = true\nservice_name = 'asking'")
    assert run.status == "completed"
    spans = collector.spans
    assert tree(spans) == (
        "invoke_workflow ask\n"
        "  invoke_agent one\n"
        "    chat fake-1\n    execute_tool search: tool\n    chat fake-1\n"
        "  invoke_agent two: rejected\n    chat fake-1: rejected\n"
    )
    check_nesting(spans)
    assert {span.service for span in spans} == {"asking"}
    first, second, third = (span.attributes for span in spans if span.name == "chat fake-1")
    assert first["gen_ai.response.finish_reasons"] == ["tool_call"]
    assert second["gen_ai.provider.name"] == "openai"
    assert second["gen_ai.request.model"] == "fake-1"
    assert second["gen_ai.response.model"] == "fake-1-2026"
    assert second["gen_ai.usage.input_tokens"] == 20
    assert second["gen_ai.usage.cache_read.input_tokens"] == 8
    assert second["gen_ai.request.stream"] is True
    assert 0 <= second["gen_ai.response.time_to_first_chunk"] < 30
    assert third["error.type"] == "rejected"
    (tool,) = (span for span in spans if span.name.startswith("execute_tool"))
    assert tool.attributes["gen_ai.tool.call.id"] == "call_77"
    (turn,) = (span for span in spans if span.name == "invoke_agent one")
    assert turn.attributes["gen_ai.usage.input_tokens"] == 31
    waited = [point for point in collector.points if point.metric.endswith("time_to_first_chunk")]
    assert sorted(point.attributes["gen_ai.response.model"] for point in waited) == ["fake-1", "fake-1-2026"]
    assert "[secret]" in second["gen_ai.output.messages"]


def test_no_key_and_no_header_reaches_the_collector(
    tmp_path: Path, collector: Collector, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked(tmp_path, collector, monkeypatch, "content = true", headers='x-team = "planted-header"')
    assert b"are you?" in collector.raw
    for secret in (KEY, "planted-header"):
        assert secret.encode() not in collector.raw
    assert all(headers["x-team"] == "planted-header" for headers in collector.headers)


def test_a_program_can_refuse_tracing(
    tmp_path: Path, collector: Collector, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", collector.url)
    script = {"agents": {"*": [{"reply": "x"}]}}
    assert quintet.run_sync(FLOW, script=script, store=":memory:", tracing=False).status == "completed"
    assert not collector.bodies


def test_tracing_that_is_asked_for_has_to_have_somewhere_to_go() -> None:
    script = {"agents": {"*": [{"reply": "x"}]}}
    with pytest.raises(CannotTrace, match="nothing says where to"):
        quintet.run_sync(FLOW, script=script, store=":memory:", tracing=True)


OWN = """
import asyncio, json, sys
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
import quintet

spans = InMemorySpanExporter()
provider = TracerProvider()
provider.add_span_processor(SimpleSpanProcessor(spans))
trace.set_tracer_provider(provider)

async def main():
    with trace.get_tracer("app").start_as_current_span("request"):
        options = {"store": ":memory:", "tracing": True, "max_tokens": 10}
        script = {"agents": {"*": [{"reply": "x", "tokens": {"input": 20, "output": 1}}]}}
        run = await quintet.run(sys.argv[1], "in", script=script, **options)
        assert run.status == "paused"

asyncio.run(main())
told = {span.context.span_id: span for span in spans.get_finished_spans()}
for span in told.values():
    parent = told[span.parent.span_id].name if span.parent else None
    print(json.dumps([span.name, parent, span.attributes.get("quintet.status")]))
"""


def test_an_application_that_traces_gets_the_run_below_what_it_does_itself() -> None:
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", OWN, FLOW], capture_output=True, text=True, check=True
    )
    assert [json.loads(line) for line in done.stdout.splitlines()] == [
        ["chat script", "invoke_agent one", None],
        ["invoke_agent one", "invoke_workflow ask", None],
        ["chat script", "invoke_agent two", "paused"],
        ["invoke_agent two", "invoke_workflow ask", "paused"],
        ["invoke_workflow ask", "request", "paused"],
        ["request", None, None],
    ]


def asked(
    folder: Path, collector: Collector, monkeypatch: pytest.MonkeyPatch, more: str, headers: str = ""
) -> quintet.Run:
    """A run of two agents whose model asks for a tool, answers, and then refuses."""
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    table = f"[tracing]\nendpoint = '{collector.url}'\nheaders = {{{headers}}}\n{more}\n"

    async def ask() -> quintet.Run:
        async with FakeOpenAI(REPLIES) as server:
            written(folder, "quintet.toml", f"{table}[providers.openai]\nbase_url = '{server.url}'\n")
            path = written(folder, "ask.json", FLOW)
            return await quintet.run(path, "in", model="openai:fake-1", store=":memory:")

    return asyncio.run(ask())
