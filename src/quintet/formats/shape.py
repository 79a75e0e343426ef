"""Shape: which keys a map may have, and what may stand behind each.

A shape is stated once.  From it a map is read into typed values, with every problem reported at its place,
and from it the JSON Schema for editors is made, so that the two cannot drift apart.

    NAME = Key("name", TEXT, default="step", about="What the step is called.")
    SECONDS = Key("timeout_secs", Whole(low=0), default=120, about="…")
    STEP = Shape("a step", (NAME, SECONDS))

    fields = STEP.read(map, report)
    fields[NAME]        # a str

Reading never fails: a value that is wrong is reported, and its key's default stands in for it, so that all
that is wrong is found at once.  Whoever reads looks at the report before using what was read.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Generic, Protocol, TypeAlias, TypeVar

from quintet.engine.values import Json
from quintet.formats.codes import MISSING_KEY, OUT_OF_RANGE, UNKNOWN_KEY, UNKNOWN_VALUE, WRONG_TYPE
from quintet.formats.report import Report
from quintet.formats.tree import List, Map, Scalar, Spanned, Value, head, named_kind
from quintet.problems.wording import did_you_mean, one_of, quoted

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)
Schema: TypeAlias = dict[str, Json]


class Wrong(Exception):
    """A value is not of its kind; the report says so."""


class Kind(Protocol[T_co]):
    """What may stand behind a key."""

    def read(self, value: Value, name: str, report: Report) -> T_co:
        """The value.  Raises Wrong, with the problem reported, where it is none of this kind."""
        ...

    def schema(self) -> Schema:
        """The same as JSON Schema."""
        ...


@dataclass(frozen=True, slots=True)
class Key(Generic[T_co]):
    """One key of a shape."""

    name: str
    kind: Kind[T_co]
    default: T_co
    """What holds where the key is absent; for a required key only a stand-in."""
    about: str
    required: bool = False


# --- kinds --------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Text:
    def read(self, value: Value, name: str, report: Report) -> str:
        if isinstance(value, Scalar) and isinstance(value.value, str):
            return value.value
        raise wrong_type(value, name, "a text", report)

    def schema(self) -> Schema:
        return {"type": "string"}


@dataclass(frozen=True, slots=True)
class OrNull(Generic[T]):
    """Another kind, or null."""

    kind: Kind[T]

    def read(self, value: Value, name: str, report: Report) -> T | None:
        if isinstance(value, Scalar) and value.value is None:
            return None
        return self.kind.read(value, name, report)

    def schema(self) -> Schema:
        return {"anyOf": [self.kind.schema(), {"type": "null"}]}


@dataclass(frozen=True, slots=True)
class Whole:
    """A whole number."""

    low: int
    high: int

    def read(self, value: Value, name: str, report: Report) -> int:
        match value:
            case Scalar(bool()):
                raise wrong_type(value, name, "a whole number", report)
            case Scalar(int(number)) if self.low <= number <= self.high:
                return number
            case Scalar(int(number)):
                limits = f"from {self.low:,} to {self.high:,}"
                report.add(OUT_OF_RANGE, f"{quoted(name)} must be {limits}, and is {number}", value)
                raise Wrong
            case _:
                raise wrong_type(value, name, "a whole number", report)

    def schema(self) -> Schema:
        return {"type": "integer", "minimum": self.low, "maximum": self.high}


@dataclass(frozen=True, slots=True)
class Choice:
    """One of a few words."""

    words: Sequence[str]

    def read(self, value: Value, name: str, report: Report) -> str:
        if not (isinstance(value, Scalar) and isinstance(value.value, str)):
            raise wrong_type(value, name, f"a text: {one_of(self.words)}", report)
        if value.value not in self.words:
            raise unknown_word(value.value, name, self.words, value, report)
        return value.value

    def schema(self) -> Schema:
        return {"enum": list(self.words)}


@dataclass(frozen=True, slots=True)
class ListOf(Generic[T]):
    """A list, each item of one kind.  What is wrong with one item does not hide the others."""

    item: Kind[T]
    noun: str
    """What messages call an item: `a step`."""

    def read(self, value: Value, name: str, report: Report) -> tuple[T, ...]:
        if not isinstance(value, List):
            raise wrong_type(value, name, "a list", report)
        return tuple(self._items(value, report))

    def _items(self, value: List, report: Report) -> Iterable[T]:
        for item in value.items:
            try:
                yield self.item.read(item, self.noun, report)
            except Wrong:
                continue

    def schema(self) -> Schema:
        return {"type": "array", "items": self.item.schema()}


TEXT = Text()


# --- maps ---------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Shape:
    """The keys of a map; itself a kind."""

    noun: str
    keys: Sequence[Key[object]]
    hints: Mapping[str, str] = field(default_factory=dict[str, str])
    """For keys that do not belong here but are written here: what to do about them."""
    rules: Schema = field(default_factory=dict[str, Json])
    """What the JSON Schema says beyond the keys."""
    passing: str = ""
    """Keys that begin so may be anything, and mean nothing here."""

    def read(self, value: Value, name: str, report: Report) -> Fields:
        if not isinstance(value, Map):
            raise wrong_type(value, name, "a map", report)
        return Fields(self, value, report)

    def schema(self) -> Schema:
        required = [key.name for key in self.keys if key.required]
        return {
            "type": "object",
            "properties": {key.name: _described(key) for key in self.keys},
            **({"required": required} if required else {}),
            **({"patternProperties": {f"^{self.passing}": {}}} if self.passing else {}),
            "additionalProperties": False,
            **self.rules,
        }


class Fields:
    """What a map says, read by its shape."""

    def __init__(self, shape: Shape, value: Map, report: Report) -> None:
        self.map = value
        self._wrong: set[str] = set()
        self._read = {key.name: self._value(key, shape, report) for key in shape.keys}
        for name, entry in value.entries.items():
            passes = shape.passing and name.startswith(shape.passing)
            if name not in self._read and not passes and not report.full(UNKNOWN_KEY):
                hint = shape.hints.get(name) or did_you_mean(name, self._read)
                report.add(UNKNOWN_KEY, f"{shape.noun} has no key {quoted(name)}", entry.key, hint)

    def __getitem__(self, key: Key[T]) -> T:
        read: T = self._read[key.name]  # pyright: ignore[reportAssignmentType]: the key's own kind read it
        return read

    def given(self, key: Key[T]) -> bool:
        """Whether the file has the key."""
        return key.name in self.map.entries

    def place(self, key: Key[T]) -> Spanned | None:
        """Where the value of a key stands, if the file has it."""
        return self.map.get(key.name)

    def wrong(self, *keys: Key[object]) -> bool:
        """Whether a default stands in for what is wrong or missing at one of the keys, or at any."""
        return any(key.name in self._wrong for key in keys) if keys else bool(self._wrong)

    def at(self, key: Key[T]) -> Spanned:
        """Where the value of a key stands, or else the map itself."""
        found = self.map.entries.get(key.name)
        return head(self.map) if found is None else found.value

    def key_at(self, key: Key[T]) -> Spanned:
        """Where the key itself stands, or else its map."""
        found = self.map.entries.get(key.name)
        return head(self.map) if found is None else found.key

    def _value(self, key: Key[T], shape: Shape, report: Report) -> T:
        found = self.map.get(key.name)
        if found is None:
            if key.required:
                self._wrong.add(key.name)
                hint = f"add it: {key.about[:1].lower()}{key.about[1:].removesuffix('.')}"
                report.add(
                    MISSING_KEY, f"{shape.noun} needs the key {quoted(key.name)}", head(self.map), hint
                )
            return key.default
        try:
            return key.kind.read(found, key.name, report)
        except Wrong:
            self._wrong.add(key.name)
            return key.default


def wrong_type(value: Value, name: str, wanted: str, report: Report) -> Wrong:
    """Reports that a value is of another kind."""
    at = value if isinstance(value, Scalar) else head(value)
    subject = name if name.startswith(("a ", "an ", "the ")) else quoted(name)
    report.add(
        WRONG_TYPE, f"{subject} must be {wanted}, and is {named_kind(value)}", at, _mended(value, wanted)
    )
    return Wrong()


def unknown_word(word: str, name: str, known: Sequence[str], at: Spanned, report: Report) -> Wrong:
    """Reports that a word is none of those that can stand here."""
    if not report.full(UNKNOWN_VALUE):
        message = f"{quoted(name)} must be {one_of(known)}, and is {quoted(word)}"
        report.add(UNKNOWN_VALUE, message, at, did_you_mean(word, known))
    return Wrong()


def _mended(value: Value, wanted: str) -> str:
    """How to write a scalar so that it is of the kind that is wanted."""
    match value:
        case Scalar(str(text)) if wanted == "a whole number" and text.strip().isdecimal() and len(text) < 20:
            return f"write {text.strip()} without quotes"
        case Scalar(float(number)) if wanted == "a whole number" and number.is_integer():
            return f"write {int(number)}"
        case Scalar(bool() | int() | float()) if wanted == "a text":
            return "put it in quotes"
        case Scalar(None):
            return "leave it out, or say what it is"
        case _:
            return _SUCH_AS.get(wanted, "")


_SUCH_AS = {
    "a text": 'write one text: "…"',
    "a whole number": "write a number, such as 5",
    "a number": "write a number, such as 0.5",
    "a list": "write a list: […]",
    "a map": "write a map: {…}",
    "true or false": "write true or false, without quotes",
}
"""For what cannot be mended as it stands."""


def _described(key: Key[object]) -> Schema:
    schema: Schema = {"description": key.about, **key.kind.schema()}
    if not key.required and isinstance(key.default, str | int | None):
        schema["default"] = key.default
    return schema
