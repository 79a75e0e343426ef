"""Short ways to load OpenFang workflows in tests."""

import json
from collections.abc import Collection, Mapping

from quintet.engine.values import Json
from quintet.formats.openfang.document import Document, Step
from quintet.formats.registry import Surroundings, load
from quintet.problems.problem import Problem


def document(text: str, path: str = "flow.json") -> Document:
    """The document of a workflow without any problem."""
    checked = load(text, path, format="openfang")
    assert [str(problem) for problem in checked.problems] == []
    assert checked.workflow is not None
    assert isinstance(checked.workflow.document, Document)
    return checked.workflow.document


def step(**keys: Json) -> Step:
    """The one step of a workflow in the API shape; problems do not matter."""
    checked = load(json.dumps({"steps": [{"agent_name": "a", **keys}]}), "flow.json", format="openfang")
    assert checked.workflow is not None
    assert isinstance(checked.workflow.document, Document)
    return checked.workflow.document.steps[0]


def problems(
    *steps: Json,
    inputs: Collection[str] = (),
    agents: Collection[str] | None = None,
    top: Mapping[str, Json] | None = None,
) -> list[tuple[str, str]]:
    """The codes and places of what is wrong with steps, each in a line of its own, the first in line 2."""
    lines = ",\n".join(json.dumps(one, ensure_ascii=False) for one in steps)
    head = "".join(f"{json.dumps(key)}: {json.dumps(value)}, " for key, value in (top or {}).items())
    found = problems_of(f'{{{head}"steps": [\n{lines}\n]}}', Surroundings(inputs, agents))
    return [(p.code.name, f"{p.place.line}:{p.place.column}") for p in found]


def problems_of(
    text: str, surroundings: Surroundings | None = None, path: str = "flow.json"
) -> tuple[Problem, ...]:
    return load(text, path, format="openfang", surroundings=surroundings or Surroundings()).problems
