"""Placed: a step together with the places where the file says what it is, for rules to point at."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from quintet.formats.awds.document import Document, Function, Step
from quintet.formats.awds.expressions.syntax import Node
from quintet.formats.report import Report
from quintet.formats.tree import Map, Scalar, Span, Spanned

Where: TypeAlias = Literal["if", "for_each", "agent"]
"""Which part of a step an expression stands in: there is no `item` in the first two."""


@dataclass(frozen=True, slots=True)
class PlacedExpression:
    node: Node
    text: str
    """The whole text that it stands in."""
    scalar: Scalar
    """Where the file has that text."""
    where: Where


@dataclass(frozen=True, slots=True)
class Placed:
    step: Step
    id_at: Spanned
    """The id, or else where the step begins."""
    id_known: bool
    depends_on: tuple[tuple[str, Spanned], ...]
    expressions: tuple[PlacedExpression, ...]
    schema: Map | None
    functions: tuple[tuple[Function, Spanned], ...]
    functions_at: Spanned | None
    agent_known: bool


@dataclass(frozen=True, slots=True)
class PlacedDocument:
    document: Document
    steps: tuple[Placed, ...]
    steps_at: Spanned | None
    complete: bool
    """Whether every step could be read, so that one that is missed is really missing."""


def within(report: Report, scalar: Scalar, text: str, start: int, end: int) -> Spanned:
    """Where a part of a text stands in the file; all of the text where it is not written as it is."""
    whole = report.text.first(text, scalar)
    if whole is not None:
        return Span(whole + start, whole + end)
    line_start = text.rfind("\n", 0, start) + 1
    line_end = text.find("\n", start)
    line = text[line_start : len(text) if line_end < 0 else line_end]
    found = report.text.first(line, scalar) if line.strip() else None
    if found is not None:
        return Span(found + start - line_start, found + min(end - line_start, len(line)))
    found = report.text.first(text[start:end], scalar) if end > start else None
    return scalar if found is None else Span(found, found + end - start)
