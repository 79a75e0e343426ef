"""The JSON Schema for editors is made from what reads the files, so it knows the same mistakes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest

from quintet.formats.hyperagent.schema import schema
from quintet.formats.registry import named
from tests.formats.hyperagent.building import flow, go, leave, problems, step, x

EXAMPLES = sorted((Path(__file__).parents[3] / "examples" / "hyperagent").glob("*.json"))
VALIDATOR: Any = jsonschema_rs.validator_for(schema(), offline=True)


def test_the_registry_gives_it() -> None:
    assert named("hyperagent").schema() == schema()


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_the_examples_fit(path: Path) -> None:
    assert [str(error) for error in VALIDATOR.iter_errors(json.loads(path.read_text()))] == []


NESTED = {"any": ["always", {"all": [{"field": "@state.x", "in": [1, "a", True], "caseSensitive": True}]}]}


@pytest.mark.parametrize(
    ("document", "fits"),
    [
        (flow(step()), True),
        (flow(step(exits=[leave(condition=NESTED), go("s")], **x("a"))), True),
        (flow(step(), user={"a": "text", "b": {"type": "array", "items": {"type": "unknown"}}}), True),
        (flow(step(exits=[leave(condition={"field": "raw"})])), False),
        (flow(step(exits=[{"condition": "always"}])), False),
        (flow(step(exits=[leave(condition="sometimes")])), False),
        (flow(step(prompt=[])), False),
        (flow(), False),
        (flow(step(), rounds=0), False),
        (flow(step(), parsers={"a": {"type": "string", "minimum": 1}}), False),
        (flow(step(), state={"a": 1}), False),
        (flow(step(), colour="red"), False),
    ],
)
def test_the_schema_and_the_check_agree(document: dict[str, Any], fits: bool) -> None:
    assert VALIDATOR.is_valid(document) is fits
    assert all(one.severity == "warning" for one in problems(document)) is fits
