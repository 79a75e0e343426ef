"""Orders: what a run that is being worked on asks of its host."""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

from quintet.engine.touches import Touch


class Perform(NamedTuple):
    """Perform this touch: call `begin` once it really starts, and `settle` or `halted` when it has ended."""

    touch: Touch


class Halt(NamedTuple):
    """Stop performing this touch."""

    touch: Touch


class Arm(NamedTuple):
    """Strike this alarm after so many seconds."""

    alarm: Touch
    seconds: float


class Disarm(NamedTuple):
    """Do not strike this alarm after all."""

    alarm: Touch


Order: TypeAlias = Perform | Halt | Arm | Disarm
