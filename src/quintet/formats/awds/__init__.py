"""AWDS workflows: steps that depend on each other, as the Agent Workflow Definition Specification tells."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING

from quintet.engine.values import Json
from quintet.formats.awds.codes import AWDS
from quintet.formats.registry import Format, Surroundings
from quintet.formats.report import Report
from quintet.formats.tree import List, Map
from quintet.workflow import Workflow, WrongInput

if TYPE_CHECKING:
    from quintet.engine.programs import Program
    from quintet.formats.awds.document import Document
    from quintet.record import Run


def _resemblance(root: Map) -> int:
    """ "The top-level container": a `workflow` with `steps` of the type `run`, and no agents beside it."""
    workflow = root.get("workflow")
    if not isinstance(workflow, Map) or "agents" in root.entries:
        return 0
    steps = workflow.get("steps")
    if not isinstance(steps, List):
        return 1
    return 1 if any(_is_foreign(step) for step in steps.items) else 3


def _is_foreign(step: object) -> bool:
    """A step whose agent is no map is none of this format."""
    return isinstance(step, Map) and "agent" in step.entries and not isinstance(step.get("agent"), Map)


def _load(root: Map, report: Report, surroundings: Surroundings) -> Workflow:
    from quintet.formats.awds.check import check
    from quintet.formats.awds.graph import graph
    from quintet.formats.awds.reading import read_document

    placed = read_document(root, report)
    check(placed, report)
    document = placed.document
    return Workflow(
        document.name,
        "awds",
        len(document.steps),
        graph(document),
        document,
        program=partial(_program, document),
        arguments=_arguments,
    )


def _program(document: Document) -> Program:
    from quintet.formats.awds.program import program

    return program(document)


def _arguments(prompt: str | None, inputs: Mapping[str, Json]) -> Json:
    """ "Workflow inputs: `inputs.<name>`"; the prompt is the one called `prompt`."""
    if prompt is not None and "prompt" in inputs:
        raise WrongInput("inputs.prompt is given twice: as PROMPT, and as an input")
    given: Json = dict(inputs) if prompt is None else {"prompt": prompt, **inputs}
    return {"inputs": given}


def _native(run: Run) -> Json:
    from quintet.formats.awds.native import native

    return native(run)


def _schema() -> dict[str, Json]:
    from quintet.formats.awds.schema import schema

    return schema()


FORMAT = Format(
    name="awds",
    hallmark="a map 'workflow' with a list 'steps'",
    resemblance=_resemblance,
    load=_load,
    schema=_schema,
    codes=AWDS,
    native=_native,
)
