"""An AWDS workflow as its specification describes it: steps that depend on each other, each done by an agent.

The types hold what running a workflow needs.  Texts in which expressions can stand are templates here, parsed
once; `reading` makes them, and says what is wrong with them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from quintet.engine.values import Json
from quintet.formats.awds.expressions.template import Blueprint, Expression, Template

AT_ONCE: Final = 32
"""So many agents are at work at once, unless the file says another number."""


@dataclass(frozen=True, slots=True)
class Function:
    service: str
    function: str

    @property
    def tool(self) -> str:
        """What the agent knows it by."""
        return f"{self.service}_{self.function}"


@dataclass(frozen=True, slots=True)
class Agent:
    system_prompt: Template
    input: Blueprint = None
    """None where the file says none."""
    schema: Mapping[str, Json] | None = None
    functions: tuple[Function, ...] = ()
    """None of them: all functions are allowed."""
    context: Mapping[str, Blueprint] = field(default_factory=dict[str, Blueprint])
    tags: Mapping[str, str] = field(default_factory=dict[str, str])


@dataclass(frozen=True, slots=True)
class Step:
    id: str
    agent: Agent
    depends_on: tuple[str, ...] = ()
    condition: Expression | None = None
    """`if`."""
    for_each: Expression | None = None
    line: int = 1
    """Where the file says it."""


@dataclass(frozen=True, slots=True)
class Document:
    name: str
    steps: tuple[Step, ...]
    at_once: int = AT_ONCE

    @property
    def last(self) -> tuple[Step, ...]:
        """The steps on which nothing depends."""
        needed = {name for step in self.steps for name in step.depends_on}
        return tuple(step for step in self.steps if step.id not in needed)
