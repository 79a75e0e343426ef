"""The JSON Schema for editors is made from what reads the files, so it names the same keys."""

import json
from typing import Any, cast

import pytest

from quintet.formats.openfang.schema import schema
from quintet.formats.registry import named
from tests.formats.openfang.seed import EXAMPLES, STORED

TYPES: dict[str, type] = {"string": str, "null": type(None), "integer": int, "array": list, "object": dict}


def items(value: Any) -> list[Any]:
    return cast("list[Any]", value) if isinstance(value, list) else []


def fitting(value: Any, schema: Any) -> bool:
    """Whether a value fits the few words of JSON Schema that we use."""
    if "type" in schema and type(value) is not TYPES[schema["type"]]:
        return False
    checks = [
        "anyOf" not in schema or any(fitting(value, option) for option in schema["anyOf"]),
        "not" not in schema or not fitting(value, schema["not"]),
        "enum" not in schema or value in schema["enum"],
        "const" not in schema or value == schema["const"],
        type(value) is not int or schema.get("minimum", value) <= value <= schema.get("maximum", value),
        all(fitting(item, schema.get("items", {})) for item in items(value)),
        type(value) is not dict or fitting_map(cast("dict[str, Any]", value), schema),
    ]
    return all(checks)


def fitting_map(value: dict[str, Any], schema: dict[str, Any]) -> bool:
    properties = schema.get("properties", {})
    return (
        set(schema.get("required", [])) <= value.keys()
        and (schema.get("additionalProperties", True) or value.keys() <= properties.keys())
        and schema.get("minProperties", 0) <= len(value) <= schema.get("maxProperties", 99)
        and all(fitting(value[key], properties[key]) for key in value.keys() & properties.keys())
    )


@pytest.mark.parametrize("text", [*EXAMPLES.values(), STORED], ids=[*EXAMPLES, "stored"])
def test_what_is_valid_fits_the_schema_of_its_shape_alone(text: str) -> None:
    data = json.loads(text)
    assert fitting(data, schema())
    assert fitting(data, schema("stored")) == ("id" in data)
    assert fitting(data, schema("api")) == ("id" not in data)


@pytest.mark.parametrize(
    "step",
    [
        {},
        {"agent_name": "a", "agent_id": "b"},
        {"agent_name": "a", "mode": "parallel"},
        {"agent_name": "a", "timeout_secs": -1},
        {"agent_name": "a", "colour": "red"},
    ],
)
def test_what_is_wrong_does_not_fit(step: dict[str, Any]) -> None:
    assert not fitting({"steps": [step]}, schema())
    assert fitting({"steps": [{"mode": "collect"}]}, schema())


def test_every_key_is_described() -> None:
    def keys(part: Any) -> list[tuple[str, Any]]:
        found = [one for item in items(part) for one in keys(item)]
        if isinstance(part, dict):
            schema = cast("dict[str, Any]", part)
            found += schema["properties"].items() if "additionalProperties" in schema else []
            found += [one for value in schema.values() for one in keys(value)]
        return found

    described = [
        (name, "description" in one)
        for name, one in keys(schema())
        if name not in {"conditional", "loop", "retry"}
    ]
    assert len(described) > 30
    assert all(has for _, has in described)


def test_the_registry_gives_the_same() -> None:
    assert named("openfang").schema() == schema()
