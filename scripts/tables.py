"""Tables: what the pages say of settings and of providers, from the very shapes that settings are read by."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple, cast

from quintet.agents.manifest import AGENT
from quintet.agents.models.providers import FAVOURITES, PROVIDERS
from quintet.formats.shape import Key, OrNull, Shape
from quintet.formats.tables import Table
from quintet.project import SETTINGS

DAEMON = "Concerns OpenFang's daemon."
"""What is said of keys that may stand there and mean nothing here."""


def table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    lines = [head, ("---",) * len(head), *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def providers() -> str:
    """Those that are looked for, in their order, and all others."""
    first = [(f"`{name}`", _keys(name), f"`{PROVIDERS[name].small}`") for name in FAVOURITES]
    keyed = [name for name, one in PROVIDERS.items() if one.keys and name not in FAVOURITES]
    others = [(f"`{name}`", _keys(name), "") for name in sorted(keyed)]
    head = ("provider", "key", "asked where nobody names a model")
    without = ", ".join(f"`{name}`" for name in sorted(PROVIDERS) if not PROVIDERS[name].keys)
    return f"{table(head, [*first, *others])}\nKnown, too, and reached without such a variable: {without}.\n"


def _keys(name: str) -> str:
    return " or ".join(f"`{key}`" for key in PROVIDERS[name].keys)


class Section(NamedTuple):
    """A table of the settings."""

    heading: str
    """As TOML writes it; nothing for the keys above all tables."""
    shape: Shape

    def __str__(self) -> str:
        known = [key for key in self.shape.keys if key.about != DAEMON]
        rows = [(f"`{key.name}`", _kind(key), _about(key)) for key in known]
        rest = [f"`{key.name}`" for key in self.shape.keys if key.about == DAEMON]
        if rest:
            rows.append((", ".join(rest), "anything", DAEMON))
        return table(("key", "value", ""), rows)


def sections() -> Mapping[str, Section]:
    """Every table that settings may have, by a name made of words."""
    found = [Section("", SETTINGS), *_within("", SETTINGS)]
    return {" ".join(("settings", *one.heading.lower().split("."))).strip(): one for one in found}


def _within(heading: str, shape: Shape) -> Iterator[Section]:
    for key in shape.keys:
        inner, many = _shape(key)
        if inner is not None:
            own = ".".join(filter(None, (heading, key.name, "NAME" if many else "")))
            yield Section(own, inner)
            yield from _within(own, inner)


def _shape(key: Key[object]) -> tuple[Shape | None, bool]:
    """The shape behind a key, and whether there may be many of it by names."""
    kind = key.kind.kind if isinstance(key.kind, OrNull) else key.kind
    match kind:
        case Shape():
            return kind, False
        case Table(kind=Shape() as inner):
            return inner, True
        case _ if key.name == "agents":  # read by the manifest's own shape
            return AGENT, True
        case _:
            return None, False


def _about(key: Key[object]) -> str:
    words = key.about
    if key.required:
        words += " Required."
    if isinstance(key.default, bool):
        words += f" Otherwise `{str(key.default).lower()}`."
    return words.replace("|", "\\|")


def _kind(key: Key[object]) -> str:
    inner, many = _shape(key)
    return ("tables by name" if many else "a table") if inner is not None else _words(key.kind.schema())


def _words(schema: Mapping[str, Any]) -> str:
    """A kind of value, as a person says it."""
    match schema:
        case {"anyOf": [inner, {"type": "null"}]}:
            return _words(cast("Mapping[str, Any]", inner))
        case {"enum": words}:
            return ", ".join(f"`{word}`" for word in cast("list[str]", words))
        case {"type": "array", "items": {"type": "object"}}:
            return "a list of tables"
        case {"type": "array"}:
            return "a list of texts"
        case {"type": "object"}:
            return "a table of texts"
        case {"type": "integer", "minimum": low}:
            return f"a whole number from {low}"
        case {"type": "number", "minimum": low}:
            return f"a number from {low:g}"
        case {"type": str(kind)}:
            return {"string": "a text", "number": "a number", "boolean": "`true` or `false`"}[kind]
        case _:
            return "anything"
