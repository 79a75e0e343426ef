"""Retry policies: what they decide is a function of the policy, the attempt and the path."""

from __future__ import annotations

from math import isfinite

from hypothesis import given
from hypothesis import strategies as st

from quintet.engine.failures import Failure
from quintet.engine.retry import Policy

POLICIES = st.builds(
    Policy,
    attempts=st.integers(1, 10),
    delay=st.floats(0, 1e300),
    factor=st.floats(0, 1e300),
    longest=st.floats(0, 1e6),
    jitter=st.floats(0, 1),
)
ATTEMPTS = st.integers(1, 10_000)


@given(POLICIES, ATTEMPTS, st.text())
def test_a_wait_is_never_negative_never_longer_than_the_longest_and_always_finite(
    policy: Policy, attempt: int, seed: str
) -> None:
    wait = policy.wait(attempt, seed)
    assert isfinite(wait)
    assert 0 <= wait <= policy.longest


@given(POLICIES, ATTEMPTS, st.text())
def test_the_same_seed_draws_the_same_wait(policy: Policy, attempt: int, seed: str) -> None:
    """Point 6: jitter is seeded by the path."""
    assert policy.wait(attempt, seed) == policy.wait(attempt, seed)


@given(st.floats(0.1, 10), st.floats(1, 3), st.floats(0, 1), st.integers(1, 20), st.text())
def test_jitter_takes_away_at_most_its_part(
    delay: float, factor: float, jitter: float, attempt: int, seed: str
) -> None:
    whole = Policy(99, delay, factor, 1e9).wait(attempt, seed)
    assert whole * (1 - jitter) * 0.999 <= Policy(99, delay, factor, 1e9, jitter).wait(attempt, seed) <= whole


def test_jitter_differs_from_path_to_path_and_from_attempt_to_attempt() -> None:
    policy = Policy(9, 1.0, jitter=1.0)
    waits = {policy.wait(attempt, path) for attempt in (1, 2, 3) for path in ("a", "b", "c")}
    assert len(waits) == 9


def test_a_jitter_of_today_is_the_jitter_of_tomorrow() -> None:
    """The waits are requests in the log: another draw would make every run of an earlier release diverge."""
    assert round(Policy(9, 1.0, jitter=0.5).wait(1, "a"), 6) == 0.913398


def test_the_wait_grows_by_its_factor() -> None:
    policy = Policy(9, 0.5, 2.0, longest=3.0)
    assert [policy.wait(attempt, "") for attempt in (1, 2, 3, 4)] == [0.5, 1.0, 2.0, 3.0]


def test_no_delay_is_no_wait_however_much_it_would_grow() -> None:
    assert Policy(9999, 0.0, 10.0).wait(5000, "") == 0.0


def test_the_last_attempt_is_the_last() -> None:
    failure = Failure("tool", "no")
    assert [Policy(3).again(attempt, failure) for attempt in (1, 2, 3)] == [True, True, False]
    assert not Policy().again(1, failure)


def test_only_failures_of_its_kinds_are_tried_again() -> None:
    policy = Policy(3, kinds=frozenset({"rate_limit"}))
    assert policy.again(1, Failure("rate_limit", "slow down"))
    assert not policy.again(1, Failure("refused", "no"))
