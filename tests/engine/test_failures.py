"""Failures: frozen values, written down and read back."""

from __future__ import annotations

from dataclasses import FrozenInstanceError

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quintet.engine.failures import BranchCancelled, Cancelled, Diverged, EngineError, Failed, Failure, Held
from quintet.engine.paths import parse
from quintet.engine.values import decode, encode
from tests.engine.test_paths import PATHS
from tests.engine.test_values import VALUES

FAILURES = st.builds(
    Failure, st.text(), st.text(), st.booleans(), VALUES, st.lists(PATHS, max_size=3).map(tuple)
)


@given(FAILURES)
def test_a_failure_is_read_back_as_it_was(failure: Failure) -> None:
    assert Failure.from_json(decode(encode(failure.to_json()))) == failure


def test_a_failure_cannot_be_changed() -> None:
    """Point 5: failures are frozen values."""
    with pytest.raises(FrozenInstanceError):
        Failure("tool", "no").kind = "other"  # pyright: ignore[reportAttributeAccessIssue]


def test_a_failure_says_where_it_happened_first() -> None:
    failure = Failure("tool", "no").located(parse("a/b"))
    assert failure.at == (parse("a/b"),)
    assert failure.located(parse("c")) is failure


def test_what_is_raised_reads_as_the_failure_does() -> None:
    assert str(Failed(Failure("tool", "it broke"))) == "it broke"
    assert issubclass(BranchCancelled, Failed)


def test_no_handler_of_ordinary_errors_catches_a_cancellation() -> None:
    assert not issubclass(Cancelled, Exception)


def test_a_divergence_names_path_difference_and_recording_version() -> None:
    """Point 7: naming the path, the recording version and what differs."""
    assert str(Diverged(parse("a/b"), "it now asks 2", "'p' of release 1.0")) == (
        "at a/b: it now asks 2 (recorded by 'p' of release 1.0)"
    )
    assert str(Diverged((), "x")) == "at the start: x"


def test_every_error_of_the_engine_has_a_code_of_its_own() -> None:
    kinds = EngineError.__subclasses__()
    assert len({kind.code for kind in kinds} - {"engine"}) == len(kinds)
    assert str(Held("r1", "another")) == "run r1 is being worked on by another"
