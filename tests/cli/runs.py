"""Short ways to run workflows from the command line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, cast

from tests.cli.calling import Answer, called
from tests.cli.files import written


def flow(*agents: str, **keys: Any) -> str:
    """The text of a workflow whose steps are called like their agents, each asking `NAME INPUT`."""
    steps = [{"name": name, "agent_name": name, "prompt": f"{name} {{{{input}}}}", **keys} for name in agents]
    return json.dumps({"name": "flow", "steps": steps})


def script(**agents: Any) -> str:
    """The text of a script in which agents say these texts or entries."""
    entries = {
        name: [{"reply": one} if isinstance(one, str) else one for one in _listed(said)]
        for name, said in agents.items()
    }
    return json.dumps({"agents": entries})


def ran(folder: Path, *options: str, run_id: str = "r", **agents: Any) -> Answer:
    """What `quintet run` gives for a workflow in which these agents say these things, one after the other."""
    path = written(folder, "flow.json", flow(*agents))
    says = written(folder, "script.json", script(**agents))
    return called("run", path, "in", "--script", says, "--run-id", run_id, *options)


def shown(run_id: str = "r") -> dict[str, Any]:
    """What `quintet show --json` tells of a run."""
    return cast("dict[str, Any]", json.loads(called("show", run_id, "--json").out))


def _listed(said: Any) -> list[Any]:
    return cast("list[Any]", said) if isinstance(said, list) else [said]
