"""Short ways to load and run AWDS workflows in memory, with scripted agents."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, cast

from quintet.api import Workflow, load
from quintet.formats.registry import load as read
from quintet.record import Run
from quintet.testing import rehearse

ECHO: Mapping[str, Any] = {"agents": {"*": [{"reply": "<{{prompt}}>"}]}}


def step(name: str, *depends_on: str, agent: Any = None, **keys: Any) -> dict[str, Any]:
    """A step; its message is its id unless the agent says another."""
    needs = {"depends_on": list(depends_on)} if depends_on else {}
    said: dict[str, Any] = {"systemPrompt": "S", "input": name, **(agent or {})}
    return {"type": "run", "id": name, **needs, **keys, "agent": said}


def text_of(*steps: Mapping[str, Any], **keys: Any) -> str:
    return json.dumps({"version": "1.0", "workflow": {"steps": steps, **keys}})


def workflow(*steps: Mapping[str, Any], **keys: Any) -> Workflow:
    return load(text_of(*steps, **keys), format="awds")


def run(
    *steps: Mapping[str, Any],
    agents: Any = None,
    tools: Any = None,
    prompt: Any = None,
    inputs: Any = None,
    host: Any = None,
    **keys: Any,
) -> Run:
    """A run; an entry that says not what it is is a reply, and without agents each echoes its prompt."""
    script: dict[str, Any] = dict(ECHO)
    if agents is not None:
        script = {"agents": {name: [_entry(one) for one in said] for name, said in agents.items()}}
    if tools is not None:
        script["tools"] = tools
    return rehearse(workflow(*steps, **keys), prompt, script=script, inputs=inputs, host=host)


def native(run: Run) -> Any:
    """The steps of a run as the format tells of them."""
    told: Any = run.native
    return told["steps"]


def statuses(run: Run) -> dict[str, str]:
    return {name: one["status"] for name, one in native(run).items()}


def prompts(run: Run) -> dict[str, str | None]:
    """What each turn was asked, by its path."""
    return {step.path: step.prompt for step in run.steps if step.kind == "agent"}


def message(run: Run) -> str:
    """What a failed run says."""
    assert run.status == "failed"
    assert run.error is not None
    return run.error.message


def problems(*steps: Any, text: str | None = None) -> list[tuple[str, str, str]]:
    """The codes, places and messages of what is wrong; each step has a line of its own, the first line 2."""
    lines = ",\n".join(json.dumps(one, ensure_ascii=False) for one in steps)
    whole = text or f'{{"version": "1.0", "workflow": {{"steps": [\n{lines}\n]}}}}'
    path = "flow.json" if text is None else "flow.yaml"
    found = read(whole, path, format="awds").problems
    return [(one.code.name, f"{one.place.line}:{one.place.column}", one.message) for one in found]


def _entry(said: Any) -> Any:
    return said if _KINDS & _keys(said) else {"reply": said}


_KINDS = {"reply", "error", "tool", "tools"}


def _keys(said: Any) -> set[Any]:
    return set(cast("Any", said)) if isinstance(said, dict) else set()
