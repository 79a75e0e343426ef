"""The JSON Schema of Hyperagent workflows, for editors: made from what reads the files."""

from __future__ import annotations

from quintet.engine.values import Json
from quintet.formats.hyperagent import condition_shape, parser_shape, shape


def schema() -> dict[str, Json]:
    """JSON Schema 2020-12 of a workflow."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "A Hyperagent workflow",
        **shape.WORKFLOW.schema(),
        "$defs": {"parser": parser_shape.definition(), "condition": condition_shape.definition()},
    }
