"""`quintet show` tells of a run from its log, while it works and when it is over."""

from __future__ import annotations

import json
from pathlib import Path

from tests.cli.calling import called
from tests.cli.processes import Working
from tests.cli.runs import ran


def test_the_steps_are_a_tree_on_standard_output(workplace: Path) -> None:
    ran(workplace, one="1", two={"error": "broken"})
    answer = called("show", "r")
    assert (answer.code, answer.err) == (0, "")
    assert "✓ one" in answer.out
    assert "Step 'two' failed: broken" in answer.out


def test_the_log_is_a_line_an_event_or_an_object_an_event(workplace: Path) -> None:
    ran(workplace, one="1")
    lines = called("show", "r", "--events").out.splitlines()
    events = [json.loads(line) for line in called("show", "r", "--events", "--json").out.splitlines()]
    assert len(lines) == len(events)
    assert [event["seq"] for event in events] == list(range(1, len(events) + 1))
    assert "run.completed" in lines[-1]


def test_following_shows_what_happens_until_the_run_ends_in_its_own_process(workplace: Path) -> None:
    with Working(workplace, one="first", two={"reply": "late", "delay": 0.5}):
        answer = called("show", "r", "--follow")
    assert (answer.code, answer.out) == (0, "late\n")
    assert "✓ two completed" in answer.err
    assert "✓ one completed" not in answer.err, "that was before we came"


def test_following_the_log_gives_all_of_it(workplace: Path) -> None:
    with Working(workplace, one="first", two={"reply": "late", "delay": 0.5}):
        answer = called("show", "r", "--follow", "--events", "--json")
    events = [json.loads(line) for line in answer.out.splitlines()]
    assert [event["seq"] for event in events] == list(range(1, len(events) + 1))
    assert events[-1]["kind"] == "run.completed"


def test_following_a_run_that_nobody_works_on_ends_at_once(workplace: Path) -> None:
    ran(workplace, one={"error": "x"})
    answer = called("show", "r", "--follow", "--json")
    assert (answer.code, json.loads(answer.out)["status"]) == (1, "failed")
