"""An OpenFang workflow as its guide describes it: a name, a description and an ordered list of steps.

Two JSON shapes say the same: the one that the guide teaches and the REST API takes, and the one that OpenFang
stores.  `api_shape` and `stored_shape` read them into these types; nothing after them knows which it was.
The types hold what running a workflow needs, and all of it is valid: a mode carries what only that mode has.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

NAME, PROMPT, TIMEOUT = "step", "{{input}}", 120
"""What a step of the API shape has where it says nothing."""
MAX_ITERATIONS, MAX_RETRIES = 5, 3
U32, U64 = 2**32 - 1, 2**64 - 1
"""The largest numbers that OpenFang's fields can hold."""

SEPARATOR = "\n\n---\n\n"
"""What `collect` puts between outputs."""


@dataclass(frozen=True, slots=True)
class AgentById:
    id: str


@dataclass(frozen=True, slots=True)
class AgentByName:
    name: str


Agent: TypeAlias = AgentById | AgentByName


@dataclass(frozen=True, slots=True)
class Sequential:
    """Runs after the step before it."""


@dataclass(frozen=True, slots=True)
class FanOut:
    """Runs beside the other fan-out steps that directly follow each other."""


@dataclass(frozen=True, slots=True)
class Collect:
    """Joins the outputs of the nearest fan-out group before it."""


@dataclass(frozen=True, slots=True)
class Conditional:
    """Runs only if the output before it contains a text."""

    condition: str = ""

    def holds(self, output: str) -> bool:
        return self.condition.lower() in output.lower()


@dataclass(frozen=True, slots=True)
class Loop:
    """Runs again and again, on its own output, until that contains a text."""

    max_iterations: int = MAX_ITERATIONS
    until: str = ""

    def over(self, output: str) -> bool:
        return self.until.lower() in output.lower()


Mode: TypeAlias = Sequential | FanOut | Collect | Conditional | Loop


@dataclass(frozen=True, slots=True)
class Fail:
    """A failure ends the run."""


@dataclass(frozen=True, slots=True)
class Skip:
    """A failure is passed over: the input stays what it was."""


@dataclass(frozen=True, slots=True)
class Retry:
    """A failed attempt is repeated at once; when none is left, the run ends."""

    max_retries: int = MAX_RETRIES


ErrorMode: TypeAlias = Fail | Skip | Retry


@dataclass(frozen=True, slots=True)
class Step:
    name: str
    agent: Agent | None
    """None only for a collect step."""
    prompt: str
    mode: Mode
    timeout_secs: int
    error_mode: ErrorMode
    output_var: str | None
    line: int
    """Where the file says it."""


@dataclass(frozen=True, slots=True)
class Document:
    name: str
    description: str
    steps: tuple[Step, ...]
    id: str | None = None
    """Only stored workflows have one, and a time."""
    created_at: str | None = None


def blocks(modes: Sequence[Mode]) -> Iterator[range]:
    """The steps that start together, by their numbers: a fan-out group, or a single step of another mode.

    "The engine collects all consecutive `fan_out` steps and launches them simultaneously."
    """
    start = 0
    while start < len(modes):
        end = start + 1
        while isinstance(modes[start], FanOut) and end < len(modes) and isinstance(modes[end], FanOut):
            end += 1
        yield range(start, end)
        start = end
