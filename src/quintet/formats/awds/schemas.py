"""Schemas: whether a `resultSchema` is one, and leads nowhere else.

"Must conform to JSON Schema Draft 2020-12."  A reference to another document is refused: an answer is checked
without anything being fetched.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from quintet.agents.answers import BadSchema
from quintet.agents.answers import check_schema as proven
from quintet.formats.awds.codes import BAD_SCHEMA, OTHER_DRAFT, REMOTE_SCHEMA
from quintet.formats.report import Report
from quintet.formats.tree import List, Map, Scalar, Spanned, Value, head, plain
from quintet.problems.wording import LONGEST, quoted, visible

DRAFT: Final = "https://json-schema.org/draft/2020-12/schema"
_REFERENCES: Final = ("$ref", "$dynamicRef")
_NAMED: Final = frozenset({"properties", "patternProperties", "$defs", "definitions", "dependentSchemas"})
"""Their keys are names, and their values schemas."""
_DATA: Final = frozenset({"const", "enum", "default", "examples"})


def check_schema(schema: Map, report: Report) -> None:
    """Adds to the report what is wrong with a schema."""
    _draft(schema, report)
    remote = list(_remote(schema))
    for reference in remote:
        message = f"{quoted(str(reference.value))} is another document, and nothing is fetched"
        report.add(REMOTE_SCHEMA, message, reference, "put it into $defs: #/$defs/NAME")
    if remote:
        return
    value = plain(schema)
    assert isinstance(value, dict)
    try:
        proven(value)
    except BadSchema as error:
        at, place = _found(schema, error.path)
        told = visible(str(error))
        told = told if len(told) <= 4 * LONGEST else told[: 4 * LONGEST] + "…"
        report.add(BAD_SCHEMA, f"'resultSchema' is no JSON Schema{place}: {told}", at)


def _draft(schema: Map, report: Report) -> None:
    named = schema.get("$schema")
    if isinstance(named, Scalar) and isinstance(named.value, str) and named.value.rstrip("#") != DRAFT:
        message = f"'resultSchema' names another draft than 2020-12: {quoted(named.value)}"
        report.add(OTHER_DRAFT, message, named)


def _remote(schema: Map) -> Iterator[Scalar]:
    """References that lead out of the schema."""
    schemas = list(_schemas(schema))
    own = {
        named.value.rstrip("#")
        for one in schemas
        if isinstance(named := one.get("$id"), Scalar) and isinstance(named.value, str)
    }
    for one in schemas:
        for key in _REFERENCES:
            found = one.get(key)
            if isinstance(found, Scalar) and isinstance(found.value, str):
                document = found.value.partition("#")[0]
                if document and document not in own and not _is_draft(document):
                    yield found


def _is_draft(document: str) -> bool:
    """The schemas of schemas are known without being fetched."""
    return document.startswith("https://json-schema.org/draft/2020-12/")


def _schemas(schema: Value) -> Iterator[Map]:
    """A schema and all within it; what a schema gives as data is none."""
    waiting = [schema]
    while waiting:
        match waiting.pop():
            case Map(entries) as one:
                yield one
                for name, entry in entries.items():
                    if name in _NAMED and isinstance(entry.value, Map):
                        waiting += [inner.value for inner in entry.value.entries.values()]
                    elif name not in _DATA:
                        waiting.append(entry.value)
            case List(items):
                waiting += items
            case _:
                pass


def _found(schema: Map, path: Sequence[str | int]) -> tuple[Spanned, str]:
    """Where a path in a schema leads to, and how to say that."""
    at: Value = schema
    for step in path:
        at = _inner(at, step)
    place = f" at {quoted('/'.join(map(str, path)))}" if path else ""
    return (at if isinstance(at, Scalar) else head(at)), place


def _inner(at: Value, step: str | int) -> Value:
    if isinstance(at, Map):
        return at.get(str(step)) or at
    if isinstance(at, List) and isinstance(step, int) and step < len(at.items):
        return at.items[step]
    return at
