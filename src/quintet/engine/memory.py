"""The host in memory: a run as a value, with a clock that moves only when nothing else can happen.

It keeps logs in lists and performs touches by asking a *world*, a plain function.  Two runs of one program
in one world are the same to the last event, which is what tests want: of the engine, and of workflows.

    host = MemoryHost(world=lambda call: f"answer to {call.request}")
    report = host.run(program, "the question")

A world may answer `Later`, and the clock jumps there when everything else waits.  A test may let the host
die at any append (`Fault`), and take the run up again with `resume`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from heapq import heappop, heappush
from typing import Literal, TypeAlias, assert_never, cast

from quintet.engine import takeover
from quintet.engine.created import Created
from quintet.engine.events import Event, family, unfinished
from quintet.engine.execution import Execution
from quintet.engine.failures import EngineError, Failed, Failure, Held, LeaseLost
from quintet.engine.orders import Arm, Disarm, Halt, Order, Perform
from quintet.engine.paths import Path
from quintet.engine.performing import Call
from quintet.engine.programs import Program
from quintet.engine.questions import Asked
from quintet.engine.reports import Report
from quintet.engine.rules import DEFAULT_RULES, Rules
from quintet.engine.states import ENDED, Status, move
from quintet.engine.takeover import Source, Takeover
from quintet.engine.touches import Touch
from quintet.engine.values import Json

LINGER = 0.05
"""Seconds for which starts and notes may wait for an outcome to be appended with."""


@dataclass(frozen=True, slots=True)
class Later:
    """What a world gives for a touch that takes time."""

    seconds: float
    value: object = None
    """What comes of it then; a `Failure` is one."""
    deaf: bool = False
    """Whether it goes on when it is told to stop, so that its outcome comes too late."""


World: TypeAlias = Callable[[Call], object]
"""Performs a touch: gives a value, raises `Failed`, or gives `Later`."""
Person: TypeAlias = Callable[[Asked], object]
"""Answers a question or a gate: gives the answer, `Later`, or `NOBODY`."""


class Nobody:
    """The answer of a person who is not there."""


NOBODY = Nobody()


class Crash(Exception):
    """The process died here, as a `Fault` wanted it."""


@dataclass(frozen=True, slots=True)
class Fault:
    """Something that goes wrong at an append."""

    kind: Literal["crash before", "crash after", "lease lost", "duplicate claim"]
    """`lease lost`: somebody else has taken the run over.  `duplicate claim`: somebody else tries to take it
    over, and must be told that it is held."""
    append: int
    """At which append of this host, counted from 1; the first keeps a new run."""


@dataclass(slots=True)
class MemoryLog:
    """The log of one run, and who holds it."""

    events: list[Event] = field(default_factory=list[Event])
    status: Status = "none"
    epoch: int = 0
    held: bool = False

    def append(self, epoch: int, events: Sequence[Event]) -> None:
        if epoch != self.epoch:
            raise LeaseLost("the run was taken over: nothing more may be added to it here")
        for seq, event in enumerate(events, len(self.events) + 1):
            assert event.seq == seq, f"event {event.seq} cannot be number {seq}"
            assert not self.events or self.events[-1].time <= event.time, "time runs backwards"
            self.status = move(self.status, event.kind)
            self.events.append(event)

    def claim(self, run_id: str) -> int:
        if self.held:
            raise Held(run_id, "another worker")
        if self.status in ENDED:
            raise EngineError(f"run {run_id} is {self.status}")
        self.held = True
        self.epoch += 1
        return self.epoch


def nothing(call: Call) -> object:
    """The world in which everything gives None at once."""
    return None


class MemoryHost:
    """Works on runs, one at a time, without a thread, a loop, a file or a real clock."""

    def __init__(
        self,
        world: World = nothing,
        *,
        person: Person | None = None,
        rules: Rules = DEFAULT_RULES,
        now: float = 0.0,
        faults: Sequence[Fault] = (),
    ) -> None:
        self.now = now
        """Seconds since 1970: tests may set it between runs."""
        self.logs: dict[str, MemoryLog] = {}
        self.performed: list[Call] = []
        """All that was performed, in order; what was interrupted stands here once for each time."""
        self.rules = rules
        self.world = world
        self.person = person
        self._faults = {(fault.append, fault.kind) for fault in faults}
        self.appends = 0
        """How often something was appended: what a `Fault` counts by."""
        self._plans: list[tuple[float, str, Callable[[_Work], None]]] = []

    # What a test does

    def run(
        self,
        program: Program,
        arguments: Json = None,
        *,
        run_id: str = "run",
        pinned: dict[str, Json] | None = None,
    ) -> Report:
        """Start a run, and work on it until it ends or waits for a person."""
        created = Created.of(program, arguments, origin=run_id, now=self.now, pinned=pinned)
        first = created.first_events(self.now, self.rules.redactor)
        self._keep(run_id, first)
        return self._work(run_id, Execution(program, first, rules=self.rules))

    def resume(self, run_id: str, program: Program) -> Report:
        """Take up a run whose host died, or that waits for a person."""
        self.logs[run_id].claim(run_id)
        try:
            events = self.logs[run_id].events
            log = [event for event in events if family(event.kind) in ("outcome", "host")]
            starts = unfinished(events)
            execution = Execution(program, log, last=events[-1], starts=starts, rules=self.rules)
        except EngineError:
            self.logs[run_id].held = False
            raise
        return self._work(run_id, execution)

    def answer(self, run_id: str, program: Program, target: str, answer: Json) -> Report:
        """Answer what a run waits for, and go on."""
        self.plan(run_id, 0, lambda work: work.answer(target, answer))
        return self.resume(run_id, program)

    def cancel(self, run_id: str, after: float = 0.0) -> None:
        """Have a run cancelled when it has been worked on for so many seconds."""
        self.plan(run_id, after, lambda work: work.execution.cancel())

    def plan(self, run_id: str, after: float, act: Callable[[_Work], None]) -> None:
        """Do something to a run when it is worked on next, so many seconds after that began."""
        self._plans.append((after, run_id, act))

    def fork(self, run_id: str, at: Path, program: Program, *, new_id: str) -> Report:
        """A new run that keeps what was known when the step at a path began."""
        source = Source(run_id, self.logs[run_id].events)
        return self._begin(
            new_id, takeover.fork(source, at, program, run_id=new_id, now=self.now, rules=self.rules)
        )

    def retry(self, run_id: str, program: Program, *, new_id: str) -> Report:
        """A failed run again, as a new one."""
        source = Source(run_id, self.logs[run_id].events)
        return self._begin(new_id, takeover.retry(source, program, now=self.now, rules=self.rules))

    # Appending

    def append(self, run_id: str, epoch: int, events: Sequence[Event]) -> None:
        """Keep events, unless a fault wants otherwise."""
        self.appends += 1
        if (self.appends, "crash before") in self._faults:
            self._die(run_id)
        if (self.appends, "lease lost") in self._faults:
            self.logs[run_id].epoch += 1
        if (self.appends, "duplicate claim") in self._faults:
            self._refuse_another(run_id)
        self.logs[run_id].append(epoch, events)
        if (self.appends, "crash after") in self._faults:
            self._die(run_id)

    def _refuse_another(self, run_id: str) -> None:
        try:
            self.logs[run_id].claim(run_id)
        except Held:
            return
        raise AssertionError(f"run {run_id} was given to two")

    def _die(self, run_id: str) -> None:
        self.logs[run_id].held = False
        raise Crash(f"at append {self.appends}")

    def _keep(self, run_id: str, events: Sequence[Event]) -> None:
        if run_id in self.logs:
            raise EngineError(f"there is a run {run_id} already")
        log = self.logs[run_id] = MemoryLog()
        try:
            self.append(run_id, log.claim(run_id), events)
        finally:
            if not log.events:
                del self.logs[run_id]

    # Working

    def _begin(self, run_id: str, new: Takeover) -> Report:
        self._keep(run_id, new.events)
        return self._work(run_id, new.execution)

    def _work(self, run_id: str, execution: Execution) -> Report:
        work = _Work(self, run_id, execution, self.logs[run_id].epoch)
        plans, self._plans = self._plans, []
        for after, of, act in plans:
            if of == run_id:
                work.schedule(self.now + after, lambda act=act: act(work))
            else:
                self._plans.append((after, of, act))
        try:
            return work.to_its_end()
        finally:
            self.logs[run_id].held = False
            execution.close()


class _Work:
    """One run being worked on."""

    def __init__(self, host: MemoryHost, run_id: str, execution: Execution, epoch: int) -> None:
        self.execution = execution
        self._host = host
        self._run_id = run_id
        self._epoch = epoch
        self._agenda: list[tuple[float, int, Callable[[], None]]] = []
        self._scheduled = 0
        self._performing: dict[Touch, object] = {}
        """What is performed, and the token of its end; another token means that it was halted."""
        self._alarms: dict[Touch, object] = {}
        self._asking: set[str] = set()
        self._linger = 0.0

    def to_its_end(self) -> Report:
        execution = self.execution
        self._tick()
        execution.start()
        while True:
            while orders := execution.take_orders():
                for order in orders:
                    self._obey(order)
            self._ask()
            if execution.urgency == "now":
                self._append()
            elif execution.standing == "over":
                break
            elif self._agenda:
                self._next()
            elif execution.standing == "waiting":
                return self._pause()
            else:
                raise EngineError("something is performed of which nothing can ever come")
        execution.conclude()
        self._append()
        return Report.ended(self._run_id, self._host.logs[self._run_id].events[-1])

    def answer(self, target: str, answer: object) -> None:
        """Somebody answers; it is no matter if that is no longer asked."""
        self.execution.answer(target, cast(Json, answer))

    def schedule(self, when: float, act: Callable[[], None]) -> None:
        """Do something at a time, after all that was scheduled for it before."""
        self._scheduled += 1
        heappush(self._agenda, (when, self._scheduled, act))

    def _pause(self) -> Report:
        self.execution.pause()
        self._append()
        return Report(self._run_id, "paused", asked=self.execution.asked)

    def _tick(self) -> None:
        self.execution.tick(self._host.now)

    def _next(self) -> None:
        """Let the next thing happen, and all that happens at the same moment."""
        when = max(self._agenda[0][0], self._host.now)
        if self.execution.urgency == "soon" and when > self._host.now + LINGER:
            self._append()
        self._host.now = when
        self._tick()
        while self._agenda and self._agenda[0][0] <= when:
            heappop(self._agenda)[2]()

    def _append(self) -> None:
        events = self.execution.flush().events
        try:
            if events:
                self._host.append(self._run_id, self._epoch, events)
        except BaseException:
            self.execution.put_back()
            raise
        self.execution.commit()

    def _obey(self, order: Order) -> None:
        match order:
            case Perform(touch):
                self._perform(touch)
            case Halt(touch):
                self._halt(touch)
            case Arm(alarm, seconds):
                token = self._alarms[alarm] = object()
                self.schedule(self._host.now + seconds, lambda: self._strike(alarm, token))
            case Disarm(alarm):
                self._alarms.pop(alarm, None)
            case _:
                assert_never(order)

    def _perform(self, touch: Touch) -> None:
        execution, host = self.execution, self._host
        execution.begin(touch)
        call = Call.of(self._run_id, touch, execution.idempotency_key(touch))
        if touch.kind == "timer":
            end = Later(execution.due(touch) - host.now)
        else:
            host.performed.append(call)
            end = _outcome(host.world, call)
        token: object = None if end.deaf else object()
        self._performing[touch] = token
        self.schedule(host.now + end.seconds, lambda: self._settle(touch, token, end.value))

    def _settle(self, touch: Touch, token: object, value: object) -> None:
        if touch not in self._performing or self._performing[touch] is not token:
            return
        del self._performing[touch]
        if isinstance(value, Failure):
            self.execution.settle(touch, failure=value)
        else:
            self.execution.settle(touch, value)

    def _halt(self, touch: Touch) -> None:
        if self._performing.get(touch) is not None:
            del self._performing[touch]
            self.execution.halted(touch)

    def _strike(self, alarm: Touch, token: object) -> None:
        if self._alarms.get(alarm) is token:
            del self._alarms[alarm]
            self.execution.strike(alarm)

    def _ask(self) -> None:
        """Tell the person what is newly asked."""
        person = self._host.person
        if person is None:
            return
        asked = {asked.target: asked for asked in self.execution.asked}
        for target in [target for target in asked if target not in self._asking]:
            answer = person(asked[target])
            if isinstance(answer, Nobody):
                continue
            later = answer if isinstance(answer, Later) else Later(0.0, answer)
            when = self._host.now + later.seconds
            self.schedule(when, lambda target=target, value=later.value: self.answer(target, value))
        self._asking = set(asked)


def _outcome(world: World, call: Call) -> Later:
    """What a world has for a touch, and when."""
    try:
        given = world(call)
    except Failed as failed:
        given = failed.failure
    return given if isinstance(given, Later) else Later(0.0, given)
