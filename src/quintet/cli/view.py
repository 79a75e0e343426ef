"""View: what people see of a run while it works.

On a terminal that is the live tree; in a pipe, or where the output goes elsewhere, a line for each thing that
happens.  Either goes to standard error.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Literal, Protocol, TextIO, TypeAlias

from quintet.cli.outlet import Outlet
from quintet.cli.screen import can_show, columns, is_terminal, painter, say
from quintet.display.rows import GLYPHS, Row, lines
from quintet.runs.chronicle import Chronicle

if TYPE_CHECKING:
    from quintet.display.terminal import Terminal
    from quintet.engine.events import Event
    from quintet.engine.paths import Path
    from quintet.engine.states import Shown
    from quintet.record import Run
    from quintet.runs.pinned import Pinned
    from quintet.runs.workshop import Workshop
    from quintet.workflow import Graph, Workflow

Kind: TypeAlias = Literal["live", "plain", "none"]


class _Display(Protocol):
    def kept(self, run_id: str, events: Sequence[Event]) -> None: ...
    def said(self, run_id: str, path: Path, piece: str) -> None: ...
    def start(self) -> None: ...
    def stop(self, status: Shown | None = None) -> None: ...


class View:
    """The audience of one run.

    What it hears before it is opened is not lost: a run begins before anybody knows which it is.
    """

    def __init__(
        self, kind: Kind, store: str = "", *, hint: str = "", models: Mapping[str, str] | None = None
    ) -> None:
        self._kind, self._store, self._hint, self._models = kind, store, hint, models or {}
        self._early: list[Sequence[Event]] = []
        self._display: _Display | None = None
        self._outlet: Outlet | None = None
        self.model = ""
        self.graph: Graph | None = None

    # The audience

    def kept(self, run_id: str, events: Sequence[Event]) -> None:
        if self._display is not None:
            self._display.kept(run_id, events)
        elif self._kind != "none":
            self._early.append(events)

    def said(self, run_id: str, path: Path, piece: str) -> None:
        if self._display is not None:
            self._display.said(run_id, path, piece)

    # The view

    async def open(self, workshop: Workshop, run_id: str) -> int:
        """Show a run as it is and, from now on, what happens to it; gives its last event so far."""
        log = await workshop.store.log(run_id)
        last = self._last_before(log)
        chronicle = Chronicle(run_id)
        chronicle.hear(event for event in log if event.seq <= last)
        workflow = workflow_of(chronicle.pinned)
        self.graph = None if workflow is None else workflow.graph
        self.model = _told(chronicle.pinned, workflow, self._models)
        if self._kind == "none":
            return last
        display = self._display = self._made(chronicle)
        display.start()
        for events in self._early:
            display.kept(run_id, [event for event in events if event.seq > last])
        self._early.clear()
        return last

    def close(self, status: Shown | None = None) -> None:
        """Nothing more happens; `status` is what people see where the log does not tell it."""
        if self._display is not None:
            self._display.stop(status)
            self._display = None
        if self._outlet is not None:
            self._outlet.close()
            self._outlet = None

    def set_apart(self) -> None:
        """An empty line between a picture and what follows it."""
        if self._kind == "live":
            say_quietly("")

    def _last_before(self, log: Sequence[Event]) -> int:
        """Where the past ends: with what a new run has taken over, or before the first that we heard of."""
        if not self._early:
            return log[-1].seq
        first = self._early[0]
        return first[-1].seq if first[0].seq == 1 else first[0].seq - 1

    def _made(self, chronicle: Chronicle) -> _Display:
        if self._kind == "live":
            from quintet.display.live import HINT, Live

            hint = self._hint or HINT
            return Live(chronicle, _terminal(), self.graph, model=self.model, store=self._store, hint=hint)
        from quintet.display.plain import Plain

        self._outlet = Outlet(sys.stderr)
        return Plain(chronicle, self._outlet.line, store=self._store, model=self.model)


def kind_here() -> Kind:
    """How a run is shown here."""
    both = is_terminal(sys.stdout) and is_terminal(sys.stderr)
    return "live" if both and os.environ.get("TERM") != "dumb" else "plain"


def graph_of(pinned: Pinned | None) -> Graph | None:
    """The shape of a run's workflow, unless this release cannot read it any more."""
    workflow = workflow_of(pinned)
    return None if workflow is None else workflow.graph


def workflow_of(pinned: Pinned | None) -> Workflow | None:
    """The workflow of a run, unless this release cannot read it any more."""
    from quintet.formats.invalid import InvalidFile
    from quintet.formats.registry import UnknownFormat
    from quintet.runs import definitions

    if pinned is None:
        return None
    try:
        return definitions.workflow_of(pinned.definition, pinned.format, pinned.lenient)
    except (InvalidFile, UnknownFormat):
        return None


def _told(pinned: Pinned | None, workflow: Workflow | None, models: Mapping[str, str]) -> str:
    """Which models answer, and why those; `models` are those that the call has named."""
    if pinned is None or workflow is None:
        return ""
    from quintet.runs.models import agents_of, told
    from quintet.runs.pinned import Overrides

    return told(pinned.overridden(Overrides(models=models)), agents_of(workflow))


def say_ending(run: Run, view: View, *, store: str, kept: bool) -> None:
    """The last lines: what it cost, and the command that goes on."""
    from quintet.display.ending import ending

    now, model = time.time(), view.model
    rows = ending(run, view.graph, columns(sys.stderr), now=now, store=store, model=model, kept=kept)
    say_quietly(drawn(rows, sys.stderr))


def say_quietly(text: str) -> None:
    """A line for the person at the screen, who may have left."""
    with suppress(OSError, ValueError):
        say(text)


def drawn(rows: Sequence[Row], stream: TextIO) -> str:
    """Rows as text for a stream."""
    return lines(rows, painter(stream), ascii_only=not can_show(GLYPHS, stream))


def _terminal() -> Terminal:
    from quintet.display.terminal import Terminal

    stream = sys.stderr
    return Terminal(stream, _size, painter(stream), ascii_only=not can_show(GLYPHS, stream))


def _size() -> tuple[int, int]:
    try:
        height = os.get_terminal_size(sys.stderr.fileno()).lines
    except (OSError, ValueError):
        height = 0
    return columns(sys.stderr), height or 24
