"""The benchmark measures all it says, and writes it down; how long things took is no test."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench import run
from bench.plan import Plan
from bench.rounds import Contender, Sample, Series, in_rounds
from bench.row import at_least, at_most

REACHES = {
    "the machine alone, per touch": 4,
    "durable sequence of 1,000, `full`": 1,
    "durable sequence of 1,000, `normal`": 2,
    "1,000 concurrent runs of 10 steps, `full`": 2,
    "fan-out of 1,000, then join, `full`": 2,
    "loop of 10,000 against 20,000, `normal`": 2,
    "replay of 10,000 steps": 1,
    "1,000 runs that wait for a person": 1,
    "a scripted OpenFang step, of 300": 2,
    "a turn of a real model, of 200": 2,
    "500 turns of a real model at once": 2,
    "the command line, a call": 3,
}
"""The lines of the table of reaches, and how many figures each is judged by."""


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("bench")
    output = folder / "RESULTS.md"
    run.main(["--quick", "--no-peers", "--folder", str(folder), "--output", str(output)])
    assert [each.name for each in folder.iterdir()] == ["RESULTS.md"], "its stores are gone"
    return output.read_text()


def test_every_reach_is_judged(page: str) -> None:
    judged: dict[str, int] = {}
    work = ""
    for name, measured, reach, met in _table(page.partition("## Reach")[2]):
        work = name or work
        judged[work] = judged.get(work, 0) + 1
        assert measured
        assert reach
        assert met in ("yes", "**no**", "–")
    assert judged == REACHES


def test_every_row_shows_what_was_measured(page: str) -> None:
    sections = page.split("\n### ")[1:]
    assert [section.split("`)")[0].rpartition("(`")[2] for section in sections] == list(run.ROWS)
    for section in sections:
        assert "`waiting`" in section or "`held`" in section or len(_table(section)) >= 2


def test_the_page_says_on_what_it_was_measured(page: str) -> None:
    told = {line[0] for line in _table(page)}
    assert told == {"date", "machine", "system", "files", "Python", "Quintet", "SQLite", "peers"}


def test_the_page_names_no_path_of_this_machine(page: str) -> None:
    assert str(Path.cwd()) not in page
    assert str(Path.home()) not in page


def test_what_a_step_is_made_of_is_said(page: str) -> None:
    assert "A step with `normal` is " in page
    assert "the way to the writing thread and back" in page


def test_what_a_turn_is_made_of_is_said(page: str) -> None:
    assert "A turn with `normal` is " in page
    assert "what pydantic-ai adds" in page
    assert "A scripted step with `normal` is " in page


def test_a_row_can_be_measured_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run.main(["--quick", "--no-peers", "--only", "loop", "--folder", str(tmp_path)])
    assert capsys.readouterr().out.count("\n### ") == 1


def test_contenders_take_turns_and_no_one_is_always_first() -> None:
    order: list[str] = []

    def contender(name: str) -> Contender:
        def measure() -> Sample:
            order.append(name)
            return Sample(1.0, 1.0)

        return measure

    in_rounds(3, "step", {name: contender(name) for name in "abc"})
    assert "".join(order) == "abcbcacab"


def test_a_ratio_is_taken_within_the_rounds() -> None:
    """A machine that is ten times slower in one round changes no ratio."""
    ours = Series("ours", "step", (Sample(2, 2), Sample(20, 20), Sample(2, 2)))
    theirs = Series("theirs", "step", (Sample(1, 1), Sample(10, 10), Sample(1, 1)))
    assert ours.over(theirs) == 2


def test_a_reach_is_judged_by_the_ratio_not_by_what_is_printed_of_it() -> None:
    assert at_most("raw", 1.5, 1.5).met
    assert not at_most("raw", 1.501, 1.5).met
    assert at_least("as fast", 12, 12).met
    assert not at_least("as fast", 11.99, 12).met


def test_a_smoke_test_measures_hardly_anything(tmp_path: Path) -> None:
    assert Plan(tmp_path, None, rounds=1, divisor=100).count(10_000) == 100
    assert Plan(tmp_path, None, rounds=1, divisor=100).count(100) == 2


def _table(text: str) -> list[list[str]]:
    """The lines of the first table in a text, each as wide as its head."""
    lines = text.partition("| ---")[2].split("\n\n")[0].splitlines()[1:]
    cells = [line.removeprefix("| ").removesuffix(" |").split(" | ") for line in lines]
    assert len({len(line) for line in cells}) == 1
    return cells
