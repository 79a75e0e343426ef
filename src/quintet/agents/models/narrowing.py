"""Narrowing: a schema with every open end closed, for a small model that would go on without end.

A grammar lets a model write any answer that the schema allows, also one that never ends.  Whatever the
grammar of the narrowed schema allows, the grammar of the schema allows too, so nobody need be told.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from quintet.engine.values import Json

ITEMS: Final = 5
LENGTH: Final = 200
LARGEST: Final = 1_000_000

_SCHEMAS: Final = ("items", "additionalProperties", "unevaluatedProperties")
_SCHEMAS_BY_NAME: Final = ("properties", "patternProperties", "$defs", "definitions")
_LISTS_OF_SCHEMAS: Final = ("anyOf", "oneOf", "prefixItems")

_WHOLE: Final = frozenset({"enum", "const"})
_TEXT: Final = _WHOLE | {"maxLength", "pattern", "format"}
_INTEGER: Final = _WHOLE | {"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"}
_MAP: Final = _WHOLE | {"additionalProperties", "unevaluatedProperties", "patternProperties", "minProperties"}
"""Where a schema has one of these, it says itself where a value of that type ends."""

_BRANCHES: Final = frozenset({"anyOf", "oneOf", "$ref", "$dynamicRef", "if", "not"})
_OWN: Final = frozenset({"type", "properties", "required", "additionalProperties", "items"})


def narrowed(schema: Mapping[str, Json]) -> Mapping[str, Json]:
    """A schema that allows only some of the same values, each of a sensible length.

    >>> narrowed({"type": "array", "items": {"type": "boolean"}})["maxItems"]
    5
    """
    return schema if _combines(schema) else _narrowed(schema)


def _combines(value: Json) -> bool:
    """Whether one value has to satisfy several schemas anywhere: each alone is narrowed too far."""
    match value:
        case str():
            return False
        case Mapping():
            several = "allOf" in value or (_BRANCHES & value.keys() and _OWN & value.keys())
            return bool(several) or any(map(_combines, value.values()))
        case Sequence():
            return any(map(_combines, value))
        case _:
            return False


def _narrowed(value: Json) -> Mapping[str, Json]:
    assert isinstance(value, Mapping), "a schema is a map, or true or false"
    within = {key: _within(key, one) for key, one in value.items()}
    said = value.get("type")
    types = {said} if isinstance(said, str) else set(said) if isinstance(said, Sequence) else set[Json]()
    keys = value.keys()
    if "array" in types and not keys & _WHOLE:
        within.setdefault("maxItems", max(ITEMS, _number(value, "minItems"), _length(value, "prefixItems")))
    if "string" in types and not keys & _TEXT:
        within["maxLength"] = max(LENGTH, _number(value, "minLength"))
    if "integer" in types and not keys & _INTEGER:
        within |= {"minimum": -LARGEST, "maximum": LARGEST}
    if "object" in types and not keys & _MAP and not _required(value) - _named(value):
        within["additionalProperties"] = False
    return within


def _within(key: str, value: Json) -> Json:
    """What a keyword holds, with the schemas in it narrowed."""
    if key in _SCHEMAS:
        return _any(value)
    if key in _SCHEMAS_BY_NAME and isinstance(value, Mapping):
        return {name: _any(one) for name, one in value.items()}
    if key in _LISTS_OF_SCHEMAS and isinstance(value, Sequence) and not isinstance(value, str):
        return [_any(one) for one in value]
    return value


def _any(value: Json) -> Json:
    return _narrowed(value) if isinstance(value, Mapping) else value


def _number(schema: Mapping[str, Json], key: str) -> int:
    value = schema.get(key)
    return int(value) if isinstance(value, int | float) else 0


def _length(schema: Mapping[str, Json], key: str) -> int:
    value = schema.get(key)
    return len(value) if isinstance(value, Sequence) else 0


def _required(schema: Mapping[str, Json]) -> set[Json]:
    value = schema.get("required")
    return set(value) if isinstance(value, Sequence) else set()


def _named(schema: Mapping[str, Json]) -> set[Json]:
    value = schema.get("properties")
    return set(value) if isinstance(value, Mapping) else set()
