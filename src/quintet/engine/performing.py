"""Performing: what a host hands over when a touch is to be performed."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias

from quintet.engine.events import Kind
from quintet.engine.paths import Path
from quintet.engine.touches import Touch
from quintet.engine.values import Json

Say: TypeAlias = Callable[[str], None]
"""Shows people a piece of what is coming, while it comes; it is never recorded."""
RESTART: Final = ""
"""The piece that takes back what was said so far: it begins anew."""
Rest: TypeAlias = Callable[[], AbstractContextManager[object]]
"""While a performer is in it, it waits for its turn, and no time limit runs on its account."""


def unheard(piece: str) -> None:
    """Nobody is listening."""


@dataclass(frozen=True, slots=True)
class Call:
    """A touch, as whoever performs it is given it."""

    run_id: str
    path: Path
    kind: Kind
    name: str
    """The key of the touch; of an effect the name of the service that is asked."""
    request: Json
    idempotency_key: str
    """To be passed on to the outside, so that what is performed twice takes effect once."""
    say: Say = field(default=unheard, compare=False, repr=False)
    resting: Rest = field(default=nullcontext, compare=False, repr=False)

    @classmethod
    def of(
        cls,
        run_id: str,
        touch: Touch,
        idempotency_key: str,
        say: Say = unheard,
        resting: Rest = nullcontext,
    ) -> Call:
        name, request = touch.name, touch.request
        if touch.kind == "effect":
            effect: Any = request
            name, request = effect["name"], effect["data"]
        return cls(run_id, touch.path, touch.kind, name, request, idempotency_key, say, resting)
