"""A workflow with a bit of everything, run from the command line in a process of its own."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.cli import calling
from tests.cli.calling import Answer
from tests.cli.files import written
from tests.servers.collector import Collector, Got

TOKEN = "otlp-token-1f4c"
KEY = "sk-planted-93ad"

WORKFLOW: Mapping[str, Any] = {
    "name": "news",
    "steps": [
        {
            "name": "draft",
            "agent_name": "writer",
            "prompt": "Draft {{input}}",
            "error_mode": "retry",
            "max_retries": 2,
        },
        {"name": "left", "agent_name": "left", "prompt": "L", "mode": "fan_out"},
        {"name": "right", "agent_name": "right", "prompt": "R", "mode": "fan_out"},
        {"name": "both", "agent_name": "nobody", "mode": "collect"},
        {"name": "maybe", "agent_name": "moody", "prompt": "M", "error_mode": "skip"},
        {"name": "slow", "agent_name": "slow", "prompt": "S", "timeout_secs": 1, "error_mode": "skip"},
        {"name": "last", "agent_name": "last", "prompt": "Z"},
    ],
}
SCRIPT: Mapping[str, Any] = {
    "agents": {
        "writer": [
            {"error": {"kind": "rate_limit", "message": "slow down"}},
            {"tool": {"name": "look", "arguments": {"q": "whales"}}, "tokens": {"input": 10, "output": 3}},
            {"reply": "about whales", "tokens": {"input": 20, "output": 5}},
        ],
        "left": [{"reply": "l", "tokens": {"input": 1, "output": 1}}],
        "right": [{"reply": "r", "tokens": {"input": 1, "output": 1}}],
        "moody": [{"error": "no mood"}],
        "slow": [{"reply": "never", "delay": 60}],
        "last": [{"error": {"kind": "refused", "message": "that is too much"}}],
    },
    "tools": {"look": [{"result": {"found": "a whale"}}]},
}
TREE = """\
invoke_workflow news: refused
  invoke_agent writer: rate_limit
    chat script: rate_limit
  invoke_agent writer
    chat script
    execute_tool look
    chat script
  invoke_agent left
    chat script
  invoke_agent right
    chat script
  invoke_agent moody: provider
    chat script: provider
  invoke_agent slow: timeout
    chat script: timeout
  invoke_agent last: refused
    chat script: refused
"""


def ran(
    folder: Path,
    *options: str,
    toml: str = "",
    environment: Mapping[str, str] | None = None,
    workflow: Mapping[str, Any] = WORKFLOW,
    says: Mapping[str, Any] = SCRIPT,
) -> Answer:
    """What `quintet run` gives, in a process of its own."""
    file = written(folder, "flow.json", json.dumps(workflow))
    script_file = written(folder, "script.json", json.dumps(says))
    if toml:
        written(folder, "quintet.toml", toml)
    home = {"QUINTET_HOME": str(folder / "home"), **(environment or {})}
    return calling.run(
        "run",
        file,
        "the news",
        "--script",
        script_file,
        "--run-id",
        "r",
        *options,
        environment=home,
        cwd=folder,
    )


def toml(collector: Collector, more: str = "") -> str:
    headers = '{authorization = "env:OTLP_TOKEN", x-own = "planted-header-77"}'
    return f'[tracing]\nendpoint = "{collector.url}"\nheaders = {headers}\n{more}'


def by_name(spans: list[Got], name: str) -> Got:
    return next(span for span in spans if span.name == name)


SIMPLE: Mapping[str, Any] = {
    "name": "one",
    "steps": [{"name": "one", "agent_name": "one", "prompt": "{{input}}"}],
}
