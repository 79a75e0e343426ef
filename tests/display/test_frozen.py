"""What happened is told with every step once, its time to scale, and why it failed."""

from dataclasses import replace
from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from quintet.display.bars import BAR
from quintet.display.frozen import frozen
from quintet.display.rows import width
from quintet.record import Run, Step, Trouble
from tests.display.runs import NOW, any_graph, any_run, failed, harmless, line_of, run, step, texts


@settings(max_examples=40)
@given(st.data(), any_run(), st.integers(40, 200))
def test_whatever_the_run_it_fits(data: st.DataObject, any_run: Run, columns: int) -> None:
    graph = data.draw(st.none() | any_graph(any_run))
    rows = frozen(any_run, graph, columns, now=NOW)
    assert max(map(width, rows)) <= columns
    assert all(map(harmless, rows))
    assert rows == frozen(any_run, graph, columns, now=NOW)


@given(st.lists(st.floats(0.1, 100), min_size=1, max_size=12), st.integers(40, 160))
def test_a_slower_step_never_has_a_shorter_bar(times: list[float], columns: int) -> None:
    steps, start = list[Step](), 0.0
    for number, time in enumerate(times):
        steps.append(step(f"n{number}", start, start + time))
        start += time
    rows = frozen(run(*steps, status="completed", ended=start), None, columns, now=NOW)
    lengths = [line_of(f"n{number}", rows).count(BAR) for number in range(len(times))]
    assert min(lengths) >= 1
    for (time, length), (_, longer) in pairwise(sorted(zip(times, lengths, strict=True))):
        assert length <= longer + 1, f"{time} s"  # where it begins within a cell makes a difference of one


def test_a_night_of_waiting_leaves_room_for_the_work() -> None:
    steps = [step("evening", 0, 10), step("morning", 40_000, 40_010)]
    rows = frozen(run(*steps, status="completed", ended=40_010), None, 100, now=NOW)
    assert line_of("evening", rows).count(BAR) > 20
    assert line_of("morning", rows).count(BAR) > 20


def test_iterations_are_unfolded() -> None:
    made = run(*(step(f"refine (iter {n})", n, n + 1) for n in (1, 2, 3)), status="completed", ended=4)
    seen = "\n".join(texts(frozen(made, None, 100, now=NOW)))
    assert [seen.count(f"iter {n}") for n in (1, 2, 3)] == [1, 1, 1]


def test_of_many_items_only_those_are_listed_that_are_not_well() -> None:
    made = run(*(step(f"row[{n}]", n, n + 1) for n in range(199)), failed("row[199]", "bad row"))
    seen = texts(frozen(made, None, 100, now=NOW))
    assert len(seen) < 10
    assert any("199" in line for line in seen)
    assert "bad row" in "\n".join(seen)


def test_the_title_says_how_it_ended_and_the_reason_is_said_once() -> None:
    made = replace(
        run(failed("check", "no"), status="failed", ended=2), error=Trouble("It broke", "x", "check")
    )
    seen = "\n".join(texts(frozen(made, None, 100, now=NOW)))
    assert "✗ failed · 2.0 s · 1 turn · 1,540 tokens · $0.0041" in seen
    assert seen.count("It broke") == 1
    named = replace(made, status="completed", native={"outcome": "approved"}, output="All is well.")
    seen = "\n".join(texts(frozen(named, None, 100, now=NOW)))
    assert "completed: approved" in seen
    assert "All is well." in seen
