"""A run worked on by hand: tests say what becomes of its touches, when that is kept, and when it dies."""

from __future__ import annotations

from collections.abc import Sequence

from quintet.engine.created import Created
from quintet.engine.events import Event, family, unfinished
from quintet.engine.execution import Execution
from quintet.engine.failures import Failure
from quintet.engine.orders import Arm, Disarm, Halt, Order, Perform
from quintet.engine.paths import write
from quintet.engine.programs import Program, ProgramBody, Version
from quintet.engine.rules import DEFAULT_RULES, Rules
from quintet.engine.touches import Touch
from quintet.engine.values import Json


class Desk:
    """A host without a loop."""

    def __init__(
        self,
        body: ProgramBody,
        *,
        arguments: Json = None,
        rules: Rules = DEFAULT_RULES,
        log: Sequence[Event] = (),
        now: float = 0.0,
        versions: tuple[Version, ...] = (),
    ) -> None:
        self.program = Program("p", body, versions)
        self.rules = rules
        created = Created.of(self.program, arguments, origin="run", now=now)
        self.log: list[Event] = [*log] or created.first_events(now, rules.redactor)
        read = [event for event in self.log if family(event.kind) in ("outcome", "host")]
        starts = unfinished(self.log)
        self.execution = Execution(self.program, read, last=self.log[-1], starts=starts, rules=rules)
        self.performing: dict[str, Touch] = {}
        """What is performed, by the text of its path."""
        self.performed: list[tuple[str, str]] = []
        """All that was ever performed here, each with its idempotency key."""
        self.halted: list[str] = []
        """What was told to stop and has not ended yet."""
        self.alarms: dict[str, tuple[Touch, float]] = {}
        self.execution.tick(now)
        self.execution.start()
        self.obey()

    def again(self, body: ProgramBody | None = None, *, now: float = 0.0) -> Desk:
        """The process has died here: what was kept is taken up by another."""
        self.execution.close()
        return Desk(
            body or self.program.body,
            rules=self.rules,
            log=self.log,
            now=now,
            versions=self.program.versions,
        )

    def tick(self, now: float) -> None:
        self.execution.tick(now)

    def obey(self) -> None:
        while orders := self.execution.take_orders():
            for order in orders:
                self._obey(order)

    def _obey(self, order: Order) -> None:
        match order:
            case Perform(touch):
                self.performing[write(touch.path)] = touch
                self.performed.append((write(touch.path), self.execution.idempotency_key(touch)))
                self.execution.begin(touch)
            case Halt(touch):
                self.halted.append(write(touch.path))
            case Arm(alarm, seconds):
                self.alarms[write(alarm.path)] = (alarm, seconds)
            case Disarm(alarm):
                self.alarms.pop(write(alarm.path), None)

    def give(self, path: str, value: object = None, *, failure: Failure | None = None) -> None:
        """A performer ends, and this is what it gave."""
        self.execution.settle(self.performing.pop(path), value, failure)

    def stop(self, path: str) -> None:
        """A performer ends because it was told to."""
        self.halted.remove(path)
        self.execution.halted(self.performing.pop(path))

    def strike(self, path: str) -> None:
        """The time of a deadline is over."""
        self.execution.strike(self.alarms.pop(path)[0])

    def keep(self, *, deliver: bool = True) -> list[str]:
        """Append what waits, and let the program learn of it; gives the kinds of what was appended."""
        events = self.execution.flush().events
        self.log += events
        self.execution.commit(deliver=deliver)
        self.obey()
        return [event.kind for event in events]

    def end(self) -> list[str]:
        """Append how the run ended."""
        assert self.execution.standing == "over"
        self.execution.conclude()
        return self.keep()

    @property
    def kinds(self) -> list[str]:
        """The log, without how it begins."""
        return [event.kind for event in self.log[2:]]

    @property
    def asked(self) -> list[str]:
        """To what answers may be addressed."""
        return [asked.target for asked in self.execution.asked]
