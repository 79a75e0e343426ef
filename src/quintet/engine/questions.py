"""Questions: what a run asks of a person, and what counts as an answer.

A question is a prompt and typed fields.  An answer is checked against the fields when it is handed in, so
that a run is never woken by one it cannot use.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from quintet.engine.failures import EngineError
from quintet.engine.values import Json

FieldType: TypeAlias = Literal["text", "number", "integer", "boolean", "choice", "json"]


class WrongAnswer(EngineError):
    """An answer that does not fit its question."""

    code = "wrong-answer"


@dataclass(frozen=True, slots=True)
class Field:
    """One thing to fill in."""

    name: str
    type: FieldType = "text"
    required: bool = True
    choices: tuple[str, ...] = ()
    description: str = ""

    def problem(self, value: Json) -> str | None:
        """What is wrong with a value for this field, in words."""
        if self.type == "choice":
            return None if value in self.choices else f"{self.name} must be one of {', '.join(self.choices)}"
        return None if _FITS[self.type](value) else f"{self.name} must be {_WORDS[self.type]}"


@dataclass(frozen=True, slots=True)
class Question:
    """A prompt, and the fields of its answer; without fields any value answers it."""

    prompt: str
    fields: tuple[Field, ...] = ()

    def check(self, answer: Json) -> None:
        """Raises WrongAnswer with all that is wrong."""
        if not self.fields:
            return
        if not isinstance(answer, Mapping):
            raise WrongAnswer(
                "an answer gives a value for each of: " + ", ".join(f.name for f in self.fields)
            )
        problems = [p for field in self.fields if (p := _problem(field, answer))]
        known = {field.name for field in self.fields}
        problems += [f"there is no field {name!r}" for name in answer if name not in known]
        if problems:
            raise WrongAnswer("; ".join(problems))

    def to_json(self) -> dict[str, Json]:
        return {"prompt": self.prompt, "fields": [_field_to_json(f) for f in self.fields]}

    @classmethod
    def from_json(cls, data: Any) -> Question:
        return cls(data["prompt"], tuple(map(_field_from_json, data["fields"])))


@dataclass(frozen=True, slots=True)
class Asked:
    """A question that waits for its answer."""

    target: str
    """What an answer is addressed to: the path of a question, or the name of a gate."""
    question: Question


def _problem(field: Field, answer: Mapping[str, Json]) -> str | None:
    if field.name not in answer:
        return f"{field.name} is missing" if field.required else None
    return field.problem(answer[field.name])


def _field_to_json(field: Field) -> dict[str, Json]:
    return {
        "name": field.name,
        "type": field.type,
        "required": field.required,
        "choices": field.choices,
        "description": field.description,
    }


def _field_from_json(data: Any) -> Field:
    return Field(data["name"], data["type"], data["required"], tuple(data["choices"]), data["description"])


def _is_number(value: Json) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


_WORDS = {
    "text": "a text",
    "number": "a number",
    "integer": "a whole number",
    "boolean": "true or false",
    "json": "anything",
}
_FITS: dict[str, Callable[[Json], bool]] = {
    "text": lambda value: isinstance(value, str),
    "number": _is_number,
    "integer": lambda value: isinstance(value, int) and not isinstance(value, bool),
    "boolean": lambda value: isinstance(value, bool),
    "json": lambda value: True,
}
