"""Whatever ends a run, the last lines are the commands that go on, complete and ready to copy."""

import shlex
from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quintet.display.commands import Commands, apart, short
from quintet.display.ending import ending
from quintet.display.rows import Row, text, width
from quintet.engine.states import Shown
from quintet.record import Open, Run, Trouble
from tests.display.runs import ID, NOW, any_run, chain, failed, run, step

CHOICE = [{"name": "decision", "type": "choice", "choices": ["yes", "no"]}]


def said(made: Run, columns: int = 120) -> list[str]:
    return [text(row) for row in ending(made, chain("a", "b", "c"), columns, now=NOW)]


def test_completed_is_one_line_where_there_is_room() -> None:
    made = run(step("a", 0, 1), status="completed", ended=11.8)
    assert said(made) == [f"completed in 11.8 s · 1 turn · 1,540 tokens · $0.0041 · quintet show {ID}"]
    assert said(made, 60)[-1] == f"  quintet show {ID}"


def test_failed_says_how_far_it_came_and_how_to_go_on() -> None:
    made = run(step("a", 0, 1), failed("b", "slow down"), status="failed", ended=41)
    made = replace(made, error=Trouble("slow down", "rate_limit", "b"))
    assert said(made) == [
        "failed in 41.0 s after 1 of 3 steps · $0.0041 · nothing is lost",
        f"  quintet retry {ID}   again from 'b'",
    ]
    models = [text(row) for row in ending(made, None, 120, now=NOW, model="openai:gpt")]
    assert "--model 'agent of b=PROVIDER:NAME'" in models[-1]


def test_on_a_narrow_screen_only_the_verb_has_a_colour() -> None:
    made = run(step("a", 0, 1), failed("b", "slow down"), status="failed", ended=41)
    first, second = ending(made, chain("a", "b", "c"), 40, now=NOW)[:2]
    assert text(first) == "failed in 41.0 s after 1 of 3 steps ·"
    assert [role for role, _ in (*first, *second)] == ["error", "", ""]


def test_paused_says_how_to_answer_each_question() -> None:
    made = replace(run(step("a", 0, 1), status="paused"), questions=[Open("g", "gate", "Publish?", CHOICE)])
    assert said(made)[-1] == f"  quintet answer {ID} decision=yes   or: quintet inbox"
    two = replace(made, questions=[*made.questions, Open("h", "the other/gate", "And this?")])
    assert [line.split("   ")[0] for line in said(two)[1:]] == [
        f"  quintet answer {ID} decision=yes --question gate".split("   ")[0],
        f"  quintet answer {ID} --question 'the other/gate'".split("   ")[0],
    ]


@pytest.mark.parametrize(
    ("status", "verb"),
    [("interrupted", "resume"), ("cancelled", "show"), ("running", "show"), ("created", "show")],
)
def test_every_other_end_has_its_command(status: Shown, verb: str) -> None:
    assert any(
        line.split()[:3] == ["quintet", verb, ID] for line in said(run(step("a", 0, 1), status=status))
    )


def test_a_run_that_is_kept_nowhere_promises_nothing() -> None:
    rows = ending(run(status="completed", ended=1), None, 100, now=NOW, kept=False)
    assert "quintet" not in "\n".join(map(text, rows))


@given(any_run(), st.integers(40, 200))
def test_commands_are_whole_and_all_else_fits(any_run: Run, columns: int) -> None:
    rows = ending(any_run, None, columns, now=NOW, store="sqlite:///my runs.db")
    commands = [row for row in rows if _command(row)]
    assert commands
    for row in commands:
        words = shlex.split("".join(part for role, part in row if role == "hint"))
        assert words[0] == "quintet"
        assert words[2] == ID
        assert words[words.index("--store") + 1] == "sqlite:///my runs.db"
    assert all(width(row) <= columns for row in rows if not _command(row))


def _command(row: Row) -> bool:
    return any(role == "hint" and part.startswith("quintet ") for role, part in row)


@given(st.lists(st.text("0123456789abcdef", min_size=20, max_size=32), max_size=20))
def test_shortened_ids_differ_if_the_ids_do(ids: Sequence[str]) -> None:
    shortened = apart(ids)
    assert len(set(shortened.values())) == len(set(ids))
    assert all(one.startswith(shown) for one, shown in shortened.items())


def test_an_id_that_a_person_chose_is_left_as_it_is() -> None:
    assert [short("nightly-12"), short(ID)] == ["nightly-12", ID[:8]]
    assert Commands("my run").to("show") == "quintet show 'my run'"
