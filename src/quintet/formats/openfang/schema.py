"""The JSON Schema of OpenFang workflows, for editors: both shapes, made from what reads them."""

from __future__ import annotations

from typing import Literal

from quintet.engine.values import Json
from quintet.formats.openfang import api_shape, stored_shape
from quintet.formats.shape import Shape

_SHAPES: dict[Literal["api", "stored"], Shape] = {"api": api_shape.WORKFLOW, "stored": stored_shape.WORKFLOW}


def schema(shape: Literal["api", "stored"] | None = None) -> dict[str, Json]:
    """JSON Schema 2020-12 of one shape, or of both."""
    head: dict[str, Json] = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "An OpenFang workflow",
    }
    if shape is not None:
        return head | _SHAPES[shape].schema()
    return head | {"anyOf": [one.schema() for one in _SHAPES.values()]}
