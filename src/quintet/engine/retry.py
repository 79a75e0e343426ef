"""Retry policies: data that says whether and when to try again, interpreted here for every format."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import blake2b

from quintet.engine.failures import Failure


@dataclass(frozen=True, slots=True)
class Policy:
    """How often to try, how long to wait in between, and after which failures."""

    attempts: int = 1
    """How often in all: 1 means no retry."""
    delay: float = 0.0
    """Seconds before the second attempt."""
    factor: float = 1.0
    """What the wait is multiplied by each time: 1 is a fixed wait, 2 doubles it."""
    longest: float = 3600.0
    """No wait is longer than this."""
    jitter: float = 0.0
    """Which part of a wait is left to chance: 0.5 waits between a half and the whole of it."""
    kinds: frozenset[str] | None = None
    """Only failures of these kinds are tried again; None for all."""

    def again(self, attempt: int, failure: Failure) -> bool:
        """Whether to try again when an attempt (1, 2, …) has failed."""
        return attempt < self.attempts and (self.kinds is None or failure.kind in self.kinds)

    def wait(self, attempt: int, seed: str) -> float:
        """Seconds to wait after an attempt.  The same seed draws the same chance, in every replay."""
        whole = min(self._growth(attempt), self.longest)
        return whole * (1.0 - self.jitter * _chance(f"{seed}:{attempt}"))

    def _growth(self, attempt: int) -> float:
        if not self.delay:
            return 0.0
        try:
            return self.delay * float(self.factor) ** (attempt - 1)
        except OverflowError:
            return self.longest


def _chance(seed: str) -> float:
    """A number from 0 to 1 that depends on nothing but the seed."""
    digest = blake2b(seed.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "big") / 2**64
