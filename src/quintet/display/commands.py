"""Commands: what to type next.

Ids are shortened where people read them, and complete where they copy them.
"""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, cast

from quintet.engine.values import Json
from quintet.record import Open

SHORT = 8
_SHORT_ENOUGH = 14


def short(run_id: str) -> str:
    """As much of an id as tells it from others; one that a person chose is left as it is."""
    return run_id if len(run_id) <= _SHORT_ENOUGH else run_id[:SHORT]


def apart(ids: Sequence[str]) -> dict[str, str]:
    """Each of several ids, shortened so that all of them differ."""
    ordered = sorted(set(ids))
    needed = max([SHORT, *(_same(*pair) + 1 for pair in pairwise(ordered))])
    return {one: one if len(one) <= _SHORT_ENOUGH else one[:needed] for one in ids}


def _same(one: str, other: str) -> int:
    """How many characters two ids begin with alike."""
    pairs = zip(one, other, strict=False)
    return next((number for number, (a, b) in enumerate(pairs) if a != b), min(len(one), len(other)))


@dataclass(frozen=True, slots=True)
class Commands:
    """What can be done with a run."""

    run_id: str
    store: str = ""
    """Where it is kept, if that must be said: the value of `--store`."""

    def to(self, verb: str, *more: str) -> str:
        """`quintet VERB RUN …`."""
        store = ("--store", self.store) if self.store else ()
        return shlex.join(("quintet", verb, self.run_id, *more, *store))

    def answer(self, question: Open, *, several: bool = False) -> str:
        """The command that answers a question, with values to replace."""
        at = ("--question", question.path) if several else ()
        return self.to("answer", *map(_filled, cast("Sequence[Any]", question.fields)), *at)


def _filled(field: dict[str, Json]) -> str:
    """A field with a value of its type: `decision=yes`."""
    choices = cast("Sequence[str]", field.get("choices") or ())
    value = choices[0] if choices else _EXAMPLES.get(str(field.get("type")), "TEXT")
    return f"{field['name']}={value}"


_EXAMPLES = {"number": "NUMBER", "integer": "NUMBER", "boolean": "true", "json": "JSON"}
