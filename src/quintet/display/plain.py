"""Plain: tells of a run while it works where nobody can see a picture: in a pipe, in a log of CI.

A line when a step starts, ends, is tried again, is skipped or asks; no colours and no cursor moves.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Self, cast

from quintet.agents import turn
from quintet.display import amounts
from quintet.display.commands import Commands
from quintet.display.rows import shown
from quintet.engine.events import Event
from quintet.engine.paths import Path, display, parse, without_attempts, write
from quintet.engine.values import decode
from quintet.record import Open, Step
from quintet.runs.chronicle import Chronicle
from quintet.runs.turns import Entry

_LONGEST = 400

Say = Callable[[str], None]
"""Writes a line."""


class Plain:
    """The audience of one run.

    Args:
        chronicle: What is known of the run so far: empty for a new one.
        say: Where lines go.
        store: What `--store` must be told in commands.
        model: Who answers, and why.
    """

    def __init__(self, chronicle: Chronicle, say: Say, *, store: str = "", model: str = "") -> None:
        self._chronicle, self._say, self._model = chronicle, say, model
        self._commands = Commands(chronicle.run_id, store)
        self._began: float | None = None
        self._asked: set[str] = {question.target for question in chronicle.questions}
        self._gone = False

    def start(self) -> None:
        """Say who answers; other lines come when there is something to tell."""
        if self._model:
            self._tell(f"answered by {shown(self._model)}")

    def stop(self, status: str | None = None) -> None:
        """Nothing is to be done."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def said(self, run_id: str, path: Path, piece: str) -> None:
        """What is being said is told when it is complete."""

    def kept(self, run_id: str, events: Sequence[Event]) -> None:
        """The log goes on."""
        if run_id != self._chronicle.run_id:
            return
        for event in events:
            self._chronicle.hear([event])
            began = self._began = event.time if self._began is None else self._began
            for line in self._told(event):
                self._tell(f"{amounts.clock(event.time - began):>5}  {line}")

    def _tell(self, line: str) -> None:
        if not self._gone:
            try:
                self._say(line)
            except (OSError, ValueError):  # nobody reads on; that is no reason to stop the run
                self._gone = True

    def _told(self, event: Event) -> Iterator[str]:
        match event.kind:
            case turn.STARTED | "tool.called":
                entry = self._entry(event)
                if entry is not None:
                    yield _started(entry.step)
            case turn.COMPLETED | turn.FAILED | turn.CANCELLED | turn.TOOL_REFUSED | "tool.finished":
                entry = self._entry(event)
                if entry is not None and entry.ended is not None:
                    yield _ended(entry.step)
            case "step.retrying" | "step.skipped":
                yield _noted(event)
            case "run.resumed":
                yield "● resumed"
            case "question.asked" | "gate.asked":
                yield from self._questions()
            case "run.failed":
                trouble = self._chronicle.run().error
                yield f"✗ {_brief(trouble.message)}" if trouble else "✗ failed"
            case _:
                pass

    def _entry(self, event: Event) -> Entry | None:
        path = event.path if event.kind.startswith("turn.") else event.path[:-1]
        key, turns = without_attempts(path), self._chronicle.turns
        return turns.open.get(key) or turns.ended.get(key)

    def _questions(self) -> Iterator[str]:
        asked = self._chronicle.questions
        for question in asked:
            if question.target not in self._asked:
                self._asked.add(question.target)
                yield self._question(question, several=len(asked) > 1)

    def _question(self, question: Open, *, several: bool) -> str:
        command = self._commands.answer(question, several=several)
        return f"⏸ {shown(question.path)} waits for a person: {_brief(question.prompt)} · {shown(command)}"


def _started(step: Step) -> str:
    again = f", {amounts.ordinal(step.attempts)} attempt" if step.attempts > 1 else ""
    return f"● {shown(step.path)} started{_by(step)}{again}"


def _by(step: Step) -> str:
    return (
        f" ({shown(step.agent)})" if step.kind == "agent" and step.agent and step.agent != step.path else ""
    )


def _ended(step: Step) -> str:
    mark = {"completed": "✓", "failed": "✗"}.get(step.status, "⊘")
    took = amounts.duration((step.ended or step.began) - step.began)
    tokens = amounts.tokens(step.input_tokens, step.output_tokens)
    tokens = f" · {tokens} tokens" if tokens and step.status == "completed" else ""
    why = f": {_brief(step.error.message)}" if step.error else ""
    return f"{mark} {shown(step.path)} {step.status} in {took}{tokens}{why}"


def _noted(event: Event) -> str:
    data = cast("Mapping[str, Any]", decode(event.data))
    place = shown(display(without_attempts(parse(write(event.path)))))
    if event.kind == "step.retrying":
        wait = data["wait"]
        when = f" in {amounts.duration(wait)}" if wait else ""
        return f"↻ {place} is tried again{when}"
    why = data.get("why", "")
    why = "its condition does not hold" if why == "condition" else _brief(str(why))
    return f"– {shown(str(data.get('name') or place))} skipped{': ' if why else ''}{why}"


def _brief(text: str) -> str:
    text = shown(text[: _LONGEST + 1])
    return text if len(text) <= _LONGEST else text[:_LONGEST] + "…"
