"""Execution: one run being worked on, between the machine that decides and a host that performs.

A host is a loop around this class, and all hosts are the same loop:

    execution.start()
    while execution.standing != "over":
        for order in execution.take_orders(): …      # perform a touch, halt one, set an alarm
        execution.tick(now)                          # something happens:
        execution.settle(touch, value)               #   a performer has ended
        addition = execution.flush()                 # what that adds to the log
        …                                            # append it, and wait until it is kept
        execution.commit()                           # only now the program learns of it
    execution.conclude()                             # and the last append says how the run ended

It knows the rules that stand between the two: an outcome is recorded before the program sees it; what was
recorded once is never written again; gates hold touches; a touch that is unsafe to repeat is begun only when
its start is kept; nothing follows the event that ends a run.  It does no I/O and reads no clock.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal, TypeAlias

from quintet.engine import outcomes
from quintet.engine.clocks import Clocks, left_when_paused
from quintet.engine.created import Created
from quintet.engine.endings import conclude
from quintet.engine.events import OUTCOMES, Event
from quintet.engine.failures import Failure, ProgramError
from quintet.engine.gates import Gate, Gatehouse, Give, Go, Refuse, Verdict, Wait
from quintet.engine.journal import Addition
from quintet.engine.orders import Halt, Order, Perform
from quintet.engine.paths import Path, without_attempts, write
from quintet.engine.programs import Program
from quintet.engine.progress import Progress
from quintet.engine.questions import Asked, Question, WrongAnswer
from quintet.engine.rules import DEFAULT_RULES, Rules
from quintet.engine.scopes import Result
from quintet.engine.states import Status
from quintet.engine.touches import Outcome, Stop, Touch
from quintet.engine.values import Json, fingerprint

Standing: TypeAlias = Literal["busy", "waiting", "over"]
"""`busy`: something is under way.  `waiting`: nothing can happen until a person acts.  `over`: the program
has ended, and so have all performers."""

Urgency: TypeAlias = Literal["now", "soon", "never"]
"""Of an append.  `now`: the program, or a touch, can only go on after it.  `soon`: it is worth seeing."""


class Execution:
    """A run, from its log so far to its end."""

    def __init__(
        self,
        program: Program,
        log: Sequence[Event],
        *,
        last: Event | None = None,
        starts: Sequence[Event] = (),
        rules: Rules = DEFAULT_RULES,
        overridden: Json = None,
    ) -> None:
        """Start a program and feed it its log.

        Args:
            program: What the run does.
            log: Its outcomes and host events, in order; `run.created` is the first.
            last: The last event of all, where that is not the last of these.
            starts: The starts in it of what has neither an outcome nor been cancelled.
            rules: How touches are treated.
            overridden: What a run that is taken up goes on with instead of what it began with.
        """
        last = last or log[-1]
        self._rules = rules
        self._gates = Gatehouse(rules.gatekeepers, rules.ledgers)
        self._gates.replay(log)
        self._progress = Progress(program, log, last, starts, rules.redactor)
        self._journal = self._progress.journal
        self._clocks = Clocks(log[0].time)
        left = left_when_paused(log)
        for alarm in self._progress.alarms:
            self._clocks.open(alarm, left.get(write(alarm.path)))
        self._now = self._steady = 0.0
        self._orders: list[Order] = []
        self._performing: set[Touch] = set()
        self._after_commit: list[Touch] = []
        """Touches that may be performed once what waits is kept."""
        self._queued: dict[Touch, bool] = {}
        """Touches that are looked at again when others have ended, and whether they may have happened."""
        self._is_live = False
        self._is_cancelling = False
        self._overridden = overridden
        self._is_taken_up = last.kind != "run.started"
        """Whether somebody worked on it before, and the log does not say yet that it goes on."""

    # What a host asks

    @property
    def created(self) -> Created:
        return self._progress.created

    @property
    def status(self) -> Status:
        return self._journal.status

    @property
    def result(self) -> Result[Any] | None:
        """How the program ended; None while it runs."""
        return self._progress.result

    @property
    def standing(self) -> Standing:
        if self._performing or self._orders or self.urgency == "now":
            return "busy"
        return "waiting" if self.result is None and not self._is_cancelling else "over"

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
    def has_undelivered(self) -> bool:
        """Whether outcomes wait to be kept."""
        return self._journal.outcomes > 0

    def due(self, timer: Touch) -> float:
        """When a timer fires."""
        return self._clocks.due(timer, self._now)

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
        touch = self._progress.questions.get(target)
        if touch is None or touch in self._progress.settled:
            return None
        return Question.from_json(touch.request)

    @property
    def asked(self) -> list[Asked]:
        """All that is asked now."""
        targets = [*self._progress.questions, *self._gates.held]
        return [Asked(target, question) for target in targets if (question := self.question(target))]

    # What a host tells

    def tick(self, now: float, steady: float | None = None) -> None:
        """Time goes on: to be told before anything else that a host tells.

        Args:
            now: Seconds since 1970, for the log and the program.
            steady: Seconds on a clock that nobody can set, for time limits.
        """
        self._journal.tick(now)
        self._now, self._steady = now, now if steady is None else steady

    def start(self) -> None:
        """Begin to work: give orders for all that is open."""
        self._is_live = True
        begun = self._progress.begun.copy()
        for touch in list(self._progress.open):
            if touch not in self._progress.settled and not self._progress.takes_offer(touch):
                self._admit(touch, may_have_happened=touch in begun)
        if self._is_taken_up and (self.status == "running" or self._orders or len(self._journal)):
            self._go_on()

    def begin(self, touch: Touch) -> None:
        """A touch is really performed from now on."""
        self._clocks.begin(touch, self._steady)
        self._set_alarms()

    def rest(self, touch: Touch) -> None:
        """Its performer waits for something that is not its work; `begin` it again when it goes on."""
        self._clocks.end(touch, self._steady)
        self._set_alarms()

    def settle(self, touch: Touch, value: object = None, failure: Failure | None = None) -> None:
        """A performer has ended, and this is what it gave."""
        self.halted(touch)
        self._progress.record(touch, value, failure)

    def halted(self, touch: Touch) -> None:
        """A performer has ended without giving anything."""
        self._performing.remove(touch)
        self._clocks.end(touch, self._steady)
        self._set_alarms()

    def strike(self, alarm: Touch) -> None:
        """The time of a deadline is over."""
        if alarm.open and alarm not in self._progress.settled:
            self._progress.record(alarm, None, Failure("timeout", f"timed out after {alarm.text}s"))

    def answer(self, target: str, answer: Json, request: int = 0) -> bool:
        """Somebody answers a question or a gate.  False if that is not asked.  Raises WrongAnswer."""
        question = self.question(target)
        if question is None:
            return False
        question.check(answer)
        try:
            clean = self._rules.redactor.value(answer)
        except outcomes.NO_JSON as error:
            raise WrongAnswer(f"an answer must be JSON: {error}") from error
        self._go_on()
        self._journal.settle_request(request)
        if self._gates.gate(target) is not None:
            self._open_gate(target, clean)
        else:
            self._progress.record(self._progress.questions[target], clean, None)
        return True

    def cancel(self, request: int = 0) -> None:
        """Somebody cancels the run: everything is stopped, and it ends when all performers have."""
        self._journal.settle_request(request)
        if self.result is not None:
            return  # it has just ended by itself
        self._is_cancelling = True
        self._after_commit.clear()
        try:
            self._progress.cancel()
        except ProgramError:  # a bug in clean-up code is no reason to go on
            self._orders += map(Halt, self._performing)
        self._absorb()

    def offer(self, event: Event) -> None:
        """An outcome of another run, to be recorded as one of this run's (see `engine.offers`)."""
        self._progress.offer(event)

    @property
    def offers(self) -> list[Json]:
        """What was offered and not taken yet."""
        return self._progress.offers.to_json()

    @property
    def taken(self) -> Sequence[tuple[Path, bool]]:
        """Touches that took an outcome over, and whether they ask something else than was asked there."""
        return self._progress.taken

    def take_orders(self) -> list[Order]:
        """What the host has to do now, in order."""
        orders, self._orders = self._orders, []
        return orders

    # The log

    def flush(self) -> Addition:
        """Everything that is to be appended now; `commit` it when it is kept, `put_back` when it is not."""
        return self._journal.flush()

    def commit(self, *, deliver: bool = True) -> None:
        """What was flushed is kept: the program learns of the outcomes in it, one at a time.

        A host that is about to suspend does not deliver them: the next replay will.
        """
        touches, self._after_commit = self._after_commit, []
        for outcome in self._journal.kept():
            if deliver and not self._is_cancelling:
                self._learn(outcome)
        for touch in touches:
            if touch.open:
                self._admit(touch, is_kept=True)
        if deliver:
            self._admit_queued()

    def effect(self, touch: Touch) -> Callable[[object], Event]:
        """How an effect in the store is recorded: what it gave, as the event behind those that were flushed.

        That function may be called in another thread, within the transaction.  It raises Failed if that is
        not JSON.
        """
        event = self._journal.next(OUTCOMES[touch.kind], touch.path, touch.fingerprint)
        redactor = self._rules.redactor
        return lambda value: event._replace(data=outcomes.value(value, redactor))

    def commit_effect(self, touch: Touch, event: Event) -> None:
        """What was flushed is kept, and the outcome of an effect behind it."""
        self.commit()
        self.halted(touch)
        self._journal.kept_next()
        self._learn(outcomes.read(event))

    def put_back(self) -> None:
        """The flushed events were not kept."""
        self._journal.put_back()

    def pause(self) -> None:
        """Say that nothing happens until a person acts."""
        if self.status == "running" or len(self._journal):
            self._journal.host("run.paused", {"left": self._clocks.left} if self._clocks.left else None)

    def conclude(self) -> None:
        """Say how the run ended; nothing follows."""
        conclude(self._journal, self.result, self._rules.redactor)

    def close(self) -> None:
        """Let go of the program: it holds no memory from here on."""
        self._progress.close()

    def _go_on(self) -> None:
        """Say, once and before all else, that a run that was recorded earlier goes on."""
        if self._is_taken_up:
            self._is_taken_up = False
            self._journal.host_first("run.resumed", self._overridden)

    # What comes out of the program

    def _learn(self, outcome: Outcome) -> None:
        """The program learns of an outcome, and goes on."""
        self._gates.learn(outcome)
        touch = self._progress.learn(outcome)
        if touch is not None and touch.kind == "deadline":
            self._drop_alarm(touch)
        self._absorb()

    def _absorb(self) -> None:
        for command in self._progress.absorb():
            if isinstance(command, Stop):
                self._stop(command.touch)
            elif command.kind == "deadline":
                self._clocks.open(command)
            elif not self._progress.takes_offer(command) and self._is_live:
                self._admit(command)

    def _stop(self, touch: Touch) -> None:
        if touch.kind == "deadline":
            self._drop_alarm(touch)
            return
        self._gates.leave(touch)
        if touch in self._performing:
            self._orders.append(Halt(touch))

    def _drop_alarm(self, alarm: Touch) -> None:
        self._clocks.close(alarm)
        self._set_alarms()

    def _set_alarms(self) -> None:
        self._orders += self._clocks.orders
        self._clocks.orders.clear()

    # Gates

    def _admit(self, touch: Touch, *, may_have_happened: bool = False, is_kept: bool = False) -> None:
        """Let a touch be performed, or hold it at a gate."""
        if touch.kind == "question" or not touch.open:  # a person's time; stopped in the same breath
            return
        is_unsafe = self._rules.is_unsafe(touch)
        if is_unsafe and not is_kept:
            may_have_happened |= self._progress.may_have_happened(touch.path)
        verdict = self._gates.verdict(touch, may_have_happened=may_have_happened and is_unsafe)
        if isinstance(verdict, Gate):
            self._hold(verdict, touch)
        elif isinstance(verdict, Wait):
            self._queued[touch] = may_have_happened
        elif not isinstance(verdict, Go):
            self._apply(verdict, touch)
        elif is_unsafe and not is_kept:
            self._after_commit.append(touch)
        else:
            self._performing.add(touch)
            self._orders.append(Perform(touch))

    def _admit_queued(self) -> None:
        """Something has ended that others waited for."""
        queued, self._queued = self._queued, {}
        for touch, may_have_happened in queued.items():
            self._admit(touch, may_have_happened=may_have_happened)

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
                self._progress.record(touch, None, failure)
            case Give(value=value):
                self._progress.record(touch, value, None)
