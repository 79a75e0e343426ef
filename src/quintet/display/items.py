"""Items: what an outline is made of, a turn, a tool's call, or several of them under one name."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from quintet.display.signs import AT_WORK, State
from quintet.record import Open

Shape: TypeAlias = Literal["turn", "tool", "scope", "loop", "each", "node"]
"""A `scope` is a name around others; a `loop` comes again and again, an `each` is done for items; a `node` is
known from the graph alone."""


@dataclass(frozen=True, slots=True)
class Item:
    """One line of an outline, and what is under it."""

    name: str
    shape: Shape
    state: State
    agent: str = ""
    began: float | None = None
    ended: float | None = None
    input_tokens: int = 0
    output_tokens: int = 0
    attempts: int = 1
    most_attempts: int | None = None
    note: str = ""
    """Why it is skipped, under which condition it comes, until when it goes on."""
    verdict: str = ""
    """What it came to, in a word."""
    error: str = ""
    again_at: float | None = None
    """When it is tried again."""
    where: str = ""
    """The `where` of its step."""
    path: str = ""
    """The `path` of its step."""
    questions: Sequence[Open] = ()
    children: Sequence[Item] = ()
    limit: int | None = None
    """How often a loop comes at most; how many items there are in all."""

    @property
    def at_work(self) -> bool:
        return self.state in AT_WORK

    @property
    def over(self) -> bool:
        return self.state not in AT_WORK and self.state not in {"coming", "stopped"}

    @property
    def latest(self) -> Item:
        """The child that began last, or itself."""
        return self.children[-1] if self.children else self

    def walk(self) -> Iterator[Item]:
        """It and all under it."""
        yield self
        for child in self.children:
            yield from child.walk()

    def elapsed(self, now: float) -> float | None:
        """How long it took, or has taken so far; None where nobody knows."""
        if self.began is None or (self.ended is None and self.state not in AT_WORK):
            return None
        return max(0.0, (now if self.ended is None else self.ended) - self.began)


def state_of(children: Sequence[Item], shape: Shape = "scope") -> State:
    """What several together are: at work as long as one is; a loop is what its latest iteration is."""
    states = {child.state for child in children}
    for state in _FIRST:
        if state in states:
            return state
    if shape == "loop":
        return children[-1].state
    if "failed" in states and ("cancelled" in states or states <= {"failed", "skipped"}):
        return "failed"  # what stops the others, or leaves nothing
    for state in _LAST:
        if state in states:
            return state
    return "skipped"


_FIRST: tuple[State, ...] = ("running", "retrying", "asking", "stopped")
_LAST: tuple[State, ...] = ("cancelled", "completed")
