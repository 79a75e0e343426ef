"""Random programs, cut at every event and taken up again: the promises of the log, on the host in memory.

> no touch with a recorded outcome is performed again, the log's prefix is untouched, and a replay of the
> finished log gives the same result, notes and order

`test_campaign_local.py` does the same to the local host.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from random import Random

import pytest

from quintet.engine.events import Event, family
from quintet.engine.memory import NOBODY, Crash, Fault, Later, MemoryHost
from quintet.engine.paths import parse, without_attempts, write
from quintet.engine.performing import Call
from quintet.engine.programs import Program
from quintet.engine.questions import Asked
from quintet.engine.reports import Report
from quintet.engine.rules import Rules
from quintet.engine.states import ENDED
from quintet.engine.values import encode, fingerprint
from tests.engine.lives import (
    Life,
    asked_for,
    check_lives,
    check_log,
    check_payments_of_a_retry,
    reply,
    rules,
    says,
)
from tests.engine.programs import World, generate, program


class Watched(MemoryHost):
    """A host that remembers where each append began."""

    began: int = 0

    def append(self, run_id: str, epoch: int, events: Sequence[Event]) -> None:
        self.began = len(self.logs[run_id].events)
        super().append(run_id, epoch, events)


class Story:
    """A run of a random program, told life by life."""

    def __init__(self, seed: int, *, size: int = 80) -> None:
        self.seed = seed
        self.program: Program = program(generate(Random(seed), size))
        self.world = World(seed)
        self.rules: Rules = rules(gated=seed % 2 == 0, queued=seed % 3 == 0)
        self.lives: list[Life] = []
        self._random = Random(seed)
        self._host = Watched(self._perform, person=self._answer, rules=self.rules)

    def tell(self, faults: Sequence[Fault], *, cancel: float | None = None) -> None:
        """Live until the run ends, dying at every fault on the way."""
        host = self._host = Watched(self._perform, person=self._answer, rules=self.rules, faults=faults)
        self.lives = []
        if cancel is not None:
            host.cancel("run", cancel)
        for patience in range(500):
            before = host.logs["run"].events.copy() if "run" in host.logs else []
            performed = len(host.performed)
            with suppress(Crash):
                self._live()
            self.lives.append(Life(before, host.performed[performed:]))
            if "run" in host.logs and host.logs["run"].status in ENDED:
                break
            assert patience < 499, f"seed {self.seed}: it never ends"
        self._check()

    @property
    def appends(self) -> int:
        """How many appends the last life story took."""
        return self._host.appends

    def _live(self) -> None:
        if "run" not in self._host.logs:
            self._host.run(self.program)
            return
        report = self._host.resume("run", self.program)
        if report.status == "paused":
            asked = self._random.choice(report.asked)
            self._host.answer("run", self.program, asked.target, reply(self.seed, asked))

    def _check(self) -> None:
        log = self._host.logs["run"].events
        check_lives(self.lives, log)
        if log[-1].kind == "run.cancelled":  # its end is one append, and has no event to cancel a replay at
            log = log[: self._host.began]
        check_log(log, self.program, self.rules)

    def _perform(self, call: Call) -> object:
        given = says(self.world, call)
        delay = self._random.choice((0.0, 0.0, 0.3, 1.0, 5.0))
        return Later(delay, given, deaf=self._random.random() < 0.1)

    def _answer(self, asked: Asked) -> object:
        if self._random.random() < 0.3:
            return NOBODY
        return Later(self._random.choice((0.0, 2.0)), reply(self.seed, asked))

    def fork_everywhere(self) -> None:
        """Fork the run that has just been told at every path of its log, and retry it if it failed."""
        log = self._host.logs["run"].events
        paths = dict.fromkeys(event.path[:length] for event in log for length in range(len(event.path) + 1))
        for number, path in enumerate(paths):
            self._go_on_with(f"fork {number}", partial(self._host.fork, "run", path))
        if log[-1].kind == "run.failed":
            self._go_on_with("retry", partial(self._host.retry, "run"))

    def _go_on_with(self, new: str, begin: Callable[..., Report]) -> None:
        """Make a new run of the one that was told, live it to its end, and look at what it took over."""
        performed = len(self._host.performed)
        report = begin(self.program, new_id=new)
        while report.status == "paused":
            asked = self._random.choice(report.asked)
            report = self._host.answer(new, self.program, asked.target, reply(self.seed, asked))
        log = self._host.logs[new].events
        taken = {event.path for event in log if '"taken"' in event.data and family(event.kind) == "outcome"}
        again = [call for call in self._host.performed[performed:] if call.path in taken]
        assert not again, f"seed {self.seed}, {new}: performed what it took over"
        check_log(log, self.program, self.rules)
        if new == "retry":
            self._check_retry(self._host.performed[performed:])

    def _check_retry(self, performed: Sequence[Call]) -> None:
        """Only what failed, or asked something else, is done again."""
        log = self._host.logs["run"].events
        check_payments_of_a_retry(log, self._host.logs["retry"].events, performed)
        at = json.loads(log[-1].data)["failure"].get("at", ())
        failed = [without_attempts(parse(path)) for path in at]
        known = {(event.path, event.fingerprint) for event in log if family(event.kind) == "outcome"}
        for call in performed:
            seen = without_attempts(call.path)
            if any(seen[: len(path)] == path for path in failed):
                continue
            assert (call.path, fingerprint(call.kind, encode(asked_for(call)))) not in known, write(call.path)


def cut_everywhere(seed: int, size: int) -> None:
    """One program: undisturbed, then once for each append and each way to die there, then cancelled."""
    story = Story(seed, size=size)
    story.tell(())
    appends = story.appends
    for append in range(1, appends + 1):
        for kind in ("crash before", "crash after"):
            again = Random(append).randrange(1, 20)
            story.tell((Fault(kind, append), Fault("crash after", append + again)))
    for _ in range(5):
        story.tell((Fault("crash after", 3 + seed % 5),), cancel=Random(seed).choice((0.0, 0.5, 3.0, 10.0)))


@pytest.mark.parametrize("seed", range(24))
def test_a_run_cut_at_any_append_goes_on_as_its_log_says(seed: int) -> None:
    cut_everywhere(seed, 40 + seed)


@pytest.mark.parametrize("seed", range(16))
def test_a_fork_at_any_path_and_a_retry_perform_nothing_that_they_took_over(seed: int) -> None:
    for number in range(3):
        story = Story(seed * 3 + number, size=30 + seed)
        story.tell(())
        story.fork_everywhere()


@pytest.mark.long
def test_runs_cut_at_any_append_go_on_as_their_logs_say_for_hours(seeds: Iterator[int]) -> None:
    for seed in seeds:
        cut_everywhere(seed, 30 + seed % 170)
        story = Story(seed, size=30 + seed % 50)
        story.tell(())
        story.fork_everywhere()
