"""Lives of a run: what random programs live through in the campaigns, and what has to hold of their logs.

A run lives once from each time it is taken up until it ends, waits for nobody, or its host dies.  The world
says the same in every life (see `programs.World`), but it takes other times, and people are there or not.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from random import Random

from quintet.engine.events import Event, Kind, family
from quintet.engine.execution import Execution
from quintet.engine.failures import Failure
from quintet.engine.gates import Gate, Gatekeeper, Give, Go, Refuse, Verdict, Wait
from quintet.engine.paths import Path, without_attempts, write
from quintet.engine.performing import Call
from quintet.engine.programs import Program
from quintet.engine.questions import Asked, Field, Question
from quintet.engine.rules import Rules
from quintet.engine.states import ENDED
from quintet.engine.touches import Outcome, Touch
from quintet.engine.values import Json, encode, fingerprint
from tests.engine.programs import World


def asked_for(call: Call) -> Json:
    """What the program asked, as its touch has it."""
    return {"name": call.name, "data": call.request} if call.kind == "effect" else call.request


def says(world: World, call: Call) -> object:
    """What the world says to a call."""
    return world(call.path, call.kind, asked_for(call))


def reply(seed: int, asked: Asked) -> Json:
    """What people answer to a question or a gate: always the same, whoever is asked and whenever."""
    random = Random(fingerprint(str(seed), asked.target))
    if "?" in asked.target and asked.question.fields[0].name == "decision":
        return {"decision": random.choice(asked.question.fields[0].choices)}
    answer = World(seed)((), "question", asked.question.to_json())
    assert not isinstance(answer, Failure)
    return answer


# Rules: permissions, a budget, and touches that are unsafe to repeat


def _pays(kind: Kind, request: Json) -> bool:
    return kind == "tool" and isinstance(request, Mapping) and request["name"] == "pay"


def _is_payment(touch: Touch) -> bool:
    return _pays(touch.kind, touch.request)


def permission(touch: Touch, answers: Mapping[str, Json]) -> Gate | None:
    """One payment in three has to be allowed."""
    if not _is_payment(touch) or int(touch.fingerprint, 16) % 3:
        return None
    question = Question("pay?", (Field("decision", "choice", choices=("yes", "no", "paid")),))
    return Gate("permission", question, _decide)


def _decide(answer: Json) -> Verdict:
    assert isinstance(answer, Mapping)
    match answer["decision"]:
        case "yes":
            return Go()
        case "no":
            return Refuse(Failure("refused", "a person said no"))
        case _:
            return Give("paid by hand")


def budget(touch: Touch, answers: Mapping[str, Json]) -> Gate | None:
    """The models stand still from the first that asks for it until somebody raises the budget."""
    if touch.kind != "model" or int(touch.fingerprint, 16) % 7:
        return None
    return Gate("budget", Question("more?", (Field("more", "boolean"),)), lambda answer: Go(), shared=True)


GATEKEEPERS: tuple[Gatekeeper, ...] = (permission, budget)


class Queue:
    """Lets two models be asked at a time; whoever comes then waits until one of them has ended."""

    def __init__(self) -> None:
        self._inside: set[Path] = set()

    def __call__(self, touch: Touch, answers: Mapping[str, Json]) -> Wait | None:
        if touch.kind != "model":
            return None
        if len(self._inside) == 2:
            return Wait()
        self._inside.add(touch.path)
        return None

    def learn(self, outcome: Outcome) -> None:
        self._inside.discard(outcome.path)

    def leave(self, touch: Touch) -> None:
        self._inside.discard(touch.path)


def rules(*, gated: bool, queued: bool = False) -> Rules:
    return Rules(
        gatekeepers=GATEKEEPERS if gated else (),
        ledgers=(Queue,) if queued else (),
        is_unsafe=_is_payment,
    )


# What has to hold


@dataclass(frozen=True, slots=True)
class Life:
    """What was there when a life began, and what was performed in it."""

    before: Sequence[Event]
    performed: Sequence[Call]


def check_lives(lives: Sequence[Life], log: Sequence[Event]) -> None:
    """Nothing that was recorded is performed again, or touched; a touch keeps its key from life to life."""
    _check_payments(lives, log)
    keys: dict[tuple[Path, str], str] = {}
    for life in lives:
        assert log[: len(life.before)] == life.before, "the prefix of the log was touched"
        settled = {event.path for event in life.before if family(event.kind) == "outcome"}
        for call in life.performed:
            assert call.path not in settled, f"{write(call.path)} was performed again"
            named = (call.path, encode(call.request))
            assert keys.setdefault(named, call.idempotency_key) == call.idempotency_key


def _check_payments(lives: Sequence[Life], log: Sequence[Event]) -> None:
    """What is unsafe to repeat is repeated only as often as a person wants it."""
    times = Counter(call.path for life in lives for call in life.performed if _pays(call.kind, call.request))
    for path, count in times.items():
        gates = [event for event in log if event.path == path and event.kind == "gate.asked"]
        wanted = sum(_wants_it_again(log, gate) for gate in gates)
        assert count <= 1 + wanted, f"{write(path)} was paid {count} times"


def check_payments_of_a_retry(old: Sequence[Event], new: Sequence[Event], performed: Iterable[Call]) -> None:
    """A payment that the old run may have made is made in the new one only if a person wants it again.

    What a policy does again after that, with the whole body that it is in, is the policy's own doing.
    """
    for call in performed:
        if any(segment.attempt and segment.occurrence > 1 for segment in call.path):
            continue
        path, request = without_attempts(call.path), fingerprint(call.kind, encode(call.request))
        if not _pays(call.kind, call.request) or not _may_be_paid(old, path, request):
            continue
        gates = [one for one in new if one.kind == "gate.asked" and without_attempts(one.path) == path]
        assert any(_wants_it_again(new, gate) for gate in gates), f"{write(path)} was paid once more"


def _may_be_paid(log: Sequence[Event], path: Path, request: str) -> bool:
    """Whether it was begun more often than it has failed."""
    here = [one for one in log if without_attempts(one.path) == path and one.fingerprint == request]
    begun = sum(one.kind == "tool.called" for one in here)
    return begun > sum(one.kind == "tool.finished" and '"failure"' in one.data for one in here)


def _wants_it_again(log: Sequence[Event], gate: Event) -> bool:
    name = json.loads(gate.data)["gate"]
    answers = [json.loads(event.data) for event in log if event.kind == "gate.answered"]
    return any(a["gate"] == name and a["answer"]["decision"] == "repeat" for a in answers)


def check_log(log: Sequence[Event], program: Program, rules: Rules) -> None:
    """A replay gives the same result, the same notes and the same order."""
    assert [event.seq for event in log] == list(range(1, len(log) + 1))
    assert all(one.time <= other.time for one, other in pairwise(log))
    outcomes = [(event.kind, event.path) for event in log if family(event.kind) == "outcome"]
    assert len(set(outcomes)) == len(outcomes), "an outcome was recorded twice"
    replayed, following = replay(log, program, rules)
    recorded = [event for event in log if family(event.kind) in ("start", "note")]
    last = log[-1]
    ended = last.kind.removeprefix("run.") in ENDED
    assert [_told(event) for event in following[: None if ended else len(recorded)]] == [
        _told(event) for event in recorded
    ]
    if last.kind == "run.completed":
        assert not isinstance(replayed.result, Failure)
        replayed.conclude()
        assert replayed.flush().events[-1].data == last.data
    replayed.close()


def replay(log: Sequence[Event], program: Program, rules: Rules) -> tuple[Execution, Sequence[Event]]:
    """A log replayed, and all that follows from it: starts and notes."""
    read = [event for event in log if family(event.kind) in ("outcome", "host")]
    ended = read[-1].kind.removeprefix("run.") in ENDED
    read = read[:-1] if ended else read
    nothing_written = read[-1]._replace(seq=len(read))
    execution = Execution(program, read, last=nothing_written, rules=rules)
    following = execution.flush().events
    execution.put_back()
    return execution, following


def _told(event: Event) -> tuple[object, ...]:
    return event.kind, event.path, event.cause, event.data, event.fingerprint
