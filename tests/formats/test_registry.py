"""Which formats there are, and which of them a file has, told by its content."""

import subprocess
import sys
from collections.abc import Iterator
from importlib.metadata import EntryPoint

import pytest

from quintet.engine.values import Json
from quintet.formats import registry
from quintet.formats.registry import (
    Format,
    Surroundings,
    UnknownFormat,
    codes,
    formats,
    load,
    load_file,
    named,
)
from quintet.formats.report import Report
from quintet.formats.tree import Map
from quintet.workflow import Graph, Workflow


def load_toy(root: Map, report: Report, surroundings: Surroundings) -> Workflow:
    return Workflow("toy", "toy", len(root.entries), Graph((), ()), root)


def toy_schema() -> dict[str, Json]:
    return {}


TOY = Format("toy", "a key 'toy'", lambda root: 3 if "toy" in root.entries else 0, load_toy, toy_schema)


@pytest.fixture
def toy(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A format brought by another package."""

    def entry_points(*, group: str) -> list[EntryPoint]:
        return [
            EntryPoint("openfang", "quintet.formats.openfang:FORMAT", group),
            EntryPoint("toy", f"{__name__}:TOY", group),
        ]

    monkeypatch.setattr("importlib.metadata.entry_points", entry_points)
    formats.cache_clear()
    yield
    formats.cache_clear()


@pytest.mark.usefixtures("toy")
def test_a_format_from_outside_is_one_entry_point() -> None:
    checked = load("toy: 1\nother: 2", "a.yaml")
    assert checked.workflow is not None
    assert (checked.workflow.format, checked.workflow.steps) == ("toy", 2)
    assert "unknown-key" in codes()


@pytest.mark.usefixtures("toy")
def test_a_file_of_two_formats_is_refused_unless_one_is_named() -> None:
    text = '{"toy": 1, "steps": [{"agent_name": "a"}]}'
    [problem] = load(text, "a.json").problems
    assert (problem.code.name, problem.message) == ("ambiguous-format", "this could be openfang or toy")
    assert load(text, "a.json", format="toy").ok


def test_openfang_is_recognised_by_its_keys() -> None:
    for text in ('{"steps": [{"agent_name": "a"}]}', '{"name": "x", "steps": []}'):
        assert [p.code.name for p in load(text).problems if p.severity == "error"] == []
    [problem] = load('{"name": "x", "step": []}').problems[:1]
    assert problem.code.name in {"missing-key", "unknown-key"}


@pytest.mark.parametrize(
    "text",
    [
        "{}",
        '{"colour": 1}',
        '{"id": "a", "name": "b", "stages": [], "edges": []}',
        "[]",
        "3",
        '"text"',
        "null",
        "just words",
    ],
)
def test_what_looks_like_no_format_is_told_what_formats_look_like(text: str) -> None:
    [problem] = load(text).problems
    assert problem.code.name == "unknown-format"
    assert "openfang has a list 'steps'" in problem.hint


def test_a_format_that_does_not_exist_is_told_with_a_suggestion() -> None:
    with pytest.raises(UnknownFormat, match="did you mean 'openfang'"):
        named("openfan")
    with pytest.raises(UnknownFormat, match=r"known: .*openfang"):
        load("{}", format="xyz")


def test_a_file_that_is_not_there_is_a_problem_of_that_path() -> None:
    checked = load_file("no-such-file.json")
    assert checked.workflow is None
    assert [str(problem.place) for problem in checked.problems] == ["no-such-file.json:1:1"]


def test_two_packages_cannot_bring_the_same_format(monkeypatch: pytest.MonkeyPatch) -> None:
    other = Format("openfang", "", lambda root: 0, load_toy, toy_schema)
    monkeypatch.setitem(globals(), "TOY", other)
    entries = [
        EntryPoint("openfang", "quintet.formats.openfang:FORMAT", registry.GROUP),
        EntryPoint("toy", f"{__name__}:TOY", registry.GROUP),
    ]

    def entry_points(*, group: str) -> list[EntryPoint]:
        return entries

    monkeypatch.setattr("importlib.metadata.entry_points", entry_points)
    formats.cache_clear()
    with pytest.raises(ValueError, match="two packages"):
        formats()
    formats.cache_clear()


def test_checking_a_file_loads_no_store_no_host_and_no_provider() -> None:
    code = (
        'import sys, quintet.formats.registry as r; r.load(\'{"steps": [{"agent_name": "a"}]}\', \'a.json\');'
        "r.named('openfang').schema(); print(*sys.modules)"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = set(run.stdout.split())
    assert "quintet.formats.openfang.check" in loaded
    heavy = {
        "apsw",
        "asyncio",
        "pydantic",
        "yaml",
        "quintet.store",
        "quintet.engine.machine",
        "quintet.server",
    }
    assert not loaded & heavy
