"""Progress: a program and its log, in step.

Whatever comes out of the machine is entered into the journal, and whatever is in the log has been fed to the
machine: that is all a replay is.  Who performs what, and whether it may be performed, is decided elsewhere
(see `engine.execution`); here is only what was asked and what became of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from quintet.engine import outcomes
from quintet.engine.created import Created
from quintet.engine.events import KIND_OF_OUTCOME, KIND_OF_START, OUTCOMES, STARTS, TOUCH_CANCELLED, Event
from quintet.engine.failures import INTERRUPTED, Diverged, Failure
from quintet.engine.journal import Journal
from quintet.engine.machine import Machine
from quintet.engine.offers import Offers
from quintet.engine.paths import Path, parse, without_attempts, write
from quintet.engine.programs import Program
from quintet.engine.redaction import Redactor
from quintet.engine.scopes import Result
from quintet.engine.touches import Finished, Note, Outcome, Stop, Touch, shortened


class Progress:
    """How far a run has come."""

    def __init__(
        self,
        program: Program,
        log: Sequence[Event],
        last: Event,
        starts: Sequence[Event],
        redactor: Redactor,
    ) -> None:
        """Start a program and feed it its log.  Raises Diverged, Unsupported, ProgramError."""
        self.created = Created.from_event(log[0])
        program.check(self.created.program, self.created.versions)
        self.journal = Journal(redactor, seq=last.seq, written=last.seq - len(log), now=last.time)
        self.open: dict[Touch, None] = {}
        """What the program waits for, in the order in which it asked."""
        self.begun: set[Touch] = set()
        """Open touches whose start was in the log when the run was taken up."""
        self.cut: set[Path] = {parse(path) for path in self.created.cut}
        """Where something was begun whose end nobody knows, attempts left out of the paths."""
        self.settled: set[Touch] = set()
        """Open touches and time limits whose outcome is on its way."""
        self.questions: dict[str, Touch] = {}
        """Open questions, by what an answer is addressed to."""
        self.alarms: dict[Touch, None] = {}
        """Open time limits."""
        self.offers = Offers(self.created.offers, changed=self.created.takes_changed)
        self.taken: list[tuple[Path, bool]] = []
        """Touches that took an outcome over from another run, and whether they now ask something else."""
        self._redactor = redactor
        self._machine = Machine(
            program.body,
            (self.created.arguments,),
            version=self.created.versions,
            time=self.created.began,
            run_id=self.created.origin,
        )
        try:
            stopped = self._replay(log)
            self._match(start for start in starts if start.path not in stopped)
        except BaseException:
            self.close()
            raise

    @property
    def result(self) -> Result[Any] | None:
        """How the program ended; None while it runs."""
        return self._machine.result

    def close(self) -> None:
        """Let go of the program: it holds no memory from here on."""
        self._machine.close()

    # From the program to the log

    def absorb(self) -> Iterator[Touch | Stop]:
        """Enter what came out of the program; gives what a host has to begin or to stop."""
        for command in self._machine.take():
            match command:
                case Touch():
                    self._open(command)
                    yield command
                case Stop(touch=touch, cause=cause):
                    self._close(touch)
                    self._remember_cut(touch.path)
                    if touch.kind != "deadline":
                        self.journal.follow(TOUCH_CANCELLED, touch.path, cause, "null")
                    yield command
                case Note(path=path, kind=kind, text=text, cause=cause):
                    self.journal.follow(kind, path, cause, text)
                case Finished():
                    pass

    def cancel(self) -> None:
        """Cancel the program from outside."""
        self._machine.cancel_all()

    # From the log to the program

    def learn(self, outcome: Outcome) -> Touch | None:
        """The program learns of an outcome, and goes on; gives the touch, or None where it is too late.

        One that was taken over may be older than what the program knows: `now()` stands still then.
        """
        if outcome.time < self._machine.time:
            outcome = outcome._replace(time=self._machine.time)
        touch = self._machine.advance(outcome)
        self._settle_cut(outcome, in_time=touch is not None)
        if touch is not None:
            self._close(touch)
        return touch

    # From the world to the log

    def record(self, touch: Touch, value: object, failure: Failure | None) -> None:
        """Something became of a touch."""
        outcome, data = outcomes.write(touch, value, failure, self._redactor, self.journal.time)
        if touch.open:
            self.settled.add(touch)
        self.journal.outcome(OUTCOMES[touch.kind], outcome, touch.fingerprint, data)

    def offer(self, event: Event) -> None:
        """Record an outcome of another run as one of this run's, now or when its touch is opened."""
        touch = self._machine.find(event.path, KIND_OF_OUTCOME[event.kind])
        if touch is None:
            self.offers.put(event)
        elif touch not in self.settled and self.offers.fits(event, touch):
            self._take(touch, event)

    def takes_offer(self, touch: Touch) -> bool:
        """Whether a touch has taken an outcome that was on offer for it."""
        event = self.offers.take(touch)
        if event is not None:
            self._take(touch, event)
        return event is not None

    def _take(self, touch: Touch, event: Event) -> None:
        self.settled.add(touch)
        self.taken.append((touch.path, touch.fingerprint != event.fingerprint))
        outcome = outcomes.read(event)._replace(seq=0, fingerprint=None)  # that of the touch, from here on
        self.journal.outcome(event.kind, outcome, touch.fingerprint, event.data)

    # Replay

    def _replay(self, log: Sequence[Event]) -> set[Path]:
        """Feed the machine; an outcome may only be late if its touch was stopped in this replay, too.

        Time limits are not looked at: each is stopped at its end, and it may have struck at that moment.
        """
        stopped: set[Path] = set()
        self._absorb_replayed(stopped)
        for event in log:
            self.journal.replayed(event)
            if event.kind in KIND_OF_OUTCOME:
                self._replay_outcome(event, stopped)
                self._absorb_replayed(stopped)
        if left := self.journal.written:
            raise self._diverged((), f"the log holds {left} starts or notes more than it gives now")
        return stopped

    def _replay_outcome(self, event: Event, stopped: set[Path]) -> None:
        try:
            is_late = self.learn(outcomes.read(event)) is None
        except Diverged as diverged:
            raise self._diverged(diverged.path, diverged.difference) from None
        if is_late and event.kind != OUTCOMES["deadline"] and event.path not in stopped:
            raise self._diverged(event.path, "the log holds an outcome that nothing waits for any more")
        stopped.discard(event.path)

    def _match(self, starts: Iterable[Event]) -> None:
        """What was begun and has not ended must be asked for again, and in the same words."""
        asked = {touch.path: touch for touch in self.open}
        for start in starts:
            touch, kind = asked.get(start.path), KIND_OF_START[start.kind]
            if touch is None or touch.kind != kind:
                raise self._diverged(
                    start.path, f"the log holds the start of a {kind}, which it does not ask for"
                )
            if touch.fingerprint != start.fingerprint:
                raise self._diverged(start.path, f"it now asks {shortened(touch.text)}")
            self.begun.add(touch)

    def _diverged(self, path: Path, difference: str) -> Diverged:
        return Diverged(path, self._redactor.text(difference), self.created.recorder)

    def _absorb_replayed(self, stopped: set[Path]) -> None:
        for command in self.absorb():
            if isinstance(command, Stop) and command.touch.kind != "deadline":
                stopped.add(command.touch.path)

    # What is open

    def _open(self, touch: Touch) -> None:
        if touch.kind == "deadline":
            self.alarms[touch] = None
            return
        kind = STARTS[touch.kind]
        self.journal.follow(kind, touch.path, touch.cause, touch.text, touch.fingerprint)
        self.open[touch] = None
        if touch.kind == "question":
            self.questions[write(touch.path)] = touch

    def may_have_happened(self, path: Path) -> bool:
        """Whether another attempt has begun the same, and nobody knows its end or it was done."""
        is_cut = bool(self.cut) and without_attempts(path) in self.cut
        return is_cut or self.offers.has_another_attempt(path)

    def _remember_cut(self, path: Path) -> None:
        """Nobody knows what became of it; only another attempt can ask for the same again."""
        if any(segment.attempt for segment in path):
            self.cut.add(without_attempts(path))

    def _settle_cut(self, outcome: Outcome, *, in_time: bool) -> None:
        """What became of it is known now; unless it came too late, so that it may be asked for once more."""
        failure = outcome.failure
        if failure is not None and failure.kind == INTERRUPTED:
            self._remember_cut(outcome.path)
        elif self.cut and (in_time or (failure is not None and failure.definite)):
            self.cut.discard(without_attempts(outcome.path))

    def _close(self, touch: Touch) -> None:
        self.settled.discard(touch)
        if touch.kind == "deadline":
            self.alarms.pop(touch, None)
            return
        self.open.pop(touch, None)
        self.begun.discard(touch)
        if touch.kind == "question":
            self.questions.pop(write(touch.path), None)
