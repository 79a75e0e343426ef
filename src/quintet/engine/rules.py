"""Rules: how a host treats the touches of its runs, where that is no business of the program."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from quintet.engine.gates import Gatekeeper, Ledger
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
    ledgers: tuple[Callable[[], Ledger], ...] = ()
    """Makes those, for each run anew, who have to know what came of it; they are asked last."""
    is_unsafe: Callable[[Touch], bool] = no_touch
    """Whether a touch may not simply be repeated when it was interrupted."""
    redactor: Redactor = field(default_factory=Redactor)
    """What must never be recorded."""


DEFAULT_RULES = Rules()
