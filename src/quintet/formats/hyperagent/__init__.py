"""Hyperagent workflows: roles that take turns in rounds, until a transition says how it ends."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING

from quintet.engine.values import Json
from quintet.formats.hyperagent.codes import HYPERAGENT
from quintet.formats.registry import Format, Surroundings
from quintet.formats.report import Report
from quintet.formats.tree import Map
from quintet.workflow import Graph, Workflow

if TYPE_CHECKING:
    from quintet.engine.programs import Program
    from quintet.formats.hyperagent.document import Document
    from quintet.record import Run

_OWN = frozenset({"sessions", "roles", "parsers", "flow"})


def _resemblance(root: Map) -> int:
    """A `flow` beside roles or sessions is one; less of it may be one with a key misspelt."""
    return {0: 0, 1: 1}.get(len(root.entries.keys() & _OWN), 3)


def _load(root: Map, report: Report, surroundings: Surroundings) -> Workflow:
    from quintet.formats.hyperagent.check import check
    from quintet.formats.hyperagent.graph import graph
    from quintet.formats.hyperagent.reading import read_document

    placed = read_document(root, report)
    check(placed, report, surroundings)
    document = placed.document
    return Workflow(
        document.id,
        "hyperagent",
        len(document.steps),
        Graph((), ()) if report.has_errors else graph(document),
        document,
        program=partial(_program, document),
        arguments=partial(_arguments, document),
        has_rounds=True,
        models={} if document.model is None else dict.fromkeys(document.roles, document.model),
    )


def _program(document: Document) -> Program:
    from quintet.formats.hyperagent.program import program

    return program(document)


def _arguments(document: Document, prompt: str | None, inputs: Mapping[str, Json]) -> Json:
    from quintet.formats.hyperagent.inputs import user

    return {"user": user(document, prompt, inputs)}


def _native(run: Run) -> Json:
    from quintet.formats.hyperagent.native import native

    return native(run)


def _schema() -> dict[str, Json]:
    from quintet.formats.hyperagent.schema import schema

    return schema()


FORMAT = Format(
    name="hyperagent",
    hallmark="'roles', 'sessions' and a 'flow'",
    resemblance=_resemblance,
    load=_load,
    schema=_schema,
    codes=HYPERAGENT,
    native=_native,
)
