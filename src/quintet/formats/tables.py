"""Tables: maps whose keys are names that the user chooses, and whose values are all of one kind."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Generic, TypeVar

from quintet.formats.report import Report
from quintet.formats.shape import Kind, Schema, Wrong, wrong_type
from quintet.formats.tree import Map, Value

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Table(Generic[T]):
    """Values of one kind by name.  What is wrong with one does not hide the others."""

    kind: Kind[T]
    noun: str
    """What messages call the map: `a table of models`."""

    def read(self, value: Value, name: str, report: Report) -> Mapping[str, T]:
        if not isinstance(value, Map):
            raise wrong_type(value, name, self.noun, report)
        found: dict[str, T] = {}
        for own, entry in value.entries.items():
            try:
                found[own] = self.kind.read(entry.value, own, report)
            except Wrong:
                continue
        return found

    def schema(self) -> Schema:
        return {"type": "object", "additionalProperties": self.kind.schema()}
