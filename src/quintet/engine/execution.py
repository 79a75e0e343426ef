"""Execution: one run being worked on, between the machine that decides and a host that performs.

A host is a loop around this class, and all hosts are the same loop:

    while execution.standing != "over":
        for order in execution.take_orders(): …      # perform a touch, halt one, set an alarm
        …                                            # something happens: execution.settle(touch, …)
        addition = execution.flush(now)              # what that adds to the log
        …                                            # append it, and wait until it is kept
        execution.commit()                           # only now the program learns of it

It knows the rules that stand between the two: an outcome is recorded before the program sees it; what was
recorded once is never written again; gates hold touches; a touch that is unsafe to repeat is begun only when
its start is kept; nothing follows the event that ends a run.  It does no I/O and reads no clock.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import Any, Literal, TypeAlias, cast

from quintet.engine.clocks import Clocks
from quintet.engine.created import Created
from quintet.engine.events import KIND_OF_OUTCOME, OUTCOMES, STARTS, TOUCH_CANCELLED, Event
from quintet.engine.failures import Diverged, Failure, ProgramError
from quintet.engine.gates import Gate, Gatehouse, Give, Go, Refuse, Verdict, interrupted
from quintet.engine.journal import Addition, Journal, Row
from quintet.engine.machine import Machine
from quintet.engine.orders import Halt, Order, Perform
from quintet.engine.paths import Path, parse, without_attempts, write
from quintet.engine.programs import Program
from quintet.engine.questions import Question
from quintet.engine.rules import DEFAULT_RULES, Rules
from quintet.engine.scopes import CANCELLED, Result, Returned
from quintet.engine.states import Status
from quintet.engine.touches import Command, Finished, Note, Outcome, Stop, Touch
from quintet.engine.values import Json, decode, encode, fingerprint

Standing: TypeAlias = Literal["busy", "waiting", "over"]
"""`busy`: something is under way.  `waiting`: nothing can happen until a person acts.  `over`: the program
has ended, and so have all performers."""

Urgency: TypeAlias = Literal["now", "soon", "never"]
"""Of an append.  `now`: the program, or a touch, can only go on after it.  `soon`: it is worth seeing."""


class Execution:
    """A run, from its log so far to its end."""

    def __init__(
        self, program: Program, log: Sequence[Event], *, written: int = 0, rules: Rules = DEFAULT_RULES
    ) -> None:
        """Start a program and feed it its log.

        Args:
            program: What the run does.
            log: Its outcomes and host events, in order; `run.created` is the first.
            written: How many starts and notes the log holds beside them.
            rules: How touches are treated.
        """
        self.created = Created.from_event(log[0])
        program.check(self.created.program, self.created.versions)
        self._rules = rules
        self._journal = Journal(rules.redactor, written=written)
        self._gates = Gatehouse(rules.gatekeepers)
        self._clocks = Clocks()
        self._since = log[0].time
        self._orders: list[Order] = []
        self._open: dict[Touch, None] = {}
        self._begun: set[Touch] = set()
        """Open touches whose start was in the log when the run was taken up."""
        self._performing: dict[Touch, bool] = {}
        """Whether what comes of it is wanted: not when a question was answered elsewhere."""
        self._settled: set[Touch] = set()
        """Open touches whose outcome is on its way."""
        self._after_commit: list[Touch] = []
        self._is_cancelling = False
        self._is_live = False
        self._machine = Machine(
            program.body, (self.created.arguments,), version=self.created.versions, time=self.created.began
        )
        self._replay(log)
        self._journal.replay_ended(len(log) + written)

    # What a host asks

    @property
    def status(self) -> Status:
        return self._journal.status

    @property
    def result(self) -> Result[Any] | None:
        """How the program ended; None while it runs."""
        return self._machine.result

    @property
    def standing(self) -> Standing:
        if self._performing or self._orders or self.urgency == "now":
            return "busy"
        return "waiting" if self.result is None else "over"

    @property
    def urgency(self) -> Urgency:
        """How urgent it is to append what waits.

        The end of a cancelled run is kept in one piece: the log has no event that a replay could cancel at.
        """
        if self._is_cancelling:
            return "never"
        if self._journal.outcomes or self._after_commit:
            return "now"
        return "soon" if len(self._journal) else "never"

    @property
    def open_touches(self) -> Collection[Touch]:
        """What the program waits for, in the order in which it asked."""
        return self._open.keys()

    @property
    def has_undelivered(self) -> bool:
        """Whether outcomes wait to be kept."""
        return self._journal.outcomes > 0

    def due(self, timer: Touch) -> float:
        """When a timer fires: so long after it was set, but never counted from before this run began."""
        return max(timer.opened, self._since) + float(timer.text)

    def idempotency_key(self, touch: Touch) -> str:
        """The same for every performance of a touch that could be the one that takes effect."""
        path = write(without_attempts(touch.path))
        renewals = touch.renewals + self.created.renewed.get(path, 0)
        return fingerprint(self.created.origin, path, touch.fingerprint, str(renewals))

    def question(self, target: str) -> Question | None:
        """What is asked under this name now: by a gate, or by the program."""
        gate = self._gates.gate(target)
        if gate is not None:
            return gate.question
        touch = self._machine.find(parse(target), "question")
        if touch is None or touch in self._settled:
            return None
        return Question.from_json(touch.request)

    # What a host tells

    def start(self) -> None:
        """Begin to work: give orders for all that is open."""
        self._is_live = True
        for touch in list(self._open):
            self._admit(touch, may_have_happened=touch in self._begun)
        self._begun.clear()

    def begin(self, touch: Touch, now: float) -> None:
        """A touch is really performed from now on."""
        if touch.kind != "question":  # a person's time is nobody's time limit
            self._clocks.begin(touch, now)
            self._set_alarms()

    def settle(self, touch: Touch, now: float, value: object = None, failure: Failure | None = None) -> None:
        """A performer has ended, and this is what it gave."""
        if self._end(touch, now):
            self._record(touch, value, failure)

    def halted(self, touch: Touch, now: float) -> None:
        """A performer has ended without giving anything: it was halted, or a question found nobody here."""
        self._end(touch, now)

    def strike(self, alarm: Touch) -> None:
        """The time of a deadline is over."""
        if alarm.open and alarm not in self._settled:
            self._record(alarm, None, Failure("timeout", f"timed out after {alarm.text}s"))

    def answer(self, target: str, answer: Json, request: int = 0) -> bool:
        """Somebody answers a question or a gate.  False if that is not asked (any more).

        Raises WrongAnswer where the answer does not fit.
        """
        question = self.question(target)
        if question is None:
            return False
        question.check(answer)
        self._settle_request(request)
        if self._gates.gate(target) is not None:
            self._open_gate(target, self._rules.redactor.value(answer))
        else:
            self._answer_question(parse(target), answer)
        return True

    def cancel(self, request: int = 0) -> None:
        """Somebody cancels the run: everything is stopped, and it ends when all performers have."""
        self._settle_request(request)
        if self.result is None:
            self._is_cancelling = True
            self._machine.cancel_all()
            self._after_commit.clear()
            self._absorb()

    def take_orders(self) -> list[Order]:
        """What the host has to do now, in order."""
        orders, self._orders = self._orders, []
        return orders

    # The log

    def flush(self, now: float) -> Addition:
        """Everything that is to be appended now; `commit` it when it is kept, `put_back` when it is not."""
        return self._journal.flush(now)

    def flush_settled(self, touch: Touch, now: float, value: object) -> Event:
        """What an effect in the store gave, as an event right behind those that were flushed.

        Raises TypeError or ValueError if it is not JSON.
        """
        clean = self._rules.redactor.value(value)
        row = Row(
            OUTCOMES[touch.kind],
            touch.path,
            0,
            encode({"value": clean}),
            touch.fingerprint,
            touch.outcome(clean),
        )
        event = self._journal.flush_also(row)
        self._end(touch, now)
        return event

    def commit(self, *, deliver: bool = True) -> None:
        """What was flushed is kept: the program learns of the outcomes in it, one at a time.

        A host that is about to suspend does not deliver them: the next replay will.
        """
        touches, self._after_commit = self._after_commit, []
        for outcome in self._journal.kept():
            if deliver:
                self._deliver(outcome)
                self._absorb()
        for touch in touches:
            if touch.open:
                self._admit(touch, is_kept=True)

    def put_back(self) -> None:
        """The flushed events were not kept."""
        self._journal.put_back()

    def change_status(self, kind: str, data: Json = None) -> None:
        """Say that the run is paused, or goes on."""
        self._journal.host(kind, data)

    def conclude(self) -> None:
        """Say how the run ended; nothing follows."""
        match self.result:
            case Returned(value):
                self._complete(value)
            case Failure() as failure if failure is not CANCELLED:
                self._journal.host("run.failed", {"failure": failure.to_json()})
            case _:
                self._journal.host("run.cancelled")

    def close(self) -> None:
        """Let go of the program: it holds no memory from here on."""
        self._machine.close()

    def _complete(self, value: object) -> None:
        try:
            self._journal.host("run.completed", {"output": cast(Json, value)})
        except (TypeError, ValueError) as error:
            raise ProgramError(f"the program returned something that is not JSON: {error}") from error

    # Taking outcomes over from another run

    def take_over(self, event: Event, *, run: str, changed: bool) -> Touch | None:
        """Record the outcome of another run as one of this run's, if its touch is open here.

        Gives that touch.  With `changed`, whatever the touch asks now; else only if it asks the same.
        """
        touch = self._machine.find(event.path, KIND_OF_OUTCOME[event.kind])
        if touch is None or touch in self._settled or not (changed or touch.fingerprint == event.fingerprint):
            return None
        outcome = _outcome_of(event)
        data: Any = decode(event.data)
        taken = data.get("taken") or {"run": run, "seq": event.seq, "time": event.time}
        self._settled.add(touch)
        self._journal.outcome(
            event.kind, outcome._replace(seq=0), touch.fingerprint, encode({**data, "taken": taken})
        )
        return touch

    # Replay

    def _replay(self, log: Iterable[Event]) -> None:
        stopped: set[Path] = set()
        self._absorb(stopped)
        for event in log:
            self._journal.replayed(event)
            if event.kind in KIND_OF_OUTCOME:
                self._replay_outcome(event, stopped)
            elif event.kind.startswith("gate."):
                self._replay_gate(event)

    def _replay_outcome(self, event: Event, stopped: set[Path]) -> None:
        """Feed the machine; an outcome may only be late if its touch was stopped in this replay, too."""
        try:
            in_time = self._deliver(_outcome_of(event))
            if not in_time and event.path not in stopped:
                raise Diverged(event.path, "the log holds an outcome that nothing waits for any more")
        except Diverged as diverged:
            raise Diverged(diverged.path, diverged.difference, self.created.recorder) from None
        stopped.discard(event.path)
        self._absorb(stopped)

    def _replay_gate(self, event: Event) -> None:
        data: Any = decode(event.data)
        if event.kind == "gate.asked":
            self._gates.was_asked(data["gate"])
        else:
            self._gates.answers[data["gate"]] = data["answer"]

    # Commands of the machine

    def _absorb(self, stopped: set[Path] | None = None) -> None:
        """Take what came out of the machine: starts and notes for the log, orders for the host."""
        for command in self._machine.take():
            self._obey(command, stopped)

    def _obey(self, command: Command, stopped: set[Path] | None) -> None:
        match command:
            case Touch(kind="deadline"):
                self._clocks.open(command)
            case Touch():
                self._begin_touch(command)
            case Stop(touch=touch) if touch.kind == "deadline":
                self._forget_alarm(touch)
            case Stop(touch=touch, cause=cause):
                self._stop(touch, cause)
                if stopped is not None:
                    stopped.add(touch.path)
            case Note(path=path, kind=kind, text=text, cause=cause):
                self._journal.follow(kind, path, cause, text)
            case Finished():
                pass

    def _begin_touch(self, touch: Touch) -> None:
        kind = STARTS[touch.kind]
        is_new = self._journal.follow(kind, touch.path, touch.cause, touch.text, touch.fingerprint)
        self._open[touch] = None
        if self._is_live:
            self._admit(touch)
        elif not is_new:
            self._begun.add(touch)

    def _stop(self, touch: Touch, cause: int) -> None:
        self._journal.follow(TOUCH_CANCELLED, touch.path, cause, "null")
        self._forget(touch)
        self._gates.leave(touch)
        if touch in self._performing:
            self._orders.append(Halt(touch))

    # Gates

    def _admit(self, touch: Touch, *, may_have_happened: bool = False, is_kept: bool = False) -> None:
        """Let a touch be performed, or hold it at a gate."""
        if touch.kind == "question" and not self._rules.asks:
            return
        verdict = self._gates.verdict(touch)
        unsafe = self._rules.is_unsafe(touch)
        if may_have_happened and unsafe and not self._waits_at(verdict, touch):
            verdict = interrupted(touch, self._gates.answers)
        if isinstance(verdict, Gate):
            self._hold(verdict, touch)
        elif not isinstance(verdict, Go):
            self._apply(verdict, touch)
        elif unsafe and not is_kept:
            self._after_commit.append(touch)
        else:
            self._performing[touch] = True
            self._orders.append(Perform(touch))

    def _waits_at(self, verdict: Verdict | Gate, touch: Touch) -> bool:
        return isinstance(verdict, Gate) and self._gates.has_asked(verdict, touch)

    def _hold(self, gate: Gate, touch: Touch) -> None:
        if self._gates.hold(gate, touch):
            path = () if gate.shared else touch.path
            question = {"gate": gate.name(touch), "question": gate.question.to_json()}
            self._journal.host("gate.asked", question, path)

    def _open_gate(self, name: str, answer: Json) -> None:
        """A gate is answered: its outcomes are kept together with the answer, never without it."""
        self._journal.host("gate.answered", {"gate": name, "answer": answer})
        for touch, verdict in self._gates.open(name, answer):
            self._apply(verdict, touch)

    def _apply(self, verdict: Verdict, touch: Touch) -> None:
        match verdict:
            case Go():
                self._after_commit.append(touch)
            case Refuse(failure=failure):
                self._record(touch, None, failure)
            case Give(value=value):
                self._record(touch, value, None)

    # Outcomes

    def _answer_question(self, path: Path, answer: Json) -> None:
        touch = self._machine.find(path, "question")
        assert touch is not None
        if touch in self._performing:
            self._performing[touch] = False
            self._orders.append(Halt(touch))
        self._record(touch, answer, None)

    def _record(self, touch: Touch, value: object, failure: Failure | None) -> None:
        outcome, data = self._outcome(touch, value, failure)
        if touch.open:
            self._settled.add(touch)
        self._journal.outcome(OUTCOMES[touch.kind], outcome, touch.fingerprint, data)

    def _outcome(self, touch: Touch, value: object, failure: Failure | None) -> tuple[Outcome, str]:
        """What the log and the program are given: JSON, and without secrets."""
        redactor = self._rules.redactor
        if failure is None:
            try:
                clean = redactor.value(value)
                return touch.outcome(clean), encode({"value": clean})
            except (TypeError, ValueError) as error:
                failure = Failure("invalid_result", f"it gave something that is not JSON: {error}")
        failure = redactor.failure(failure)
        return touch.outcome(None, failure), encode({"failure": failure.to_json()})

    def _deliver(self, outcome: Outcome) -> bool:
        """The program learns of an outcome.  False if it is too late."""
        touch = self._machine.advance(outcome)
        if touch is None:
            return False
        if touch.kind == "deadline":
            self._forget_alarm(touch)
        else:
            self._forget(touch)
        return True

    def _forget(self, touch: Touch) -> None:
        self._open.pop(touch, None)
        self._settled.discard(touch)
        self._begun.discard(touch)

    def _forget_alarm(self, alarm: Touch) -> None:
        self._settled.discard(alarm)
        self._clocks.close(alarm)
        self._set_alarms()

    def _end(self, touch: Touch, now: float) -> bool:
        """A touch is performed no longer.  True if what came of it is wanted."""
        self._clocks.end(touch, now)
        self._set_alarms()
        return self._performing.pop(touch)

    def _set_alarms(self) -> None:
        self._orders += self._clocks.orders
        self._clocks.orders.clear()

    def _settle_request(self, request: int) -> None:
        if request:
            self._journal.settle_request(request)


def _outcome_of(event: Event) -> Outcome:
    """What a recorded outcome says; one that was taken over keeps the time at which it first came."""
    data: Any = decode(event.data)
    failure = Failure.from_json(data["failure"]) if "failure" in data else None
    time = data["taken"]["time"] if "taken" in data else event.time
    return Outcome(
        event.path,
        KIND_OF_OUTCOME[event.kind],
        data.get("value"),
        failure,
        time,
        event.seq,
        event.fingerprint,
    )
