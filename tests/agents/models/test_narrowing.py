"""A small model is given no room to go on without end, and never what the schema forbids."""

from __future__ import annotations

import pytest

from quintet.agents.models.narrowing import narrowed
from quintet.engine.values import Json


@pytest.mark.parametrize(
    ("schema", "added"),
    [
        ({"type": "string"}, {"maxLength": 200}),
        ({"type": "string", "minLength": 300}, {"maxLength": 300}),
        ({"type": ["string", "null"]}, {"maxLength": 200}),
        ({"type": "string", "pattern": "a"}, {}),
        ({"type": "string", "enum": ["a"]}, {}),
        ({"type": "array"}, {"maxItems": 5}),
        ({"type": "array", "minItems": 7}, {"maxItems": 7}),
        ({"type": "array", "prefixItems": [True] * 6}, {"maxItems": 6}),
        ({"type": "array", "maxItems": 99}, {}),
        ({"type": "integer"}, {"minimum": -1_000_000, "maximum": 1_000_000}),
        ({"type": "integer", "minimum": 5}, {}),
        ({"type": "object"}, {"additionalProperties": False}),
        ({"type": "object", "properties": {"a": {}}, "required": ["a"]}, {"additionalProperties": False}),
        ({"type": "object", "required": ["a"]}, {}),
        ({"type": "object", "additionalProperties": {}}, {}),
        ({"type": "boolean"}, {}),
        ({}, {}),
    ],
)
def test_every_open_end_is_closed_and_nothing_that_the_schema_says_is_changed(
    schema: dict[str, Json], added: dict[str, Json]
) -> None:
    assert narrowed(schema) == {**schema, **added}


def test_schemas_within_schemas_are_narrowed_too() -> None:
    text: Json = {"type": "string"}
    narrow: Json = {"type": "string", "maxLength": 200}
    assert narrowed(
        {"properties": {"a": {"anyOf": [text]}}, "$defs": {"a": text}, "items": text, "default": text}
    ) == {
        "properties": {"a": {"anyOf": [narrow]}},
        "$defs": {"a": narrow},
        "items": narrow,
        "default": text,
    }


@pytest.mark.parametrize(
    "schema",
    [
        {"allOf": [{"type": "object"}, {"type": "object", "required": ["a"]}]},
        {"type": "object", "anyOf": [{"required": ["a"]}]},
        {"items": {"$ref": "#/$defs/a", "properties": {"b": True}}},
    ],
)
def test_where_a_value_has_to_satisfy_several_schemas_none_is_narrowed(schema: dict[str, Json]) -> None:
    assert narrowed(schema) == schema
