"""Lists are aligned, fit any width, and leave out what matters least."""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from quintet.display.rows import text, width
from quintet.display.table import inbox, runs
from quintet.engine.states import Status
from quintet.record import Open
from quintet.store.port import RunRow
from tests.display.runs import BEGAN, ID, NOW, run

CHOICE = [{"name": "decision", "type": "choice", "choices": ["yes", "no"]}]


def row(run_id: str, workflow: str, status: Status, alive: bool = True) -> RunRow:
    return RunRow(run_id, workflow, "openfang", run_id, None, status, BEGAN, BEGAN + 30, None, alive)


_rows = st.builds(
    row,
    st.text("abcdef0123456789", min_size=32, max_size=32),
    st.text(max_size=60),
    st.sampled_from(["created", "running", "paused", "completed", "failed", "cancelled"]),
    st.booleans(),
)


@given(st.lists(_rows, max_size=8), st.integers(40, 200))
def test_runs_fit_any_width_and_are_aligned(rows: list[RunRow], columns: int) -> None:
    table = runs(rows, columns, now=NOW)
    assert max(map(width, table)) <= columns
    assert len({width(one) for one in table}) == 1
    assert all(one.id[:8] in "".join(map(text, table)) for one in rows)
    assert all(one.shown in text(line) for one, line in zip(rows, table[1:], strict=bool(rows)))


def test_runs_say_what_became_of_them() -> None:
    table = runs(
        [row(ID, "brainstorm", "completed"), row("x" * 32, "review", "running", False)], 100, now=NOW
    )
    assert [text(one).split() for one in table] == [
        ["STATUS", "RUN", "WORKFLOW", "FORMAT", "BEGAN", "TOOK"],
        ["✓", "completed", "3f2a9c1e", "brainstorm", "openfang", "1", "min", "ago", "30.0", "s"],
        ["◌", "interrupted", "xxxxxxxx", "review", "openfang", "1", "min", "ago"],
    ]
    assert "FORMAT" not in text(runs([row(ID, "brainstorm", "completed")], 44, now=NOW)[0])
    assert [text(one) for one in runs([], 80, now=NOW)] == ["no runs"]


def test_the_inbox_says_what_is_asked_and_how_to_answer() -> None:
    waiting = replace(run(status="paused"), questions=[Open("gate", "gate", "Publish it? " * 20, CHOICE)])
    for columns in (40, 100):
        rows = inbox([waiting, waiting], columns)
        seen = [text(one) for one in rows]
        assert seen.count("⏸ pipeline · gate") == 2
        assert seen.count(f"  quintet answer {ID} decision=yes") == 2
        assert all(width(one) <= columns for one in rows if "quintet" not in text(one))
    assert [text(one) for one in inbox([], 80)] == ["no questions"]
