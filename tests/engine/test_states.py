"""The life of a run: one table of moves, and the picture drawn from it."""

from __future__ import annotations

from typing import get_args

import pytest

from quintet.engine.states import ENDED, MOVES, IllegalMove, Status, mermaid, move

EVENTS = sorted({event for _, event in MOVES})
STATUSES: tuple[Status, ...] = get_args(Status)


@pytest.mark.parametrize("status", STATUSES)
@pytest.mark.parametrize("event", EVENTS)
def test_a_move_is_either_in_the_table_or_illegal(status: Status, event: str) -> None:
    if (status, event) in MOVES:
        assert move(status, event) == MOVES[status, event]
    else:
        with pytest.raises(IllegalMove, match=event):
            move(status, event)


@pytest.mark.parametrize("status", STATUSES)
def test_events_that_are_not_of_the_run_leave_its_status(status: Status) -> None:
    for event in ("model.answered", "step.started", "gate.asked", "touch.cancelled"):
        assert move(status, event) == status


def test_nothing_follows_the_end_of_a_run() -> None:
    assert not {status for status, _ in MOVES} & ENDED


def test_every_run_can_end() -> None:
    reaches = set(ENDED)
    while True:
        more = {status for (status, _), after in MOVES.items() if after in reaches} - reaches
        if not more:
            break
        reaches |= more
    assert reaches == set(STATUSES)


def test_the_picture_shows_every_move_and_every_end() -> None:
    lines = mermaid().splitlines()
    assert lines[0] == "stateDiagram-v2"
    assert "    [*] --> created: run.created" in lines
    assert "    running --> paused: run.paused" in lines
    assert sum(": run." in line for line in lines) == len(MOVES)
    assert {f"    {status} --> [*]" for status in ENDED} <= set(lines)
