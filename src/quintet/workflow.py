"""Workflow: what every format gives.

A file of any format becomes a Workflow: its name, the program that running it means, and its graph, which is
what people are shown of it.  Until a file is free of errors there is none, only Problems; `Checked` is both.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, TypeAlias, cast

from quintet.problems.problem import Problem, has_errors

if TYPE_CHECKING:
    from collections.abc import Mapping

    from quintet.engine.programs import Program
    from quintet.engine.values import Json

NodeKind: TypeAlias = Literal[
    "input", "output", "agent", "collect", "condition", "approval", "tool", "workflow"
]
EdgeKind: TypeAlias = Literal["next", "after", "back"]
GroupKind: TypeAlias = Literal["parallel", "round", "each"]


@dataclass(frozen=True, slots=True)
class Node:
    """One thing in the picture of a workflow."""

    id: str
    """Unique in its graph."""
    label: str
    """What people call it: the step's name; of a condition its text."""
    kind: NodeKind
    agent: str | None = None
    """Who does it."""
    group: str | None = None
    """The id of the group it is drawn in."""
    line: int | None = None
    """Where the file says it."""


@dataclass(frozen=True, slots=True)
class Edge:
    """What follows what."""

    source: str
    target: str
    kind: EdgeKind = "next"
    """`next` hands on its output, `after` only comes first, `back` is the way round a loop."""
    label: str = ""
    """The condition under which this way is taken: `yes`, `until "APPROVED"`."""
    limit: int | None = None
    """How often a way back leads round, at most, the first time included."""


@dataclass(frozen=True, slots=True)
class Group:
    """Nodes that are drawn together: they run at the same time, or again and again."""

    id: str
    kind: GroupKind
    label: str = ""
    group: str | None = None
    """The id of the group around it."""


@dataclass(frozen=True, slots=True)
class Graph:
    """The picture of a workflow, before anyone has drawn it."""

    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]
    groups: tuple[Group, ...] = ()

    @property
    def agents(self) -> tuple[str, ...]:
        """Who takes part, in the order of the file."""
        return tuple(dict.fromkeys(node.agent for node in self.nodes if node.agent is not None))

    def to_json(self) -> dict[str, Json]:
        return {
            "nodes": [_given(node) for node in self.nodes],
            "edges": [_given(edge) for edge in self.edges],
            "groups": [_given(group) for group in self.groups],
        }


class WrongInput(ValueError):
    """A prompt or an input that the workflow has no place for, with what to do instead."""


def as_given(prompt: str | None, inputs: Mapping[str, Json]) -> Json:
    """The prompt and the inputs as they are."""
    return {"prompt": prompt, "inputs": inputs}


@dataclass(frozen=True, slots=True)
class Workflow:
    """A definition that has been read, checked and found to be without errors."""

    name: str
    format: str
    steps: int
    """How many steps the definition has, as its format counts them."""
    graph: Graph
    document: object
    """The definition in the types of its format."""
    program: Callable[[], Program] | None = None
    """Makes what running it means; called only to run it.  None: the format can only be checked and drawn."""
    arguments: Callable[[str | None, Mapping[str, Json]], Json] = as_given
    """What its program is given for a prompt and named inputs.  Raises WrongInput."""
    has_rounds: bool = False
    """Whether it goes in rounds, which a call may limit, and ends with an outcome that has a name."""
    models: Mapping[str, str] = field(default_factory=dict[str, str])
    """The models that it wants, by agent."""


def with_max_rounds(workflow: Workflow, arguments: Json, most: int | None) -> Json:
    """The arguments of a run that is to have so many rounds at most.  Raises WrongInput."""
    if most is None:
        return arguments
    if not workflow.has_rounds:
        raise WrongInput(f"workflows of the format {workflow.format!r} have no rounds to limit")
    return {**cast("Mapping[str, Json]", arguments), "max_rounds": most}


class CannotRun(ValueError):
    """Workflows of this format can only be checked and drawn."""


def program_of(workflow: Workflow) -> Program:
    """What running a workflow means.  Raises CannotRun."""
    if workflow.program is None:
        raise CannotRun(f"workflows of the format {workflow.format!r} cannot be run")
    return workflow.program()


@dataclass(frozen=True, slots=True)
class Checked:
    """What came of loading a file: a workflow unless there is an error, and all problems in file order."""

    workflow: Workflow | None
    problems: tuple[Problem, ...] = field(default=())

    @property
    def ok(self) -> bool:
        return self.workflow is not None and not has_errors(self.problems)


def _given(item: Node | Edge | Group) -> dict[str, Json]:
    """The attributes that say something."""
    named = {name: getattr(item, name) for name in item.__slots__}
    return {name: value for name, value in named.items() if value not in {None, ""}}
