"""Workflow files to call the command line with."""

import json
from pathlib import Path

FINE = json.dumps(
    {
        "name": "flow",
        "steps": [
            {"name": "draft", "agent_name": "writer"},
            {"name": "review", "agent_name": "critic", "mode": "loop", "until": "OK"},
        ],
    }
)
WRONG = """{
  "name": "flow",
  "steps": [
    {"agentname": "writer", "name": "draft"},
    {"name": "gather", "agent_name": "writer", "mode": "collect"}
  ]
}
"""
WARNED = '{"name": "flow", "steps": [{"name": "draft", "agent_name": "writer", "prompt": "{{topic}}"}]}'


def written(folder: Path, name: str, text: str) -> str:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return str(path)
