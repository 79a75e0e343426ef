"""Rules: how a host treats the touches of its runs, where that is no business of the program."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from quintet.engine.gates import Bookkeeper, Gatekeeper
from quintet.engine.redaction import Redactor
from quintet.engine.touches import Touch


def no_touch(touch: Touch) -> bool:
    """The rule that holds for none."""
    return False


@dataclass(frozen=True, slots=True)
class Rules:
    """What a host decides about touches."""

    gatekeepers: tuple[Gatekeeper, ...] = ()
    """Who may hold a touch before it is performed, in the order in which they are asked."""
    bookkeepers: tuple[Bookkeeper, ...] = ()
    """Those among them who have to know what came of it."""
    is_unsafe: Callable[[Touch], bool] = no_touch
    """Whether a touch may not simply be repeated when it was interrupted."""
    redactor: Redactor = field(default_factory=Redactor)
    """What must never be recorded."""


DEFAULT_RULES = Rules()
