"""The last event of a log says how its run ended."""

from __future__ import annotations

import pytest

from quintet.engine.endings import conclude
from quintet.engine.failures import Failure, ProgramError
from quintet.engine.redaction import MASK, Redactor
from quintet.engine.scopes import CANCELLED, Result, Returned
from quintet.engine.values import Json, decode
from tests.engine.test_journal import begun


def ended(result: Result[object] | None) -> tuple[str, Json]:
    journal = begun()
    conclude(journal, result, Redactor(["hunter2"]))
    event = journal.flush().events[-1]
    return event.kind, decode(event.data)


def test_a_run_completes_with_what_its_program_returns() -> None:
    assert ended(Returned({"a": 1})) == ("run.completed", {"output": {"a": 1}})


def test_a_run_fails_with_a_failure_without_secrets() -> None:
    kind, data = ended(Failure("tool", "it said hunter2"))
    assert (kind, data) == ("run.failed", {"failure": {"kind": "tool", "message": f"it said {MASK}"}})


@pytest.mark.parametrize("result", [CANCELLED, None])
def test_whatever_else_ends_it_is_a_cancel(result: Failure | None) -> None:
    assert ended(result) == ("run.cancelled", None)


def test_a_result_that_is_not_json_is_a_bug_of_the_program() -> None:
    with pytest.raises(ProgramError, match="not JSON"):
        ended(Returned(object()))
