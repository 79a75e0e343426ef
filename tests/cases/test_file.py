"""A test file is read strictly: whatever it says wrong is told with its place, all at once."""

from __future__ import annotations

from pathlib import Path

import pytest

from quintet.cases.case import Case
from quintet.cases.file import cases_in, schema
from quintet.formats.invalid import InvalidFile
from tests.cli.files import written

WHOLE = """
workflow: flows/tea.json
script: all.yaml
agents: people
tests:
  - name: first
    prompt: tea
    inputs: {n: 1}
    answers: {gate: yes}
    expect: {status: paused, output: {contains: x}, steps: [a, b]}
  - name: second
    cassette: c.yaml
    agents: others
    config: q.toml
    expect: {error: broken}
  - name: third
    script: {agents: {a: [{reply: x}]}}
"""


def test_every_key_is_read_and_paths_begin_at_the_file(tmp_path: Path) -> None:
    file = Path(written(tmp_path, "any.test.yaml", WHOLE))
    flow = tmp_path / "flows/tea.json"
    first = Case("first", file, flow, script=tmp_path / "all.yaml", prompt="tea", inputs={"n": 1})
    second = Case("second", file, flow, cassette=tmp_path / "c.yaml", agents=tmp_path / "others")
    one, two, three = cases_in(file)
    assert (one.script, one.prompt, one.inputs) == (first.script, first.prompt, first.inputs)
    assert (one.agents, one.answers) == (tmp_path / "people", {"gate": "yes"})
    assert one.expect == {"status": "paused", "output": {"contains": "x"}, "steps": ("a", "b")}
    assert (two.script, two.cassette, two.agents) == (None, second.cassette, second.agents)
    assert (two.config, two.expect) == (tmp_path / "q.toml", {"status": "failed", "error": "broken"})
    assert (three.script, three.expect) == ({"agents": {"a": [{"reply": "x"}]}}, None)


def test_what_is_beside_answers_where_nothing_is_said(tmp_path: Path) -> None:
    written(tmp_path, "tea.json", "{}")
    script = written(tmp_path, "tea.script.yaml", "")
    (case,) = cases_in(Path(written(tmp_path, "tea.test.yaml", "tests: [{name: a}]")))
    assert (str(case.script), case.workflow) == (script, tmp_path / "tea.json")


@pytest.mark.parametrize(
    ("text", "place", "message"),
    [
        ("tests: []", "1:8", "there is no test"),
        ("workflow: x", "1:1", "a test file needs the key 'tests'"),
        ("tests: [{name: a}]", "1:9", "who answers?"),
        ("script: a\ncassette: b\ntests: [{name: a}]", "2:1", "'cassette' cannot stand beside 'script'"),
        ("script: a\ntests: [{name: a, expect: {outptu: x}}]", "2:28", "has no key 'outptu'"),
        ("script: a\ntests: [{name: a, expect: {status: ok}}]", "2:36", "'status' must be completed"),
        ("script: a\ntests: [{name: a, expect: {steps: x}}]", "2:35", "must be a list of paths"),
        ("script: a\ntests: [{name: a, expect: {output: {matches: '('}}}]", "2:46", "no regular expression"),
        ("script: a\ntests: [{name: a, expect: {output: {matches: 1}}}]", "2:46", "must be a text"),
        ("tests: [{name: a, script: {agents: {a: []}}}]", "1:40", "needs at least one entry"),
        ("tests: [{script: a}]", "1:9", "a test needs the key 'name'"),
    ],
)
def test_what_is_wrong_is_told_with_its_place(tmp_path: Path, text: str, place: str, message: str) -> None:
    written(tmp_path, "tea.json", "{}")
    with pytest.raises(InvalidFile) as invalid:
        cases_in(Path(written(tmp_path, "tea.test.yaml", text)))
    (problem,) = invalid.value.problems
    assert f"tea.test.yaml:{place}: " in str(problem)
    assert message in problem.message


def test_a_file_without_a_workflow_is_told(tmp_path: Path) -> None:
    with pytest.raises(InvalidFile, match="no workflow is beside this file"):
        cases_in(Path(written(tmp_path, "tea.test.yaml", "tests: [{name: a, script: x}]")))


def test_editors_are_told_its_shape() -> None:
    assert schema()["required"] == ["tests"]
