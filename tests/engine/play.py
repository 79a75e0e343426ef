"""A machine played by hand: tests name touches by the text of their paths and say what comes of them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from quintet.engine.context import Context
from quintet.engine.events import Kind
from quintet.engine.failures import Failed, Failure
from quintet.engine.machine import Machine
from quintet.engine.paths import parse, write
from quintet.engine.scopes import Result
from quintet.engine.touches import Command, Finished, Note, Outcome, Stop, Touch
from quintet.engine.values import Json


def ask(key: str = "ask") -> Callable[[Context], Awaitable[Json]]:
    """A body that asks a model once."""
    return lambda ctx: ctx.model(key, "?")


async def nothing(ctx: Context) -> str:
    return "done"


async def bad(ctx: Context) -> None:
    raise Failed(Failure("refused", "no"))


class Play:
    """A program on the machine alone."""

    def __init__(self, program: Callable[..., Awaitable[Any]], *arguments: Any, time: float = 0.0) -> None:
        self.machine = Machine(program, arguments, time=time)
        self.open: dict[str, Touch] = {}
        """Touches that wait, by the text of their paths; alarms have a `?` behind it."""
        self.notes: list[str] = []
        self.stopped: list[str] = []
        self.finished: list[Result[Any]] = []
        self.log: list[Outcome] = []
        self._absorb()

    def give(self, path: str, value: Json = None, *, time: float = 0.0) -> bool:
        """A touch succeeds.  False if that came too late."""
        return self._advance(self._outcome(path, value, None, time))

    def fail(self, path: str, kind: str = "tool", *, definite: bool = False) -> bool:
        return self._advance(self._outcome(path, None, Failure(kind, f"{kind}!", definite), 0.0))

    def strike(self, path: str) -> bool:
        """The time of a deadline is over."""
        return self._advance(
            Outcome(parse(path), "deadline", None, None, self.machine.time, len(self.log) + 1)
        )

    def offer(self, path: str, kind: Kind = "model", fingerprint: str | None = None) -> bool:
        """An outcome from a log, whether or not anything waits for it."""
        return self._advance(Outcome(parse(path), kind, None, None, 0.0, len(self.log) + 1, fingerprint))

    def cancel(self) -> None:
        self.machine.cancel_all()
        self._absorb()

    @property
    def result(self) -> Result[Any] | None:
        return self.machine.result

    def _outcome(self, path: str, value: Json, failure: Failure | None, time: float) -> Outcome:
        if path in self.open:
            return self.open[path].outcome(value, failure, time or self.machine.time, len(self.log) + 1)
        return Outcome(parse(path), "model", value, failure, time, len(self.log) + 1)

    def _advance(self, outcome: Outcome) -> bool:
        touch = self.machine.advance(outcome)
        self.log.append(outcome)
        if touch is not None:
            del self.open[_name(touch)]
        self._absorb()
        return touch is not None

    def _absorb(self) -> None:
        for command in self.machine.take():
            self._obey(command)

    def _obey(self, command: Command) -> None:
        match command:
            case Touch():
                self.open[_name(command)] = command
            case Stop(touch=touch):
                self.stopped.append(_name(touch))
                del self.open[_name(touch)]
            case Note(kind=kind, text=text):
                self.notes.append(f"{kind} {text}")
            case Finished(result=result):
                self.finished.append(result)


def _name(touch: Touch) -> str:
    return write(touch.path) + ("?" if touch.kind == "deadline" else "")
