"""Any program at all: nothing but the order of outcomes decides what it does."""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterator
from random import Random
from types import CodeType, FrameType, FunctionType

from hypothesis import given, settings
from hypothesis import strategies as st

from quintet.engine.failures import Failure
from quintet.engine.machine import Machine
from quintet.engine.outbox import Outbox
from quintet.engine.scopes import Scope, Slots
from quintet.engine.stepping import Stepper
from quintet.engine.touches import Command, Finished, Note, Outcome, Stop, Touch
from tests.engine.programs import Description, World, descriptions, generate, interpret


def perform(description: Description, seed: int) -> tuple[list[Outcome | None], list[str], Machine]:
    """Run a program to its end in an order that a seed decides; None in the log is a cancel from outside."""
    random, world = Random(seed), World(seed)
    machine = Machine(interpret, (description,))
    log: list[Outcome | None] = []
    said: list[str] = []
    open_touches: list[Touch] = []
    while True:
        for command in machine.take():
            said.append(_said(command))
            if isinstance(command, Touch):
                open_touches.append(command)
            elif isinstance(command, Stop):
                open_touches.remove(command.touch)
        if machine.result is not None:
            assert not open_touches
            assert machine.open_touches == 0
            return log, said, machine
        assert machine.open_touches == sum(touch.kind != "deadline" for touch in open_touches) > 0
        touch = random.choice(open_touches)
        if random.random() < 0.003:
            log.append(None)
            machine.cancel_all()
        elif touch.kind != "deadline" or random.random() < 0.3:
            came = world.of(touch)
            value, failure = (None, came) if isinstance(came, Failure) else (came, None)
            outcome = touch.outcome(value, failure, float(len(log)), len(log) + 1)
            log.append(outcome._replace(fingerprint=touch.fingerprint))
            open_touches.remove(touch)
            assert machine.advance(outcome) is touch


def replay(description: Description, log: list[Outcome | None], *, batch: int) -> tuple[list[str], Machine]:
    """Feed a log to a fresh machine, taking its commands only now and then."""
    machine = Machine(interpret, (description,))
    said: list[str] = []
    for number, outcome in enumerate(log):
        if number % batch == 0:
            said += map(_said, machine.take())
        if outcome is None:
            machine.cancel_all()
        else:
            assert machine.advance(outcome) is not None
    return [*said, *map(_said, machine.take())], machine


def _said(command: Command) -> str:
    match command:
        case Touch(path=path, kind=kind, text=text, cause=cause, opened=opened):
            return f"{kind} {path} {text} {cause} {opened}"
        case Stop(touch=touch, cause=cause):
            return f"stop {touch} {cause}"
        case Note() | Finished():
            return repr(command)


@given(descriptions(), st.integers(0, 2**32))
@settings(max_examples=150)
def test_any_program_does_the_same_when_it_is_fed_its_log(description: Description, seed: int) -> None:
    """Point 1: nothing but the order of outcomes decides what a program does."""
    log, said, machine = perform(description, seed)
    for batch in (1, 7):
        said_again, again = replay(description, log, batch=batch)
        assert said_again == said
        assert again.result == machine.result


def test_many_long_programs_do_the_same_when_they_are_fed_their_logs() -> None:
    for seed in range(300):
        description = generate(Random(seed))
        log, said, machine = perform(description, seed)
        assert replay(description, log, batch=3)[0] == said
        for outcome in log:
            if outcome is not None:
                assert machine.advance(outcome) is None, "whatever comes after the end is late"


def test_any_program_can_be_abandoned_anywhere() -> None:
    for seed in range(150):
        description = generate(Random(seed))
        log, _, _ = perform(description, seed)
        _, machine = replay(description, log[: seed % (len(log) + 1)], batch=1)
        machine.close()
    gc.collect()


def test_the_random_programs_enter_every_function_of_the_machine_but_those_for_bugs() -> None:
    """They would prove little if they did not."""
    entered: set[CodeType] = set()

    def note(frame: FrameType, event: str, argument: object) -> None:
        if event == "call":
            entered.add(frame.f_code)

    sys.setprofile(note)
    try:
        for seed in range(60):
            perform(generate(Random(seed)), seed)[2].close()
    finally:
        sys.setprofile(None)
    functions = {name: code for kind in (Stepper, Outbox, Scope, Slots) for name, code in _functions(kind)}
    missed = {name for name, code in functions.items() if code not in entered}
    assert missed == {"_found_bug", "holders", "__repr__"}


def _functions(kind: type) -> Iterator[tuple[str, CodeType]]:
    for name, member in vars(kind).items():
        function = member.fget if isinstance(member, property) else member
        if isinstance(function, FunctionType):
            yield name, function.__code__
