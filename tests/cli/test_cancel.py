"""`quintet cancel` stops a run for good, in whichever process it works."""

from __future__ import annotations

import json
from pathlib import Path

from tests.cli.calling import called
from tests.cli.processes import Working
from tests.cli.runs import ran, shown

SLOW = {"reply": "late", "delay": 60}


def test_a_run_of_another_process_is_cancelled_and_that_process_says_so(workplace: Path) -> None:
    with Working(workplace, one="first", two=SLOW) as working:
        answer = called("cancel", "r")
        assert (answer.code, answer.err) == (0, "run r is cancelled\n")
        code, _, err = working.told()
    assert code == 130
    assert "cancelled after 1 of 2 steps" in err


def test_a_run_that_nobody_works_on_is_cancelled_at_once(workplace: Path) -> None:
    with Working(workplace, one="first", two=SLOW) as working:
        working.kill()
    answer = called("cancel", "r", "--json")
    assert (answer.code, json.loads(answer.out)["status"]) == (0, "cancelled")
    assert shown()["status"] == "cancelled"


def test_a_run_that_has_ended_cannot_be_cancelled(workplace: Path) -> None:
    ran(workplace, one="1")
    answer = called("cancel", "r")
    assert (answer.code, answer.err) == (2, "error: run r has ended already: it is completed\n")
