"""A run in rounds is told with its roles, their verdicts, its outcome, and why it ended."""

from __future__ import annotations

from pathlib import Path

import yaml

import quintet
from quintet.display.ending import ending
from quintet.display.frozen import frozen
from quintet.display.rows import text
from quintet.display.tree import Screen, tree
from quintet.testing import rehearse

EXAMPLE = Path(__file__).parents[2] / "examples" / "hyperagent" / "verifier-worker.json"
WORKFLOW = quintet.load(EXAMPLE)
RUN = rehearse(WORKFLOW, "x", script=yaml.safe_load(EXAMPLE.with_suffix(".script.yaml").read_text()))


def test_what_happened_has_a_line_a_turn_with_its_verdict_and_says_why_it_ended() -> None:
    told = [text(row) for row in frozen(RUN, WORKFLOW.graph, 100, now=3.0)]
    assert "completed: approved" in told[0]
    assert told[1].strip() == '"All tests pass and the edge cases are covered."'
    words = [line.replace("▇", " ").split() for line in told[3:]]
    assert [line[1:-2] for line in words] == [
        ["bootstrap", "verifier", "instruct"],
        ["round", "×2"],
        ["round", "1"],
        ["worker", "working"],
        ["verifier", "instruct"],
        ["round", "2"],
        ["worker", "done"],
        ["verifier", "approve"],
    ]


def test_the_live_tree_unfolds_rounds_that_are_over_where_there_is_room() -> None:
    tall = [text(row) for row in tree(RUN, WORKFLOW.graph, Screen(100, 24), now=3.0)]
    assert [line for line in tall if "approve" in line]
    low = [text(row) for row in tree(RUN, WORKFLOW.graph, Screen(100, 7), now=3.0)]
    assert [line for line in low if "round ×2" in line]
    assert not [line for line in low if "round 1" in line]


def test_the_last_lines_tell_the_outcome_and_the_reason() -> None:
    why, last = [text(row) for row in ending(RUN, WORKFLOW.graph, 120, now=3.0)]
    assert why == '"All tests pass and the edge cases are covered."'
    assert last.startswith("completed as approved in 2.4 s · 5 turns")
