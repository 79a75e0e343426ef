"""What a run waits to be answered, read from its log alone: no program is needed to show it to a person."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from quintet.engine.events import Event
from quintet.engine.paths import write
from quintet.engine.questions import Asked, Question
from quintet.engine.values import decode


def open_questions(log: Iterable[Event]) -> list[Asked]:
    """The questions and gates that were asked and neither answered nor cancelled, in the order of asking."""
    asked: dict[str, Asked] = {}
    for event in log:
        data: Any
        match event.kind:
            case "question.asked":
                target = write(event.path)
                asked[target] = Asked(target, Question.from_json(decode(event.data)))
            case "question.answered":
                asked.pop(write(event.path), None)
            case "gate.asked":
                data = decode(event.data)
                asked[data["gate"]] = Asked(data["gate"], Question.from_json(data["question"]))
            case "gate.answered":
                asked.pop(_gate(event), None)
            case "touch.cancelled":
                _close(asked, write(event.path))
            case "run.completed" | "run.failed" | "run.cancelled":
                asked.clear()
            case _:
                pass
    return list(asked.values())


def was_answered(log: Iterable[Event], target: str) -> bool:
    """Whether a question or a gate of this name has been answered."""
    return any(
        (event.kind == "question.answered" and write(event.path) == target)
        or (event.kind == "gate.answered" and _gate(event) == target)
        for event in log
    )


def _gate(event: Event) -> str:
    data: Any = decode(event.data)
    return data["gate"]


def _close(asked: dict[str, Asked], path: str) -> None:
    """A touch was cancelled: neither it nor a gate of its own is asked any more."""
    for target in [target for target in asked if target == path or target.startswith(f"{path}?")]:
        del asked[target]
