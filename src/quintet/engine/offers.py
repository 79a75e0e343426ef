"""Offers: outcomes of an earlier run that a new one may take instead of performing a touch.

They are offered in their order, so that whatever hung on the order comes out as it did.  One that is offered
before its touch is open stays on offer until it is: a step that failed may stand in a queue before others
that had completed.  So that a new life of the run is offered the same, what is left is in `run.created`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from typing import Any

from quintet.engine.events import KIND_OF_OUTCOME, OUTCOMES, Event, Kind
from quintet.engine.paths import Path, parse, without_attempts, write
from quintet.engine.touches import Touch
from quintet.engine.values import Json, decode, encode


class Offers:
    """What is on offer, by the touch that it is for."""

    def __init__(self, left: Sequence[Any] = (), *, changed: bool = False) -> None:
        """`left` is what `to_json` gave; with `changed`, a touch takes its outcome whatever it asks now."""
        self._changed = changed
        self._events: dict[tuple[Kind, Path], Event] = {}
        self._attempts: Counter[Path] = Counter()
        """How many of them were given within attempts, by their paths without these."""
        for offer in left:
            self.put(_from_json(offer))

    def fits(self, event: Event, touch: Touch) -> bool:
        """Whether a touch may take this outcome, which has its path and kind."""
        return self._changed or touch.fingerprint == event.fingerprint

    def put(self, event: Event) -> None:
        """Keep an outcome on offer.  A time limit strikes in its turn or not at all: others hang on when."""
        if event.kind != OUTCOMES["deadline"]:
            self._events[KIND_OF_OUTCOME[event.kind], event.path] = event
            self._count(event.path, 1)

    def has_another_attempt(self, path: Path) -> bool:
        """Whether something is on offer that another attempt has given for the same."""
        return bool(self._attempts) and self._attempts[without_attempts(path)] > 0

    def take(self, touch: Touch) -> Event | None:
        """The outcome for a touch that has just been opened, if there is one that fits."""
        if not self._events:
            return None
        event = self._events.pop((touch.kind, touch.path), None)
        if event is None:
            return None
        self._count(event.path, -1)
        return event if self.fits(event, touch) else None

    def _count(self, path: Path, change: int) -> None:
        if any(segment.attempt for segment in path):
            self._attempts[without_attempts(path)] += change

    @property
    def events(self) -> Collection[Event]:
        """What is left, as outcomes that were taken over."""
        return self._events.values()

    def to_json(self) -> list[Json]:
        """What is left."""
        return [_to_json(event) for event in self._events.values()]


def taken_over(event: Event, run: str) -> Event:
    """The outcome as another run takes it over: it says where and when it was first recorded."""
    data: Any = decode(event.data)
    data.setdefault("taken", {"run": run, "seq": event.seq, "time": event.time})
    return event._replace(data=encode(data))


def _to_json(event: Event) -> Json:
    return {
        "kind": event.kind,
        "path": write(event.path),
        "data": event.data,
        "fingerprint": event.fingerprint,
    }


def _from_json(data: Any) -> Event:
    return Event(0, 0.0, data["kind"], parse(data["path"]), 0, data["data"], data["fingerprint"])
