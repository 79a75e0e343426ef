"""Quintet: one durable engine for five text formats of agent workflows.

A workflow is a program, and a run is its log: whatever a program learns from the world is recorded before
the program sees it, so that a run can be resumed, forked, shown or moved by reading its log again.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from quintet.api import Workflow, load, run, run_sync
    from quintet.formats.invalid import InvalidFile
    from quintet.record import Run, Step, Trouble, Usage
    from quintet.runs.live import Event, LiveRun
    from quintet.runs.workshop import Workshop
    from quintet.workflow import WrongInput

__version__ = "0.1.0"

__all__ = [
    "Event",
    "InvalidFile",
    "LiveRun",
    "Run",
    "Step",
    "Trouble",
    "Usage",
    "Workflow",
    "Workshop",
    "WrongInput",
    "load",
    "run",
    "run_sync",
]

_HOMES = {
    "Event": "quintet.runs.live",
    "InvalidFile": "quintet.formats.invalid",
    "LiveRun": "quintet.runs.live",
    "Run": "quintet.record",
    "Step": "quintet.record",
    "Trouble": "quintet.record",
    "Usage": "quintet.record",
    "Workflow": "quintet.api",
    "Workshop": "quintet.runs.workshop",
    "WrongInput": "quintet.workflow",
    "load": "quintet.api",
    "run": "quintet.api",
    "run_sync": "quintet.api",
}


if not TYPE_CHECKING:  # type checkers would take any name then

    def __getattr__(name: str) -> object:
        """Each name is imported when it is first used: most of what imports this needs only a part."""
        if name not in _HOMES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        value = globals()[name] = getattr(import_module(_HOMES[name]), name)
        return value
