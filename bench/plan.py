"""The plan: how much is measured, where its files live, and beside whom."""

from __future__ import annotations

import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from bench.peer import Peer


@dataclass(frozen=True, slots=True)
class Plan:
    folder: Path
    """On the disk that is measured."""
    peer: Peer | None
    """None where its environment was not made."""
    rounds: int = 5
    divisor: int = 1
    """A smoke test does the same with so many times less."""

    def count(self, full: int) -> int:
        return max(2, full // self.divisor)

    @contextmanager
    def place(self) -> Generator[Path]:
        """A new folder for one contender in one round."""
        with tempfile.TemporaryDirectory(dir=self.folder) as place:
            yield Path(place)
