"""Placed: a step together with the places where the file says what it is, for rules to point at."""

from __future__ import annotations

from dataclasses import dataclass

from quintet.formats.openfang.document import Document, Step
from quintet.formats.tree import Spanned


@dataclass(frozen=True, slots=True)
class Places:
    """Where a step's parts stand; None where the file does not say them."""

    step: Spanned
    """The name, or else where the step begins: what to point at when something about all of it is wrong."""
    agent: Spanned | None
    prompt: Spanned | None
    mode: Spanned | None
    timeout_secs: Spanned | None
    error_mode: Spanned | None
    output_var: Spanned | None
    condition: Spanned | None
    until: Spanned | None
    max_iterations: Spanned | None


@dataclass(frozen=True, slots=True)
class Placed:
    step: Step
    at: Places
    mode_known: bool
    """Whether the step's mode could be read; if not, rules that hang on it keep silent."""


@dataclass(frozen=True, slots=True)
class PlacedDocument:
    document: Document
    steps: tuple[Placed, ...]
    steps_at: Spanned | None
    """What stands behind `steps`."""
    id_at: Spanned | None = None
    created_at_at: Spanned | None = None
