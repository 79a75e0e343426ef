"""A run, watched: who said what to whom, as a sequence diagram and as its log.

Every line of the diagram is written at the moment at which it happens, by stand-ins for the Context, the
machine and the execution that say so and then do what those do.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Generator, Sequence
from dataclasses import dataclass
from typing import Any
from unittest.mock import patch

from quintet.engine import memory, progress, stepping
from quintet.engine.context import Context
from quintet.engine.events import OUTCOMES, Event
from quintet.engine.execution import Execution
from quintet.engine.failures import Failure
from quintet.engine.machine import Machine
from quintet.engine.paths import write
from quintet.engine.performing import Call
from quintet.engine.programs import Program, ProgramBody
from quintet.engine.scopes import Body, Branch
from quintet.engine.touches import Command, Finished, Note, Outcome, Stop, Touch
from quintet.engine.values import Json
from quintet.testing import Later, MemoryHost

PARTICIPANTS = (("P", "program"), ("M", "machine"), ("H", "host"), ("W", "world"), ("L", "log"))


@dataclass(frozen=True, slots=True)
class Watched:
    """What was seen of a run."""

    diagram: str
    log: Sequence[Event]


def watch(body: ProgramBody, arguments: Json, given: dict[str, Later], run_id: str) -> Watched:
    """Run a program in memory, in a world that gives these answers at these paths."""
    lines = ["sequenceDiagram", *(f"    participant {short} as {name}" for short, name in PARTICIPANTS)]

    def say(arrow: str, text: str) -> None:
        lines.append(f"    {arrow}: {text}")

    host = _host(say, given)
    with (
        patch.object(stepping, "Context", _context(say)),
        patch.object(progress, "Machine", _machine(say)),
        patch.object(memory, "Execution", _execution(say)),
    ):
        host.run(Program("trip", body), arguments, run_id=run_id)
    return Watched("\n".join(lines) + "\n", host.logs[run_id].events)


Say = Callable[[str, str], None]


class _Told:
    """An awaitable of the program, which says what is awaited and what comes of it."""

    def __init__(self, awaitable: Awaitable[Json], path: str, say: Say) -> None:
        self._awaitable = awaitable
        self._path = path
        self._say = say

    def __await__(self) -> Generator[Any, Any, Json]:
        self._say("P->>M", f"await {self._path}")
        value = yield from self._awaitable.__await__()
        self._say("M-->>P", f"{self._path} gives {value}")
        return value


def _context(say: Say) -> type[Context]:
    class SayingContext(Context):
        def model(self, key: str, request: Json) -> Awaitable[Json]:
            path = "/".join(filter(None, (write(self.path), key)))
            return _Told(super().model(key, request), path, say)

        def branch(self, name: str, body: Body[Any], *, silent: bool = False) -> Branch[Any]:
            say("P->>M", f"branch {name}")
            return super().branch(name, body, silent=silent)

        def note(self, kind: str, data: Json = None) -> None:
            say("P->>M", f"note {kind}")
            super().note(kind, data)

    return SayingContext


def _machine(say: Say) -> type[Machine]:
    class SayingMachine(Machine):
        def take(self) -> list[Command]:
            commands = super().take()
            for command in commands:
                say("M->>H", _command(command))
            return commands

        def advance(self, outcome: Outcome) -> Touch | None:
            say("H->>M", f"advance with {outcome.seq} {OUTCOMES[outcome.kind]} {write(outcome.path)}")
            return super().advance(outcome)

    return SayingMachine


def _command(command: Command) -> str:
    match command:
        case Touch():
            return f"perform {command.kind} {write(command.path)}"
        case Note(kind=kind):
            return f"note {kind}"
        case Stop(touch=touch):
            return f"stop {touch.kind} {write(touch.path)}"
        case Finished():
            return "finished"


def _execution(say: Say) -> type[Execution]:
    class SayingExecution(Execution):
        def settle(self, touch: Touch, value: object = None, failure: Failure | None = None) -> None:
            say("W-->>H", f"{write(touch.path)} gave {value}")
            super().settle(touch, value, failure)

    return SayingExecution


def _host(say: Say, given: dict[str, Later]) -> MemoryHost:
    class SayingHost(MemoryHost):
        def append(self, run_id: str, epoch: int, events: Sequence[Event]) -> None:
            say("H->>L", "append " + ", ".join(f"{event.seq} {event.kind}" for event in events))
            super().append(run_id, epoch, events)

    def world(call: Call) -> Later:
        say("H->>W", f"{call.request}")
        return given[write(call.path)]

    return SayingHost(world)
