"""Endings: the event that says how a run ended, which is the last in its log."""

from __future__ import annotations

from typing import Any, cast

from quintet.engine import outcomes
from quintet.engine.failures import Failure, ProgramError
from quintet.engine.journal import Journal
from quintet.engine.redaction import Redactor
from quintet.engine.scopes import CANCELLED, Result, Returned
from quintet.engine.values import Json


def conclude(journal: Journal, result: Result[Any] | None, redactor: Redactor) -> None:
    """Say how a run ended; nothing follows.  Raises ProgramError where its result is not JSON."""
    match result:
        case Returned(value):
            _complete(journal, value)
        case Failure() as failure if failure is not CANCELLED:
            clean = outcomes.clean_failure(failure, redactor)
            journal.host("run.failed", {"failure": clean.to_json()})
        case _:
            journal.host("run.cancelled")


def _complete(journal: Journal, value: object) -> None:
    try:
        journal.host("run.completed", {"output": cast(Json, value)})
    except outcomes.NO_JSON as error:
        raise ProgramError(f"the program returned something that is not JSON: {error}") from error
