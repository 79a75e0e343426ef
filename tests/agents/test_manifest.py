"""A manifest is OpenFang's `agent.toml`, read strictly and with positions."""

from __future__ import annotations

import pytest

from quintet.agents.manifest import SYSTEM_PROMPT, Manifest, Model, parse
from quintet.agents.roster import Roster, named_id
from quintet.agents.turn import Agent
from quintet.formats.invalid import InvalidFile

WRITER = """
name = "writer"
version = "0.1.0"
description = "Writes."
module = "builtin:chat"
tags = ["writing"]

[model]
provider = "default"
model = "gpt"
max_tokens = 4096
temperature = 0.7
system_prompt = \"\"\"
You write.\"\"\"

[[fallback_models]]
provider = "groq"
model = "x"

[resources]
max_llm_tokens_per_hour = 200000

[capabilities]
tools = ["web_fetch"]
memory_read = ["*"]
"""
ID = "A1B2C3D4-e5f6-7890-abcd-ef1234567890"


def test_what_a_turn_needs_is_read_and_the_rest_is_kept() -> None:
    manifest = parse(WRITER)
    assert (manifest.name, manifest.description, manifest.tools) == ("writer", "Writes.", ("web_fetch",))
    assert manifest.model == Model("", "gpt", "You write.", 4096, 0.7)
    assert [(model.provider, model.name) for model in manifest.fallback] == [("groq", "x")]
    assert set(manifest.rest) == {"version", "module", "tags", "resources"}


def test_everything_has_a_default() -> None:
    assert parse("# nothing\n") == Manifest("unnamed")
    assert parse("# nothing\n").model.system_prompt == SYSTEM_PROMPT


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ('nam = "x"', "agent.toml:1:1: error[unknown-key]: an agent has no key 'nam'"),
        ("name = 7", "agent.toml:1:1: error[wrong-type]"),
        ('name = "x"\n[model]\nmodel = "y"\ntemprature = 1\n', "agent.toml:4:1: error[unknown-key]"),
        ('[capabilities]\ntools = "all"\n', "agent.toml:2:1: error[wrong-type]"),
        ('id = "seven"', "agent.toml:1:1: error[unknown-value]"),
        ("name = ", "agent.toml:1:8: error[toml-syntax]"),
        ('name = "x"\nname = "y"', "agent.toml:2:11: error[toml-syntax]"),
    ],
)
def test_what_is_wrong_is_told_with_its_place(text: str, problem: str) -> None:
    with pytest.raises(InvalidFile) as raised:
        parse(text)
    assert str(raised.value.problems[0]).startswith(problem)


def test_agents_are_found_by_name_and_by_id() -> None:
    roster = Roster([Manifest("writer", ID), Manifest("critic")])
    assert roster.known(Agent("writer")) == Agent("writer", ID.lower())
    assert roster.known(Agent(id=ID)) == Agent("writer", ID.lower())
    assert roster.known(Agent(id=named_id("critic"))).name == "critic"
    assert roster.known(Agent("nobody")) == Agent("nobody", named_id("nobody"))
    assert roster.known(Agent(id="unknown")) == Agent("unknown", "unknown")
    assert roster.find(Agent("copy", copy_of="critic")) == Manifest("critic")
    assert {"writer", "critic", ID.lower(), named_id("critic")} == roster.names


def test_an_agent_that_its_workflow_defines_needs_no_manifest() -> None:
    roster = Roster([Manifest("writer")])
    assert roster.has(Agent("step", own=True))
    assert not roster.has(Agent("step"))
