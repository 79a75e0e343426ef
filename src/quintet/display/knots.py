"""Knots: the tree that the paths of a run's steps make, before it has been folded.

A step `round 2/worker` hangs under a knot `round 2` even if that is no step.  Attempts and time limits leave
no trace here: people do not read them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias, cast

from quintet.engine.paths import Path, display, parse
from quintet.engine.values import Json
from quintet.record import Fact, Open, Run, Step

Key: TypeAlias = tuple[tuple[str, int], ...]
"""A path as people read it: each name, and how often it had occurred."""


@dataclass(slots=True)
class Knot:
    """A name in the tree, and what is known of it."""

    name: str
    step: Step | None = None
    children: dict[tuple[str, int], Knot] = field(default_factory=dict[tuple[str, int], "Knot"])
    skipped: Fact | None = None
    failed: Fact | None = None
    """That a step failed as a whole, where it is more than a turn."""
    retrying: Fact | None = None
    questions: list[Open] = field(default_factory=list[Open])
    verdict: str = ""
    """What it came to, where a fact `step.verdict` says so: `{"verdict": "approve"}`."""
    items: int | None = None
    """How many there are of it, where a fact `step.items` says so: `{"name": "process", "count": 200}`."""

    def __iter__(self) -> Iterator[Knot]:
        """It and all under it."""
        yield self
        for child in self.children.values():
            yield from child

    @property
    def bare(self) -> bool:
        """Whether nothing has begun here: only the number of its items is known."""
        return not (self.step or self.children or self.skipped or self.questions)

    @property
    def began(self) -> float:
        """When the first of it began."""
        times = [knot.step.began for knot in self if knot.step]
        times += [knot.skipped.time for knot in self if knot.skipped]
        return min(times, default=float("inf"))


def knotted(run: Run) -> Knot:
    """The tree of all that has begun."""
    root = Knot("")
    steps = [(step.began, key_of(parse(step.where)), step) for step in (*run.steps, *run.under_way)]
    for _, key, step in sorted(steps, key=lambda one: (one[0], len(one[1]))):
        _hang(root, key, step)
    for fact in run.facts:
        _note(root, fact)
    for question in run.questions:
        _ask(root, question)
    return root


def key_of(path: Path) -> Key:
    """What identifies a place to people."""
    return tuple((segment.name, segment.occurrence) for segment in path if not segment.silent)


def _hang(root: Knot, key: Key, step: Step) -> None:
    key = key or ((step.path, 1),)
    *above, (name, occurrence) = key
    parent = _reached(root, above)
    while (found := parent.children.get((name, occurrence))) is not None and found.step is not None:
        occurrence += 1
    knot = parent.children.setdefault((name, occurrence), Knot(name))
    knot.step, knot.name = step, name + _repeat(step)


def _repeat(step: Step) -> str:
    """The ` #2` that tells a step from an earlier one of the same path."""
    plain = display(parse(step.where))
    return step.path[len(plain) :] if step.path.startswith(f"{plain} #") else ""


def _reached(root: Knot, key: Iterable[tuple[str, int]]) -> Knot:
    for name, occurrence in key:
        shown = name if occurrence == 1 else f"{name} #{occurrence}"
        root = root.children.setdefault((name, occurrence), Knot(shown))
    return root


def _note(root: Knot, fact: Fact) -> None:
    data: Mapping[str, Json] = cast("Any", fact.data) if isinstance(fact.data, Mapping) else {}
    key = key_of(parse(fact.where))
    name = str(data.get("name", ""))
    if name and (not key or key[-1][0] != name):
        key = (*key, (name, 1))
    match fact.kind:
        case "step.skipped":
            _reached(root, key).skipped = fact
        case "step.failed":
            _reached(root, key).failed = fact
        case "step.retrying":
            _reached(root, key).retrying = fact
        case "step.verdict":
            _reached(root, key).verdict = str(data.get("verdict", ""))
        case "step.items" if isinstance(count := data.get("count"), int):
            _reached(root, key).items = count
        case _:
            pass


def _ask(root: Knot, question: Open) -> None:
    """A question hangs at what asks it: the innermost that has begun, else a knot of its own."""
    key, knot = key_of(parse(question.target.partition("?")[0])), root
    for number, part in enumerate(key):
        if part not in knot.children:
            if knot is root or knot.step is None:
                knot = _reached(knot, key[number : max(number + 1, len(key) - 1)])
            break
        knot = knot.children[part]
    (knot if knot is not root else _reached(root, ((question.path, 1),))).questions.append(question)
