"""Outcomes in the log: how what became of a touch is written down, and read again."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from quintet.engine.events import KIND_OF_OUTCOME, Event
from quintet.engine.failures import Failed, Failure
from quintet.engine.redaction import Redactor
from quintet.engine.touches import Outcome, Touch
from quintet.engine.values import decode, encode

NO_JSON = (TypeError, ValueError, RecursionError)
"""What is raised of a value that is not JSON, or is nested too deep to be written down."""


def value(given: object, redactor: Redactor) -> str:
    """The text of what was given.  Raises Failed if it is not JSON."""
    try:
        return encode({"value": redactor.value(given)})
    except NO_JSON as error:
        raise Failed(_invalid(error)) from error


def write(
    touch: Touch, value: object, failure: Failure | None, redactor: Redactor, time: float = 0.0
) -> tuple[Outcome, str]:
    """What the program is given, and its text in the log: both without secrets, and both JSON."""
    if failure is None:
        try:
            clean = redactor.value(value)
            return touch.outcome(clean, time=time), encode({"value": clean})
        except NO_JSON as error:
            failure = _invalid(error)
    failure = clean_failure(failure, redactor)
    return touch.outcome(None, failure, time), encode({"failure": failure.to_json()})


def clean_failure(failure: Failure, redactor: Redactor) -> Failure:
    """A failure without secrets, and with a detail that is JSON."""
    try:
        clean = redactor.failure(failure)
        encode(clean.to_json())
        return clean
    except NO_JSON as error:
        return redactor.failure(replace(failure, detail=f"not JSON: {error}"))


def _invalid(error: Exception) -> Failure:
    return Failure("invalid_result", f"it gave something that is not JSON: {error}")


def read(event: Event) -> Outcome:
    """What a recorded outcome says; one that was taken over keeps the time at which it first came."""
    data: Any = decode(event.data)
    failure = Failure.from_json(data["failure"]) if "failure" in data else None
    time = data["taken"]["time"] if "taken" in data else event.time
    kind = KIND_OF_OUTCOME[event.kind]
    return Outcome(event.path, kind, data.get("value"), failure, time, event.seq, event.fingerprint)
