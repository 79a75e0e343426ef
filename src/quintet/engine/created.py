"""The first event of a log: all that decides what a run will ask of the world."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any

from quintet import __version__
from quintet.engine.events import Event
from quintet.engine.programs import Program, Unsupported
from quintet.engine.redaction import Redactor
from quintet.engine.values import Json, decode, encode


@dataclass(frozen=True, slots=True)
class Created:
    """What `run.created` says."""

    program: str
    versions: Mapping[str, int]
    release: str
    """The release that recorded it, to be named when a later one cannot replay it."""
    arguments: Json
    origin: str
    """The first run of a chain of retries: idempotency keys hang on it."""
    began: float
    """What `now()` tells at the start; a run that takes outcomes over begins when they did."""
    renewed: Mapping[str, int] = field(default_factory=dict[str, int])
    """How often earlier runs of that chain have renewed the key of a path."""
    offers: Sequence[Json] = ()
    """Outcomes of an earlier run that touches of this one may still take (see `engine.offers`)."""
    cut: Sequence[str] = ()
    """Paths, without attempts, at which an earlier run has begun something whose end nobody knows."""
    takes_changed: bool = False
    """Whether a touch takes such an outcome whatever it asks now."""
    pinned: Mapping[str, Json] = field(default_factory=dict[str, Json])
    """Texts that the run was made from: its definition and whatever that refers to."""

    @classmethod
    def of(
        cls,
        program: Program,
        arguments: Json,
        *,
        origin: str,
        now: float,
        pinned: Mapping[str, Json] | None = None,
    ) -> Created:
        """What a new run of a program says."""
        return cls(
            program.name, program.recorded, __version__, arguments, origin, began=now, pinned=pinned or {}
        )

    @classmethod
    def from_event(cls, event: Event) -> Created:
        """Raises Unsupported if it says what only a newer release can know."""
        data: Any = decode(event.data)
        unknown = data.keys() - {field.name for field in fields(cls)}
        if unknown:
            raise Unsupported(
                f"recorded by release {data['release']}, which says what {__version__} does not know: "
                + ", ".join(sorted(unknown))
            )
        return cls(**data)

    @property
    def recorder(self) -> str:
        """Who recorded the run, in words."""
        versions = "".join(f", {part} version {number}" for part, number in self.versions.items())
        return f"{self.program!r}{versions} of release {self.release}"

    def first_events(self, now: float, redactor: Redactor) -> list[Event]:
        """How the log of the run begins."""
        said = {field.name: getattr(self, field.name) for field in fields(self)}
        created = Event(1, now, "run.created", (), 0, encode(redactor.value(said)))
        return [created, Event(2, now, "run.started", (), 0, "null")]
