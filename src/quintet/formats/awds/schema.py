"""The JSON Schema of AWDS workflows, for editors: made from what reads them."""

from __future__ import annotations

from quintet.engine.values import Json
from quintet.formats.awds.reading import FILE


def schema() -> dict[str, Json]:
    """JSON Schema 2020-12."""
    head: dict[str, Json] = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "An AWDS workflow",
    }
    return head | FILE.schema()
