"""Golden logs as files: one JSON object, an event a line, so that a difference can be read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from quintet.engine.events import Event
from quintet.engine.paths import parse, write
from quintet.engine.values import decode, encode
from tests.golden.stories import Story

HERE = Path(__file__).parent


@dataclass(frozen=True, slots=True)
class Golden:
    """A log that was recorded by a release."""

    release: str
    story: str
    log: Sequence[Event]

    @property
    def name(self) -> str:
        return f"{self.release}-{self.story}"


def record(story: Story) -> list[Event]:
    """What a story's log is under the release that runs now."""
    host = story.host(faults=story.faults)
    return host.logs[story.tell(host, story)].events


def read(path: Path) -> Golden:
    data: Any = decode(path.read_text(encoding="utf-8"))
    return Golden(data["release"], data["story"], [_event(row) for row in data["log"]])


def text(golden: Golden) -> str:
    """What the file of a log holds."""
    rows = ",\n".join(f"  {encode(_row(event))}" for event in golden.log)
    head = f'{{\n "release": {encode(golden.release)},\n "story": {encode(golden.story)},\n'
    return f'{head} "log": [\n{rows}\n ]\n}}\n'


def _row(event: Event) -> list[Any]:
    data = decode(event.data)
    assert encode(data) == event.data
    return [event.seq, event.time, event.kind, write(event.path), event.cause, data, event.fingerprint]


def _event(row: Any) -> Event:
    seq, time, kind, path, cause, data, fingerprint = row
    return Event(seq, time, kind, parse(path), cause, encode(data), fingerprint)


GOLDEN: list[Golden] = [read(path) for path in sorted(HERE.glob("*.json"))]
