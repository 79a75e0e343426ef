"""Taking over: a new run is made of an old one by replaying the old log into it.

The outcomes of the old run are offered to the new one in their order; one is taken where the new program
asks for it.  Which are offered is all that tells the two ways apart:

* a *fork* at a step is offered what was known when that step began, and takes it even where the program now
  asks something else: whoever forks has decided to keep the past;
* a *retry* of a failed run is offered everything but what lies under the steps that failed, and takes only
  what answers the very same request: like a build, it does again what failed or changed, and what hangs on
  it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from quintet.engine.created import Created
from quintet.engine.events import KIND_OF_OUTCOME, OUTCOMES, STARTS, Event
from quintet.engine.execution import Execution
from quintet.engine.failures import INTERRUPTED, EngineError, Failure
from quintet.engine.offers import Offers, taken_over
from quintet.engine.paths import Path, display, without_attempts, write
from quintet.engine.programs import Program
from quintet.engine.rules import DEFAULT_RULES, Rules
from quintet.engine.values import decode


class NothingToRetry(EngineError):
    """Only a run that failed can be retried."""

    code = "nothing-to-retry"


class NoSuchStep(EngineError):
    """The log of a run holds nothing at the path at which it should be forked."""

    code = "no-such-step"


@dataclass(frozen=True, slots=True)
class Source:
    """The run that outcomes are taken from."""

    run_id: str
    log: Sequence[Event]
    """All of it: starts and notes tell where a step began."""

    @property
    def created(self) -> Created:
        return Created.from_event(self.log[0])

    @property
    def outcomes(self) -> list[Event]:
        return [event for event in self.log if event.kind in KIND_OF_OUTCOME]


@dataclass(frozen=True, slots=True)
class Takeover:
    """A new run, ready to be kept and worked on."""

    execution: Execution
    events: Sequence[Event]
    """How its log begins."""

    @property
    def changed(self) -> Sequence[Path]:
        """Touches whose outcome was taken although the program now asks something else."""
        return [path for path, is_changed in self.execution.taken if is_changed]


def fork(
    source: Source,
    at: Path,
    program: Program,
    *,
    run_id: str,
    now: float,
    created: Created | None = None,
    rules: Rules = DEFAULT_RULES,
) -> Takeover:
    """A run of its own that keeps what was known when the step at a path began, and goes on from there.

    `created` says what the new run is made from, where that is not what the old one was made from.
    """
    cause = _cause_of_start(source, at)
    offered = [event for event in source.outcomes if event.seq <= cause]
    began = source.created.began
    created = replace(
        created or source.created,
        origin=run_id,
        began=began,
        renewed={},
        cut=(),
        takes_changed=True,
        offers=(),
    )
    return _take_over(source, offered, created, program, now, rules)


def retry(
    source: Source,
    program: Program,
    *,
    now: float,
    created: Created | None = None,
    rules: Rules = DEFAULT_RULES,
) -> Takeover:
    """A failed run again: whatever completed and is unchanged is taken over.

    It keeps the idempotency keys of the failed run, but for what is certain not to have happened there.  What
    was under way there and is unsafe to repeat is held at a gate first, as after a crash.
    """
    at, old = _failure(source).at, source.created
    if not at and created in (None, old):
        raise NothingToRetry(
            f"run {source.run_id} failed without naming a step: nothing of it would be done again; "
            "fork it, or change what it is made from"
        )
    failed = [without_attempts(path) for path in at]
    again, offered = list[Event](), list[Event]()
    for event in [*source.outcomes, *Offers(old.offers).events]:
        is_again = _is_under(event.path, failed) or _is_backoff(event, at)
        (again if is_again else offered).append(event)
    created = replace(
        created or old,
        origin=old.origin,
        began=old.began,
        renewed=_renewed(old, again),
        cut=_cut(source, again),
        takes_changed=False,
        offers=(),
    )
    return _take_over(source, offered, created, program, now, rules)


def _take_over(
    source: Source, offered: Iterable[Event], created: Created, program: Program, now: float, rules: Rules
) -> Takeover:
    events = created.first_events(now, rules.redactor)
    execution = Execution(program, events, rules=rules)
    execution.tick(now)
    for event in offered:
        execution.offer(taken_over(event, source.run_id))
        while execution.has_undelivered:  # what is taken may open a touch for which another is on offer
            events += execution.flush().events
            execution.commit()
    left = replace(created, offers=execution.offers)
    return Takeover(execution, [*left.first_events(now, rules.redactor), *events[2:]])


def _cause_of_start(source: Source, at: Path) -> int:
    """The outcome that brought a step about."""
    for event in source.log:
        if event.path[: len(at)] == at:
            return event.cause
    raise NoSuchStep(f"run {source.run_id} has no step {display(at)!r}")


def _failure(source: Source) -> Failure:
    last = source.log[-1]
    if last.kind != "run.failed":
        raise NothingToRetry(f"run {source.run_id} has not failed: there is nothing to retry")
    data: Any = decode(last.data)
    return Failure.from_json(data["failure"])


def _is_under(path: Path, steps: Iterable[Path]) -> bool:
    seen = without_attempts(path)
    return any(seen[: len(step)] == step for step in steps)


def _is_backoff(event: Event, failed: Iterable[Path]) -> bool:
    """Whether it is a wait between attempts that are done again."""
    around = event.path[:-1]
    return event.kind == OUTCOMES["timer"] and any(
        path[: len(around)] == around and any(segment.attempt for segment in path[len(around) :][:1])
        for path in failed
    )


def _cut(source: Source, again: Collection[Event]) -> list[str]:
    """Where something was begun whose end nobody knows, or has been done and is to be done again."""
    redone = {event.seq for event in again}
    cut: dict[Path, None] = {}
    over: set[str] = set()
    for event in source.log:
        if event.kind in (STARTS["tool"], STARTS["effect"]):
            cut[event.path] = None
        elif event.kind in (OUTCOMES["tool"], OUTCOMES["effect"]) and _is_over(event, event.seq in redone):
            cut.pop(event.path, None)
            over.add(write(without_attempts(event.path)))
    earlier = [path for path in source.created.cut if path not in over]
    return list(dict.fromkeys([*earlier, *(write(without_attempts(path)) for path in cut)]))


def _is_over(event: Event, is_redone: bool) -> bool:
    """Whether nothing has happened there that would now happen twice."""
    data: Any = decode(event.data)
    if "failure" in data:
        return data["failure"]["kind"] != INTERRUPTED
    return not is_redone


def _renewed(created: Created, again: Iterable[Event]) -> dict[str, int]:
    """The keys to be renewed: of touches that have definitely failed and are performed again."""
    renewed = dict(created.renewed)
    for event in again:
        data: Any = decode(event.data)
        if data.get("failure", {}).get("definite"):
            path = write(without_attempts(event.path))
            renewed[path] = renewed.get(path, 0) + 1
    return renewed
