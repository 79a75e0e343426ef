"""Chronicle: a run told from its log, event by event; whoever shows a run keeps one and feeds it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from quintet.engine.events import Event, family
from quintet.engine.failures import Failure
from quintet.engine.open_questions import open_questions
from quintet.engine.paths import Path, display, parse, without_attempts, write
from quintet.engine.questions import Asked
from quintet.engine.states import ENDED, Shown, Status, move
from quintet.engine.takeover import NoSuchStep
from quintet.engine.values import Json, decode
from quintet.record import Fact, Open, Run, Trouble
from quintet.runs.pinned import Pinned
from quintet.runs.turns import Turns


class Chronicle:
    """What a log tells so far."""

    def __init__(self, run_id: str) -> None:
        self.run_id = run_id
        self.status: Status = "none"
        self.turns = Turns()
        self.pinned: Pinned | None = None
        self._arguments: Json = None
        self._facts: list[Fact] = []
        self._asking: list[Event] = []
        """All that tells which questions are open."""
        self._output: Json = None
        self._failure: Failure | None = None
        self._began = 0.0
        self._ended: float | None = None

    def hear(self, events: Iterable[Event]) -> None:
        """The log goes on."""
        for event in events:
            self.turns.hear(event)
            match family(event.kind):
                case "host":
                    self._host(event)
                case "note" if not event.kind.startswith("turn."):
                    where = write(without_attempts(event.path))
                    self._facts.append(Fact(event.kind, where, decode(event.data), event.time))
                case _:
                    self._hear_questions(event)

    def run(self, status: Shown | None = None) -> Run:
        """The run as it stands; `status` is what people see where the log alone does not tell it."""
        told = Run(
            id=self.run_id,
            workflow=self.pinned.workflow if self.pinned else "",
            format=self.pinned.format if self.pinned else "",
            status=status or self.status,
            output=self._output,
            error=self._trouble(),
            steps=tuple(entry.step for entry in self.turns.ended.values()),
            under_way=tuple(entry.step for entry in self.turns.open.values()),
            usage=self.turns.usage,
            questions=self.questions,
            arguments=self._arguments,
            facts=tuple(self._facts),
            began=self._began,
            ended=self._ended,
        )
        return _with_native(told)

    @property
    def questions(self) -> tuple[Open, ...]:
        """What is asked now."""
        return tuple(map(opened, open_questions(self._asking)))

    def place(self, path: str) -> Path:
        """The step at a path as people read it.  Raises NoSuchStep."""
        for entry in self.turns:
            if entry.label == path:
                return entry.first
        for fact in self._facts:  # a step that is no turn of its own
            if display(parse(fact.where)) == path and path:
                return parse(fact.where)
        known = ", ".join(repr(entry.label) for entry in self.turns)
        raise NoSuchStep(f"run {self.run_id} has no step {path!r}; it has {known or 'none'}")

    def _host(self, event: Event) -> None:
        self.status = move(self.status, event.kind)
        data: Any = decode(event.data)
        if event.kind == "run.created":
            self._began = event.time
            self.turns.origin = data["began"]
            self._arguments = data["arguments"]
            self.pinned = Pinned.from_json(data["pinned"])
        elif event.kind == "run.completed":
            self._output = data["output"]
        elif event.kind == "run.failed":
            self._failure = Failure.from_json(data["failure"])
        self._hear_questions(event)
        if self.status in ENDED:
            self._ended = event.time
            self.turns.close(event)

    def _hear_questions(self, event: Event) -> None:
        if event.kind.startswith(("question.", "gate.")) or event.kind in ("touch.cancelled", *_ENDS):
            self._asking.append(event)
            if not event.kind.endswith(".asked"):  # what is closed needs not be kept
                asked = {one.target for one in open_questions(self._asking)}
                self._asking = [one for one in self._asking if _target(one) in asked]

    def _trouble(self) -> Trouble | None:
        if self._failure is None:
            return None
        return Trouble(self._failure.message, self._failure.kind, self._step(self._failure.at))

    def _step(self, at: Sequence[Path]) -> str | None:
        """The step that the run failed at, as people read it."""
        if not at:
            return None
        failed = without_attempts(at[0])
        for entry in self.turns:
            if entry.status == "failed" and without_attempts(entry.first)[: len(failed)] == failed:
                return entry.label
        return display(at[0]) or None


_ENDS = ("run.completed", "run.failed", "run.cancelled")


def _target(event: Event) -> str:
    if event.kind == "gate.asked":
        data: Any = decode(event.data)
        return data["gate"]
    return write(event.path)


def opened(asked: Asked) -> Open:
    """A question as people are told of it."""
    path, _, gate = asked.target.partition("?")
    question: Any = asked.question.to_json()
    return Open(asked.target, display(parse(path)) or gate, question["prompt"], question["fields"])


def _with_native(run: Run) -> Run:
    from quintet.formats.registry import formats

    known = formats().get(run.format)
    return run if known is None or known.native is None else replace(run, native=known.native(run))
