"""Short ways to run OpenFang workflows in memory, with scripted agents."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from quintet.api import Workflow, load
from quintet.record import Run
from quintet.testing import MemoryHost, rehearse

ECHO: Mapping[str, Any] = {"agents": {"*": [{"reply": "<{{prompt}}>"}]}}


def step(name: str, agent: str = "a", **keys: Any) -> dict[str, Any]:
    return {"name": name, "agent_name": agent, **keys}


def workflow(*steps: Mapping[str, Any]) -> Workflow:
    return load(json.dumps({"name": "flow", "steps": steps}))


def run(
    *steps: Mapping[str, Any],
    agents: Mapping[str, Sequence[Any]] | None = None,
    prompt: str = "in",
    inputs: Mapping[str, Any] | None = None,
    host: MemoryHost | None = None,
) -> Run:
    """A run of steps; an entry that is no map is a reply, and without agents each echoes its prompt."""
    script = ECHO if agents is None else {"agents": {name: _entries(said) for name, said in agents.items()}}
    return rehearse(workflow(*steps), prompt, script=script, inputs=inputs, host=host)


def prompts(run: Run) -> dict[str, str | None]:
    """What each turn was asked, by its path."""
    return {step.path: step.prompt for step in run.steps}


def message(run: Run) -> str:
    """What a failed run says."""
    assert run.status == "failed"
    assert run.error is not None
    return run.error.message


def native(run: Run) -> Any:
    """The WorkflowRun."""
    return run.native


def _entries(said: Sequence[Any]) -> list[Any]:
    return [entry if isinstance(entry, Mapping) else {"reply": entry} for entry in said]
