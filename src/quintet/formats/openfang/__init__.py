"""OpenFang workflows: an ordered list of steps, each done by an agent, as the Workflow Engine Guide tells."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING

from quintet.engine.values import Json, encode
from quintet.formats.openfang.codes import OPENFANG
from quintet.formats.registry import Format, Surroundings
from quintet.formats.report import Report
from quintet.formats.tree import List, Map
from quintet.workflow import Workflow, WrongInput

if TYPE_CHECKING:
    from quintet.engine.programs import Program
    from quintet.formats.openfang.document import Document
    from quintet.record import Run

_TOP = frozenset({"$schema", "id", "name", "description", "created_at"})
_API = frozenset({"agent_name", "agent_id", "prompt", "condition", "until", "max_iterations", "max_retries"})
_STORED = frozenset({"agent", "prompt_template"})


def _resemblance(root: Map) -> int:
    """ "The top-level structure is": a name, a description and steps."""
    if "steps" in root.entries:
        return 3
    named = root.entries.keys() & _TOP
    return (
        1 if named and len(root.entries) - len(named) <= 1 else 0
    )  # the one other key may be a misspelt 'steps'


def _load(root: Map, report: Report, surroundings: Surroundings) -> Workflow:
    from quintet.formats.openfang.api_shape import read_api_shape
    from quintet.formats.openfang.check import check
    from quintet.formats.openfang.graph import graph
    from quintet.formats.openfang.stored_shape import read_stored_shape

    placed = (read_stored_shape if is_stored(root) else read_api_shape)(root, report)
    check(placed, report, surroundings)
    document = placed.document
    return Workflow(
        document.name,
        "openfang",
        len(document.steps),
        graph(document),
        document,
        program=partial(_program, document),
        arguments=partial(_arguments, document),
    )


def _program(document: Document) -> Program:
    from quintet.formats.openfang.program import program

    return program(document)


def _arguments(document: Document, prompt: str | None, inputs: Mapping[str, Json]) -> Json:
    """ "The workflow's initial input for the first step", and variables that are known before it."""
    if "input" in inputs:
        raise WrongInput("{{input}} is the prompt: give it as PROMPT, not as an input")
    variables: Json = {
        name: value if isinstance(value, str) else encode(value) for name, value in inputs.items()
    }
    arguments: dict[str, Json] = {"input": prompt or "", "variables": variables}
    return arguments if document.id is None else {**arguments, "workflow_id": document.id}


def _native(run: Run) -> Json:
    from quintet.formats.openfang.native import native

    return native(run)


def is_stored(root: Map) -> bool:
    """Which of the two shapes a map is in, told by its keys."""
    stored, api = len(root.entries.keys() & {"id", "created_at"}), 0
    steps = root.get("steps")
    for step in steps.items if isinstance(steps, List) else ():
        if isinstance(step, Map):
            stored += len(step.entries.keys() & _STORED)
            stored += sum(isinstance(step.get(key), Map) for key in ("mode", "error_mode"))
            api += len(step.entries.keys() & _API)
    return stored > api


def _schema() -> dict[str, Json]:
    from quintet.formats.openfang.schema import schema

    return schema()


FORMAT = Format(
    name="openfang",
    hallmark="a list 'steps' beside a 'name'",
    resemblance=_resemblance,
    load=_load,
    schema=_schema,
    codes=OPENFANG,
    native=_native,
)
