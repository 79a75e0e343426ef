"""Placed: parts of a workflow together with where the file says them, for rules to point at."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from quintet.formats.hyperagent.document import Document, Role, SessionEntry, Step, Transition
from quintet.formats.shape import Fields
from quintet.formats.tree import Spanned


@dataclass(frozen=True, slots=True)
class PlacedTransition:
    transition: Transition
    fields: Fields
    name: str
    """How messages call it: `transitions[0]`."""


@dataclass(frozen=True, slots=True)
class PlacedStep:
    step: Step
    fields: Fields
    transitions: tuple[PlacedTransition, ...]
    """Those, and the exits behind them."""
    is_bootstrap: bool = False
    is_known: bool = True
    """Whether it is of a kind that was read to its end."""


@dataclass(frozen=True, slots=True)
class PlacedDocument:
    document: Document
    fields: Fields
    round: Fields | None
    default: Fields | None
    sessions: tuple[tuple[SessionEntry, Fields], ...]
    roles: Mapping[str, tuple[Role, Fields]]
    bootstrap: PlacedStep | None
    steps: tuple[PlacedStep, ...]
    state_at: Mapping[str, Spanned]
    """Where the templates of the first state stand."""

    @property
    def all_steps(self) -> Iterator[PlacedStep]:
        if self.bootstrap is not None:
            yield self.bootstrap
        yield from self.steps
