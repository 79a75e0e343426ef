"""Native: a run as OpenFang's own `WorkflowRun` record."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from quintet.engine.values import Json
from quintet.formats.openfang.program import DONE
from quintet.record import Fact, Run, Step

_STATES = {"completed": "completed", "failed": "failed", "cancelled": "failed", "created": "pending"}


def native(run: Run) -> Json:
    """ "A running instance: tracks state, step results, final output, timestamps." """
    arguments: Any = run.arguments
    steps = {step.where: step for step in run.steps if step.kind == "agent"}
    error = run.error.message if run.error else None
    if run.status == "cancelled":
        error = "Workflow cancelled"
    return {
        "id": run.id,
        "workflow_id": arguments.get("workflow_id"),
        "workflow_name": run.workflow,
        "input": arguments["input"],
        "state": _STATES.get(run.status, "running"),
        "step_results": [_step_result(fact, steps) for fact in run.facts if fact.kind == DONE],
        "output": run.output,
        "error": error,
        "started_at": _time(run.began),
        "completed_at": None if run.ended is None else _time(run.ended),
    }


def _step_result(fact: Fact, steps: dict[str, Step]) -> Json:
    """ "Result from one step: agent info, output text, token counts, duration." """
    data: Any = fact.data
    step = steps[data["path"]]
    return {
        "step_name": data["name"],
        "agent_id": data["agent_id"],
        "agent_name": data["agent"],
        "output": step.output,
        "input_tokens": step.input_tokens,
        "output_tokens": step.output_tokens,
        "duration_ms": step.duration_ms,
    }


def _time(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat().replace("+00:00", "Z")
