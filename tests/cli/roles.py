"""Roles: all that a file can be to the command line, each with a fine file and a call."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from tests.cli.bad_texts import Language
from tests.cli.files import written
from tests.cli.runs import flow, script

FLOW_YAML = """\
name: flow
steps:
  - name: draft
    agent_name: writer
    prompt: "Write about {{input}}"   # a comment
    output_var: text
  - {name: review, agent_name: critic, mode: loop, until: OK, max_iterations: 2}
"""
SCRIPT_YAML = """\
agents:
  writer:
    - reply: &said "A text"
      tokens: {input: 3, output: 5}
    - tool: {name: look, arguments: {where: here}}
  critic: [{reply: *said}, {error: {kind: rate_limit, message: slow}}]
tools:
  look: [{result: [1, 2.5, null, true]}]
"""
AGENT = """\
name = "writer"
description = "writes"

[model]
provider = "default"
temperature = 0.5
max_tokens = 100

[capabilities]
tools = ["look", 'listen']
"""
SETTINGS = """\
agents_folder = "others"

[agents.writer]
description = "writes"
tags = ["a", "b"]

[agents.critic.model]
system_prompt = \"\"\"
Be kind.\"\"\"
"""


@dataclass(frozen=True, slots=True)
class Role:
    """A file and the call that reads it; `%` stands for the folder that it is in."""

    file: str
    fine: str
    call: tuple[str, ...]

    @property
    def language(self) -> Language:
        ends: dict[str, Language] = {".json": "json", ".toml": "toml"}
        return ends.get(Path(self.file).suffix, "yaml")

    def path(self, folder: Path) -> Path:
        return folder / self.file

    def arguments(self, folder: Path) -> list[str]:
        """The call, with whatever else it needs put there."""
        written(folder, "fine.json", flow("writer"))
        written(folder, "fine.script.json", script(writer="done", critic="OK"))
        (folder / "others").mkdir(exist_ok=True)
        self.path(folder).parent.mkdir(exist_ok=True)
        return [part.replace("%", str(folder)) for part in self.call]


_FLOW_JSON = json.dumps(json.loads(flow("writer", "critic")), indent=2)
_SCRIPT_JSON = json.dumps(json.loads(script(writer="a", critic={"reply": "b", "delay": 0})), indent=2)
_CHECK = ("check", "%/fine.json")
_RUN = ("run", "%/fine.json", "in", "--script", "%/fine.script.json", "--dry-run")

ROLES: Mapping[str, Role] = {
    "workflow.json": Role("a.json", _FLOW_JSON, ("check", "%/a.json")),
    "workflow.yaml": Role("a.yaml", FLOW_YAML, ("check", "%/a.yaml")),
    "workflow without a suffix": Role("a", FLOW_YAML, ("check", "%/a")),
    "workflow to run": Role("a.json", _FLOW_JSON, ("run", "%/a.json", "in", *_RUN[3:])),
    "workflow to draw": Role("a.yaml", FLOW_YAML, ("graph", "%/a.yaml")),
    "script.json": Role("s.json", _SCRIPT_JSON, ("run", "%/fine.json", "--script", "%/s.json", "--dry-run")),
    "script.yaml": Role("s.yaml", SCRIPT_YAML, ("run", "%/fine.json", "--script", "%/s.yaml", "--dry-run")),
    "script of a check": Role("s.yaml", SCRIPT_YAML, (*_CHECK, "--script", "%/s.yaml")),
    "agent": Role("agents/agent.toml", AGENT, (*_CHECK, "--agents", "%")),
    "settings": Role("q.toml", SETTINGS, (*_CHECK, "--config", "%/q.toml")),
    "settings of a run": Role("q.toml", SETTINGS, (*_RUN, "--config", "%/q.toml")),
    "inputs.json": Role("i.json", '{"a": [1, {"b": "c"}]}', (*_RUN, "--inputs", "%/i.json")),
    "inputs.yaml": Role("i.yaml", "a: [1, {b: c}]\n", (*_RUN, "--inputs", "%/i.yaml")),
}
