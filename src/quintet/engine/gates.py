"""Gates: where a host holds a touch before it is performed, and asks a person.

Permission for a tool, a budget that is reached, a touch that was interrupted and may have happened: none of
these is the program's business.  Question and answer are events of the host; the program only sees what
becomes of its touch.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

from quintet.engine import outcomes
from quintet.engine.events import KIND_OF_OUTCOME, Event
from quintet.engine.failures import INTERRUPTED, Failure
from quintet.engine.paths import write
from quintet.engine.questions import Field, Question
from quintet.engine.touches import Outcome, Touch
from quintet.engine.values import Json, decode


@dataclass(frozen=True, slots=True)
class Go:
    """The touch is performed."""


@dataclass(frozen=True, slots=True)
class Refuse:
    """The touch fails without being performed."""

    failure: Failure


@dataclass(frozen=True, slots=True)
class Give:
    """The touch has this value without being performed."""

    value: Json


Verdict: TypeAlias = Go | Refuse | Give


@dataclass(frozen=True, slots=True)
class Gate:
    """A question that stands before a touch."""

    key: str
    question: Question
    decide: Callable[[Json], Verdict]
    """What an answer means."""
    shared: bool = False
    """One question per run, whichever touches wait at it: a budget, say."""

    def name(self, touch: Touch) -> str:
        """What an answer is addressed to."""
        return f"?{self.key}" if self.shared else f"{write(touch.path)}?{self.key}"  # no path has a ?


@dataclass(frozen=True, slots=True)
class Wait:
    """The touch is looked at again when another one has ended."""


class Gatekeeper(Protocol):
    """Decides whether a touch must wait for a person."""

    def __call__(self, touch: Touch, answers: Mapping[str, Json]) -> Gate | Wait | None:
        """The gate before a touch, if there is one.

        One that is told to wait must wait for others that this gatekeeper has let through.

        `answers` holds what this run's gates have been answered, by their names: a gate that should open
        for good once it was answered, or move like a raised budget, looks there.
        """
        ...


class Ledger(Gatekeeper, Protocol):
    """A gatekeeper that keeps an account of those whom it has let through: one of a run, made with it."""

    def learn(self, outcome: Outcome) -> None:
        """What came of a touch: of the log first, and then as it comes."""
        ...

    def leave(self, touch: Touch) -> None:
        """A touch was cancelled; an outcome may still come."""
        ...


class Gatehouse:
    """All gates of a run: what they have been answered, and who is held at which."""

    def __init__(
        self, gatekeepers: Sequence[Gatekeeper], ledgers: Iterable[Callable[[], Ledger]] = ()
    ) -> None:
        self.answers: dict[str, Json] = {}
        """What gates have been answered, by their names."""
        self._ledgers = [make() for make in ledgers]
        self._gatekeepers = (*gatekeepers, *self._ledgers)
        self._asked: set[str] = set()
        self._held: dict[str, tuple[Gate, dict[Touch, None]]] = {}
        self._at: dict[Touch, str] = {}

    def replay(self, log: Iterable[Event]) -> None:
        """What the log holds of gates, and of what came of touches."""
        for event in log:
            if self._ledgers and event.kind in KIND_OF_OUTCOME:
                self.learn(outcomes.read(event))
            if event.kind.startswith("gate."):
                data: Any = decode(event.data)
                if event.kind == "gate.asked":
                    self._asked.add(data["gate"])
                else:
                    self.answers[data["gate"]] = data["answer"]

    def learn(self, outcome: Outcome) -> None:
        """What came of a touch."""
        for ledger in self._ledgers:
            ledger.learn(outcome)

    def verdict(self, touch: Touch, *, may_have_happened: bool = False) -> Verdict | Gate | Wait:
        """What becomes of a touch, as far as that is decided; else the gate that it has to wait at.

        One that may have happened is asked about first, unless it was waiting at a gate all the time.  That
        a shared gate was asked is no proof: another touch may have been the one that waited there.
        """
        verdict = self._verdict(touch)
        has_waited = isinstance(verdict, Gate) and not verdict.shared and verdict.name(touch) in self._asked
        if may_have_happened and not has_waited:
            return interrupted(touch, self.answers)
        return verdict

    def _verdict(self, touch: Touch) -> Verdict | Gate | Wait:
        for gatekeeper in self._gatekeepers:
            gate = gatekeeper(touch, self.answers)
            if gate is None:
                continue
            if isinstance(gate, Wait):
                return gate
            name = gate.name(touch)
            if name not in self.answers:
                return gate
            verdict = gate.decide(self.answers[name])
            if not isinstance(verdict, Go):
                return verdict
        return Go()

    def hold(self, gate: Gate, touch: Touch) -> bool:
        """Let a touch wait at a gate.  True if that has to be asked now."""
        name = gate.name(touch)
        self._held.setdefault(name, (gate, {}))[1][touch] = None
        self._at[touch] = name
        is_new = name not in self._asked
        self._asked.add(name)
        return is_new

    @property
    def held(self) -> Collection[str]:
        """The names of the gates at which something waits."""
        return self._held.keys()

    def gate(self, name: str) -> Gate | None:
        """The gate of this name, if anything waits at it."""
        held = self._held.get(name)
        return held[0] if held else None

    def open(self, name: str, answer: Json) -> list[tuple[Touch, Verdict]]:
        """The gate is answered: what becomes of those that waited at it."""
        gate, touches = self._held.pop(name)
        self.answers[name] = answer
        for touch in touches:
            del self._at[touch]
        return [(touch, gate.decide(answer)) for touch in touches]

    def leave(self, touch: Touch) -> None:
        """A touch was cancelled while it may have been waiting here."""
        for ledger in self._ledgers:
            ledger.leave(touch)
        name = self._at.pop(touch, None)
        if name is not None:
            _, touches = self._held[name]
            del touches[touch]
            if not touches:
                del self._held[name]


def interrupted(touch: Touch, answers: Mapping[str, Json]) -> Gate:
    """The gate before a touch that is unsafe to repeat, was begun, and whose end nobody knows.

    It is numbered, because a touch that goes on from it may be interrupted again.
    """
    before = sum(name.startswith(f"{write(touch.path)}?interrupted") for name in answers)
    return Gate(
        key=f"interrupted {before + 1}",
        question=Question(
            prompt=f"{touch.name} was begun before and may have happened. "
            "Do it again, take it as failed, or take it as done?",
            fields=(
                Field("decision", "choice", choices=("repeat", "fail", "done")),
                Field("result", "json", required=False, description="with done: what it gave"),
            ),
        ),
        decide=_after_interruption,
    )


def _after_interruption(answer: Json) -> Verdict:
    assert isinstance(answer, Mapping)
    match answer["decision"]:
        case "repeat":
            return Go()
        case "done":
            return Give(answer.get("result"))
        case _:
            return Refuse(Failure(INTERRUPTED, "it was interrupted, and a person took it as failed"))
