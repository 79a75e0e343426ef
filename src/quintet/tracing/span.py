"""Span: one thing that a run did, from when to when, in the words of OpenTelemetry's GenAI conventions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Final, Literal, TypeAlias

from quintet.engine.paths import Path, write

Operation: TypeAlias = Literal["invoke_workflow", "invoke_agent", "chat", "execute_tool"]
Attribute: TypeAlias = "str | bool | int | float | Sequence[str]"

CANCELLED: Final = "cancelled"
"""The status of what was stopped because nobody wanted it any more: that is no error."""


@dataclass(slots=True, eq=False)
class Span:
    """A run, a turn, a request to a model, or a call of a tool."""

    operation: Operation
    subject: str
    """What it is about: a workflow, an agent, a model, a tool."""
    path: Path
    """Where in the run; empty for the run itself."""
    parent: Span | None
    start: float
    attributes: dict[str, Attribute] = field(default_factory=dict[str, Attribute])
    content: dict[str, Attribute] = field(default_factory=dict[str, Attribute])
    """What was said, and what errors say: told only where that is asked for."""
    marks: list[tuple[str, float]] = field(default_factory=list[tuple[str, float]])
    """What happened in it: that it waited for a person, and went on."""
    end: float | None = None
    error: str | None = None
    """The kind of its failure."""
    message: str = ""
    """What the failure says; that may quote what was said."""
    usage: dict[str, int] = field(default_factory=dict[str, int])
    """The tokens it took, with what is in it."""
    requests: int = 0
    """So often has it asked a model."""
    calls: int = 0
    """So many tools has it called."""
    is_taken: bool = False
    """Whether it was done in an earlier run, all or in part, and taken over by this one."""

    @property
    def name(self) -> str:
        return f"{self.operation} {self.subject}" if self.subject else self.operation

    @property
    def seconds(self) -> float:
        return 0.0 if self.end is None else max(self.end - self.start, 0.0)

    @property
    def is_touch(self) -> bool:
        """Whether it is one thing that was performed."""
        return self.operation in ("chat", "execute_tool")

    @property
    def is_nothing(self) -> bool:
        """Whether nothing of it was done by this run."""
        return self.is_taken and self.parent is not None and not (self.requests or self.calls)

    def hold(self, inner: Span) -> None:
        """One that began in it has ended."""
        if inner.is_nothing:
            self.is_taken = True
            return
        self.requests += inner.operation == "chat"
        self.calls += inner.operation == "execute_tool"
        for name, count in inner.usage.items():
            self.usage[name] = self.usage.get(name, 0) + count


def trace_id(run_id: str) -> int:
    """The same in every process that works on a run, so that all of them tell one trace."""
    return _number(16, run_id)


def span_id(run_id: str, span: Span) -> int:
    """The same wherever and whenever it is told."""
    return _number(8, run_id, span.operation, write(span.path))


def _number(size: int, *parts: str) -> int:
    digest = sha256("\0".join(("quintet", *parts)).encode("utf-8", "surrogatepass")).digest()
    return int.from_bytes(digest[:size], "big") or 1  # zero is no id
