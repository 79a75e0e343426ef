"""What a run waits to be answered, read from its log alone: no program is needed to show it to a person."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import Any

from quintet.engine.events import KIND_OF_START, STARTS, Event, unfinished
from quintet.engine.paths import Path, write
from quintet.engine.questions import Asked, Question
from quintet.engine.values import decode


def open_questions(log: Sequence[Event]) -> list[Asked]:
    """The questions and gates that were asked and neither answered nor cancelled, in the order of asking.

    Who waits at a gate that all share is in no log; it is asked for as long as anything may wait there.
    """
    asked: dict[str, Asked] = {}
    gates: dict[str, Path] = {}
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
                gates[data["gate"]] = event.path
            case "gate.answered":
                asked.pop(_gate(event), None)
            case "touch.cancelled":
                _close(asked, write(event.path))
            case "run.completed" | "run.failed" | "run.cancelled":
                asked.clear()
            case _:
                pass
    open_gates = {target: path for target, path in gates.items() if target in asked}
    if () in open_gates.values() and not _may_share(log, open_gates.values()):
        return [each for target, each in asked.items() if open_gates.get(target) != ()]
    return list(asked.values())


def was_answered(log: Iterable[Event], target: str) -> bool:
    """Whether a question or a gate of this name has been answered."""
    return any(
        (event.kind == "question.answered" and write(event.path) == target)
        or (event.kind == "gate.answered" and _gate(event) == target)
        for event in log
    )


def _may_share(log: Iterable[Event], own: Collection[Path]) -> bool:
    """Whether any touch may wait at a gate that is not its own; who leaves starts out is not told."""
    log = [event for event in log if event.kind != STARTS["question"]]
    has_starts = any(event.kind in KIND_OF_START for event in log)
    return not has_starts or any(start.path not in own for start in unfinished(log))


def _gate(event: Event) -> str:
    data: Any = decode(event.data)
    return data["gate"]


def _close(asked: dict[str, Asked], path: str) -> None:
    """A touch was cancelled: neither it nor a gate of its own is asked any more."""
    for target in [target for target in asked if target == path or target.startswith(f"{path}?")]:
        del asked[target]
