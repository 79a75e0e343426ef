"""The outbox: what is open is what came out and was neither settled nor stopped."""

from __future__ import annotations

from quintet.engine.combinators import deadline
from quintet.engine.context import Context
from quintet.engine.machine import Machine
from quintet.engine.touches import Finished, Stop, Touch
from tests.engine.play import Play, ask


def test_commands_are_taken_once() -> None:
    machine = Machine(ask())
    assert len(machine.take()) == 1
    assert machine.take() == []


def test_alarms_are_not_counted_among_what_waits_for_an_outcome() -> None:
    async def program(ctx: Context) -> None:
        await deadline(ctx, "limit", 5, ask())

    machine = Machine(program)
    assert machine.open_touches == 1
    assert len(machine.take()) == 2
    machine.close()


def test_what_is_opened_and_stopped_before_anybody_took_it_comes_out_as_both() -> None:
    machine = Machine(ask())
    machine.cancel_all()
    touch, stop, finished = machine.take()
    assert isinstance(touch, Touch)
    assert not touch.open
    assert stop == Stop(touch, 0)
    assert isinstance(finished, Finished)
    assert machine.open_touches == 0


def test_a_touch_remembers_when_it_was_opened() -> None:
    play = Play(ask(), time=7.0)
    assert play.open["ask"].opened == 7.0
