"""`quintet resume` goes on where a run was left; what is finished is not done again."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.calling import called
from tests.cli.files import written
from tests.cli.processes import Working
from tests.cli.runs import ran, script, shown

SLOW = {"reply": "late", "delay": 60}


@pytest.mark.parametrize("durability", ["full", "normal"])
def test_a_killed_run_goes_on_at_once(workplace: Path, durability: str) -> None:
    with Working(workplace, "--durability", durability, one="first", two=SLOW) as working:
        working.kill()
    assert shown()["status"] == "interrupted"
    again = written(workplace, "again.json", script(one={"error": "ran again"}, two="{{prompt}}!"))
    answer = called("resume", "r", "--script", again)
    assert (answer.code, answer.out) == (0, "two first!\n")
    assert shown()["steps"][0]["attempts"] == 1


def test_it_keeps_to_the_script_it_began_with_and_says_when_the_file_differs(workplace: Path) -> None:
    with Working(workplace, one="first", two={"reply": "late", "delay": 0.2}) as working:
        working.kill()
    written(workplace, "script.json", script(one="other", two="other"))
    answer = called("resume", "r")
    assert (answer.code, answer.out) == (0, "late\n")
    assert "script.json has changed since the run began" in answer.err
    assert "--script script.json takes it as it is now" in answer.err


def test_a_run_that_another_process_works_on_is_left_to_it(workplace: Path) -> None:
    with Working(workplace, one="first", two=SLOW) as working:
        answer = called("resume", "r")
        assert (answer.code, answer.out) == (2, "")
        assert f"is being worked on by process {working.pid}" in answer.err
        assert "quintet show r --follow" in answer.err


def test_a_run_that_ended_names_what_can_be_done(workplace: Path) -> None:
    ran(workplace, one="1")
    ran(workplace, run_id="bad", one={"error": "x"})
    completed, failed = called("resume", "r"), called("resume", "bad")
    assert (completed.code, failed.code) == (2, 2)
    assert completed.err == "error: run r is completed: it cannot go on\n  quintet fork r --at STEP\n"
    assert failed.err.splitlines()[1] == "  quintet retry bad   or: quintet fork bad --at STEP"


def test_the_beginning_of_an_id_is_enough_where_no_other_begins_like_it(workplace: Path) -> None:
    ran(workplace, run_id="abc1", one="1")
    ran(workplace, run_id="abd2", one="1")
    assert called("show", "abc").code == 0
    several = called("show", "ab")
    assert (several.code, several.err) == (2, "error: 2 runs begin with 'ab': abd2, abc1\n")
    none = called("resume", "x")
    assert (none.code, none.err) == (2, "error: there is no run 'x'\n  quintet runs\n")
    assert called("resume", "").code == 2
