"""Tuning: how a model is asked, beside what it is told; the parameters that settings and formats may give."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from quintet.engine.values import Json
from quintet.formats.kinds import ANYTHING, TRUTH, Number
from quintet.formats.shape import TEXT, Choice, Fields, Key, ListOf, Whole
from quintet.formats.tables import Table
from quintet.formats.tree import Entry, plain

MOST_TOKENS: Final = 2**32 - 1

PARAMETERS: Final[tuple[Key[object], ...]] = (
    Key("temperature", Number(0), None, "How freely the model chooses."),
    Key("max_tokens", Whole(1, MOST_TOKENS), None, "How long an answer may be."),
    Key("top_p", Number(0), None, "Of all words only those that make up this much likelihood."),
    Key("top_k", Whole(1, MOST_TOKENS), None, "Of all words only so many of the likeliest."),
    Key("seed", Whole(0, MOST_TOKENS), None, "The same seed makes the same choices, where a provider can."),
    Key("stop", ListOf(TEXT, "a text"), None, "Texts at which the answer ends."),
    Key("presence_penalty", Number(), None, "Against words that were used before."),
    Key("frequency_penalty", Number(), None, "Against words that were used often."),
    Key("parallel_tool_calls", TRUTH, None, "Whether several tools may be asked for at once."),
    Key("thinking", Choice(("minimal", "low", "medium", "high")), None, "How much it thinks before."),
    Key("timeout", Number(0), None, "Seconds without a sign of life after which a request is given up."),
    Key(
        "extra",
        Table(ANYTHING, "a table"),
        None,
        "Whatever else the provider takes: added to the body of the request.",
    ),
)
"""The parameters that there are, as settings and formats name them."""

NAMES: Final = frozenset(key.name for key in PARAMETERS)


def given(fields: Fields) -> dict[str, Json]:
    """Those that a map gives."""
    said = {key.name: plain(entry.value) for key in PARAMETERS if (entry := _entry(fields, key))}
    return {name: value for name, value in said.items() if value is not None}


def merged(*layers: Mapping[str, Json]) -> dict[str, Json]:
    """Parameters of several places; what comes first goes first."""
    found: dict[str, Json] = {}
    for layer in reversed(layers):
        found |= layer
    return found


def _entry(fields: Fields, key: Key[object]) -> Entry | None:
    return None if fields.wrong(key) else fields.map.entries.get(key.name)
