"""Events: every word belongs to one family."""

from __future__ import annotations

from typing import get_args

import pytest

from quintet.engine.events import KIND_OF_OUTCOME, KIND_OF_START, OUTCOMES, STARTS, Kind, family


def test_every_kind_of_touch_has_an_outcome_and_all_but_the_alarm_a_start() -> None:
    kinds = set(get_args(Kind))
    assert set(OUTCOMES) == kinds
    assert set(STARTS) == kinds - {"deadline"}


def test_no_two_kinds_share_a_word() -> None:
    assert {KIND_OF_OUTCOME[OUTCOMES[kind]] for kind in OUTCOMES} == set(OUTCOMES)
    assert {KIND_OF_START[STARTS[kind]] for kind in STARTS} == set(STARTS)


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        *((kind, "outcome") for kind in OUTCOMES.values()),
        *((kind, "start") for kind in (*STARTS.values(), "touch.cancelled")),
        *((kind, "host") for kind in ("run.created", "run.failed", "gate.asked", "gate.answered")),
        *((kind, "note") for kind in ("step.started", "round.started", "state.changed", "runner.up")),
    ],
)
def test_the_families_are_told_apart_by_name(kind: str, expected: str) -> None:
    """The log: three families, kept apart by name, beside the host's own."""
    assert family(kind) == expected
