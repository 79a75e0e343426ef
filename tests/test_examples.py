"""Every example is fine, and runs offline with the script beside it."""

from __future__ import annotations

from pathlib import Path

import pytest

import quintet
from quintet.cases.naming import companion
from quintet.project import manifest_files, manifests
from quintet.testing import check

EXAMPLES = sorted(
    path
    for path in (Path(__file__).parent.parent / "examples").rglob("*.*")
    if path.suffix in (".json", ".yaml") and companion(path) is None
)


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_runs_with_the_script_beside_it(path: Path) -> None:
    workflow = quintet.load(path)
    assert not workflow.problems
    run = workflow.run_sync("tea", script=path.with_suffix(".script.yaml"), store=":memory:")
    assert run.status == "completed"
    assert run.output


def test_there_are_examples() -> None:
    assert len(EXAMPLES) >= 9


OPENFANG = [path for path in EXAMPLES if path.parent.name == "openfang"]
"""A Hyperagent workflow defines its roles itself."""


@pytest.mark.parametrize("path", OPENFANG, ids=lambda path: path.stem)
def test_the_agents_of_an_example_are_beside_it_and_leave_the_model_to_the_place(path: Path) -> None:
    files = manifest_files(path.parent / "agents")
    found = {agent.name: agent for agent in manifests((str(file), file.read_text()) for file in files)}
    used = quintet.load(path).graph.agents
    assert used
    for name in used:
        model = found[name].model
        assert (model.provider, model.name) == ("", "")
        assert model.max_tokens is None, "a larger model would be cut off where a tiny one is not"


def test_what_is_said_of_the_examples_holds() -> None:
    check(Path(__file__).parent.parent / "examples")
