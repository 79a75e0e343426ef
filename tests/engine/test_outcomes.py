"""Outcomes in the log: without secrets, always JSON, and read back as they were."""

from __future__ import annotations

import pytest

from quintet.engine import outcomes
from quintet.engine.context import Context
from quintet.engine.events import Event
from quintet.engine.failures import Failed, Failure
from quintet.engine.machine import Machine
from quintet.engine.paths import parse
from quintet.engine.redaction import MASK, Redactor
from quintet.engine.touches import Touch
from quintet.engine.values import Json, decode

REDACTOR = Redactor(["hush-hush"])


def touch() -> Touch:
    async def program(ctx: Context) -> Json:
        return await ctx.tool("t", {})

    [asked] = Machine(program).take()
    assert isinstance(asked, Touch)
    return asked


def deep(levels: int) -> object:
    value: object = "x"
    for _ in range(levels):
        value = [value]
    return value


def circle() -> object:
    value: list[object] = []
    value.append(value)
    return value


def event(data: str, time: float = 7.0) -> Event:
    return Event(4, time, "tool.finished", parse("t"), 0, data, "f")


@pytest.mark.parametrize("value", [None, 0, "", [1, {"a": None}], {"failure": "no"}])
def test_a_value_is_read_back_as_it_was_given(value: Json) -> None:
    given, data = outcomes.write(touch(), value, None, REDACTOR)
    read = outcomes.read(event(data))
    assert (given.value, given.failure) == (read.value, read.failure) == (value, None)
    assert (read.path, read.kind, read.time, read.seq, read.fingerprint) == (parse("t"), "tool", 7.0, 4, "f")


def test_a_failure_is_read_back_as_it_was_given() -> None:
    failure = Failure("provider", "no", definite=True, detail={"status": 500}, at=(parse("a/b"),))
    given, data = outcomes.write(touch(), None, failure, REDACTOR)
    assert given.failure == outcomes.read(event(data)).failure == failure


def test_the_program_is_given_exactly_what_is_recorded() -> None:
    """Secrets are redacted before a result is recorded and before the program sees it."""
    given, data = outcomes.write(touch(), {"hush-hush": ("a hush-hush b", 1)}, None, REDACTOR)
    assert given.value == {MASK: [f"a {MASK} b", 1]}
    assert decode(data) == {"value": given.value}


def test_a_failure_tells_no_secret_either() -> None:
    failure = Failure("tool", "hush-hush!", detail={"header": "hush-hush"})
    given, data = outcomes.write(touch(), None, failure, REDACTOR)
    assert given.failure == Failure("tool", f"{MASK}!", detail={"header": MASK})
    assert "hush" not in data


@pytest.mark.parametrize("value", [object(), float("nan"), {1: 2}, deep(10_000), circle()])
def test_what_is_no_json_is_a_failure_of_the_touch(value: object) -> None:
    given, data = outcomes.write(touch(), value, None, REDACTOR)
    assert given.failure is not None
    assert given.failure.kind == "invalid_result"
    assert outcomes.read(event(data)).failure == given.failure
    with pytest.raises(Failed, match="not JSON"):
        outcomes.value(value, REDACTOR)


@pytest.mark.parametrize("detail", [object(), circle()])
def test_a_failure_whose_detail_is_no_json_stays_that_failure(detail: Json) -> None:
    given, data = outcomes.write(touch(), None, Failure("tool", "no", True, detail), REDACTOR)
    assert given.failure is not None
    assert (given.failure.kind, given.failure.message, given.failure.definite) == ("tool", "no", True)
    assert "not JSON" in data


def test_what_was_taken_over_keeps_the_time_at_which_it_first_came() -> None:
    read = outcomes.read(event('{"value":1,"taken":{"run":"old","seq":3,"time":2.5}}', time=900.0))
    assert (read.value, read.time) == (1, 2.5)
