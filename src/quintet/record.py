"""Record: a run as people are told of it, read from its log and from nothing else.

`quintet run --json`, `quintet show`, the page and the Python API all give this, at any time of a run.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from quintet.engine.states import Shown
from quintet.engine.values import Json

StepStatus: TypeAlias = Literal["running", "completed", "failed", "cancelled"]


@dataclass(frozen=True, slots=True)
class Trouble:
    """Why a run or a step failed."""

    message: str
    kind: str
    step: str | None = None
    """The path of the step that a run failed at."""

    def to_json(self) -> dict[str, Json]:
        return {"message": self.message, "kind": self.kind, "step": self.step}


@dataclass(frozen=True, slots=True)
class Usage:
    input_tokens: int = 0
    output_tokens: int = 0
    cost_usd: float = 0.0
    unpriced: tuple[str, ...] = ()
    """Models whose price nobody knows: the cost leaves them out."""

    def with_request(self, said: Mapping[str, Any]) -> Usage:
        """And one request more, as the log tells of it."""
        used, cost, model = said["usage"], said.get("cost_usd"), said.get("model")
        new = [model] if cost is None and model is not None and model not in self.unpriced else []
        return Usage(
            self.input_tokens + used["input"],
            self.output_tokens + used["output"],
            self.cost_usd + (cost or 0.0),
            (*self.unpriced, *new),
        )

    def to_json(self) -> dict[str, Json]:
        shown: dict[str, Json] = {
            "input_tokens": self.input_tokens,
            "output_tokens": self.output_tokens,
            "cost_usd": self.cost_usd,
        }
        return {**shown, "unpriced": self.unpriced} if self.unpriced else shown


@dataclass(frozen=True, slots=True)
class Step:
    """An agent's turn, or a call of a tool."""

    path: str
    """As people read it: `refine (iter 2)`."""
    where: str
    """As the log writes it."""
    kind: Literal["agent", "tool"]
    agent: str | None
    agent_id: str | None = None
    tool: str | None = None
    model: str | None = None
    """Which model has answered, where one has."""
    status: StepStatus = "running"
    error: Trouble | None = None
    prompt: str | None = None
    """The message that the agent received, or of a tool None."""
    arguments: Json = None
    """What a tool was called with."""
    output: Json = None
    attempts: int = 1
    began: float = 0.0
    """Seconds since 1970."""
    ended: float | None = None
    input_tokens: int = 0
    output_tokens: int = 0

    @property
    def duration_ms(self) -> int:
        return 0 if self.ended is None else round(max(0.0, self.ended - self.began) * 1000)

    def to_json(self) -> dict[str, Json]:
        error: Json = None
        if self.error is not None:
            error = {"message": self.error.message, "kind": self.error.kind}
        shown: dict[str, Json] = {
            "path": self.path,
            "agent": self.agent,
            "kind": self.kind,
            "status": self.status,
            "error": error,
            "prompt": self.prompt,
            "output": self.output,
            "attempts": self.attempts,
            "duration_ms": self.duration_ms,
            "input_tokens": self.input_tokens,
            "output_tokens": self.output_tokens,
        }
        if self.model is not None:
            shown["model"] = self.model
        if self.kind == "tool":
            shown |= {"tool": self.tool, "arguments": self.arguments}
        return shown


@dataclass(frozen=True, slots=True)
class Open:
    """A question that a run waits to be answered."""

    target: str
    """What an answer is addressed to."""
    path: str
    """Where it is asked, as people read it."""
    prompt: str
    fields: Sequence[Json] = ()

    def to_json(self) -> dict[str, Json]:
        return {"question": self.target, "path": self.path, "prompt": self.prompt, "fields": self.fields}


@dataclass(frozen=True, slots=True)
class Fact:
    """Something that the program found worth noting."""

    kind: str
    where: str
    """The scope it was noted in, as the log writes it."""
    data: Json
    time: float


@dataclass(frozen=True, slots=True)
class Run:
    """What is known of a run."""

    id: str
    workflow: str
    format: str
    status: Shown
    """`interrupted` is one that nobody works on although it has not ended."""
    output: Json = None
    error: Trouble | None = None
    steps: Sequence[Step] = ()
    """Those that have ended, in the order in which they did."""
    under_way: Sequence[Step] = ()
    """Those that have begun and not ended, in the order in which they began."""
    usage: Usage = field(default_factory=Usage)
    native: Json = None
    """The result as the format has it."""
    questions: Sequence[Open] = ()
    """What a person is asked."""
    arguments: Json = None
    """What the run began with."""
    facts: Sequence[Fact] = ()
    began: float = 0.0
    ended: float | None = None

    def to_json(self) -> dict[str, Json]:
        """What `--json` prints."""
        shown: dict[str, Json] = {
            "run_id": self.id,
            "workflow": self.workflow,
            "format": self.format,
            "status": self.status,
            "output": self.output,
            "error": None if self.error is None else self.error.to_json(),
            "steps": [step.to_json() for step in self.steps],
            "usage": self.usage.to_json(),
            "native": self.native,
        }
        if self.questions:
            shown["questions"] = [question.to_json() for question in self.questions]
        return shown
