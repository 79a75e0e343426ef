"""Calls: which call of its name a touch is, counted over all lives of a run.

A touch keeps its number when it is performed again, so the numbers are read from the log: its starts stand
there in the order in which they began.  The last of them may be missing, of touches that were begun in the
moment before the process died; they begin again in the same order, and so get the same numbers.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from typing import TypeAlias

from quintet.agents.acting import name_of
from quintet.agents.roster import Roster
from quintet.engine.events import KIND_OF_OUTCOME, KIND_OF_START, Event
from quintet.engine.paths import Path
from quintet.engine.performing import Call
from quintet.engine.values import decode

Read: TypeAlias = Callable[[str], Awaitable[Sequence[Event]]]
"""Reads the starts and outcomes in the log of a run, in their order."""


class Calls:
    """The numbers of the calls of one run."""

    def __init__(self, read: Read, roster: Roster, earlier: Mapping[str, int] | None = None) -> None:
        """Start counting.

        Args:
            read: Reads the log of the run, if it was begun before.
            roster: Knows which agents are the same.
            earlier: How often each name was called in vain by a run that this one does again.
        """
        self._read, self._roster = read, roster
        self._counts = dict(earlier or {})
        self._numbers: dict[Path, int] = {}
        self._heard: list[Event] | None = []
        """What was added to the log since; None once the log itself is known."""
        self._reading = asyncio.Lock()

    def hear(self, events: Sequence[Event]) -> None:
        """What was added to the log."""
        if self._heard is None:
            self._count(events)
        elif events[0].seq == 1:
            self._heard = None
            self._count(events)
        else:
            self._heard += events

    async def number(self, call: Call) -> int:
        """The number of a call, from 1."""
        async with self._reading:
            if self._heard is not None:
                self._count(await self._read(call.run_id))
                self._count(self._heard)
                self._heard = None
        if call.path not in self._numbers:
            self._begin(call.path, name_of(call.kind, call.request, self._roster))
        return self._numbers[call.path]

    def _count(self, events: Iterable[Event]) -> None:
        for event in events:
            kind = KIND_OF_START.get(event.kind)
            if kind in ("model", "tool"):
                if event.path not in self._numbers:  # else it has begun here, before its start was kept
                    self._begin(event.path, name_of(kind, decode(event.data), self._roster))
            elif event.kind in KIND_OF_OUTCOME:
                self._numbers.pop(event.path, None)

    def _begin(self, path: Path, name: str) -> None:
        self._numbers[path] = self._counts[name] = self._counts.get(name, 0) + 1


def names_called(events: Iterable[Event], roster: Roster) -> Iterator[str]:
    """What was called, once for each time."""
    for event in events:
        kind = KIND_OF_START.get(event.kind)
        if kind in ("model", "tool"):
            yield name_of(kind, decode(event.data), roster)
