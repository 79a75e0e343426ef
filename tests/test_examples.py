"""Every example is fine, and runs offline with the script beside it."""

from __future__ import annotations

from pathlib import Path

import pytest

import quintet

EXAMPLES = sorted(
    path
    for path in (Path(__file__).parent.parent / "examples").rglob("*.*")
    if path.suffix in (".json", ".yaml") and ".script" not in path.suffixes
)


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_runs_with_the_script_beside_it(path: Path) -> None:
    workflow = quintet.load(path)
    assert not workflow.problems
    run = workflow.run_sync("tea", script=path.with_suffix(".script.yaml"), store=":memory:")
    assert run.status == "completed"
    assert run.output


def test_there_are_examples() -> None:
    assert len(EXAMPLES) >= 5
