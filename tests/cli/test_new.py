"""`quintet new` gives a file that is valid as it stands, and overwrites nothing."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from quintet.formats.registry import formats, load_file
from tests.cli.calling import called


def test_it_goes_to_standard_output_and_is_valid() -> None:
    answer = called("new", "openfang")
    assert answer.code == 0
    assert called("check", "-", "--strict", stdin=answer.out).code == 0
    assert "// " in answer.out


@pytest.mark.parametrize("name", formats())
@pytest.mark.parametrize("ending", [".json", ".jsonc", ".yaml", ".yml", ""])
def test_a_file_is_written_in_the_language_of_its_name(tmp_path: Path, name: str, ending: str) -> None:
    path = tmp_path / f"flow{ending}"
    answer = called("new", name, str(path))
    assert (answer.code, answer.out) == (0, "")
    assert load_file(path, format=name, strict=True).ok


@pytest.mark.parametrize("name", formats())
def test_every_language_says_the_same(tmp_path: Path, name: str) -> None:
    paths = [tmp_path / "flow.json", tmp_path / "flow.yaml"]
    for path in paths:
        called("new", name, str(path))
    drawn = [json.loads(called("graph", str(path), "--json").out) for path in paths]
    for graph in drawn:
        for node in graph["nodes"]:
            node.pop("line", None)
    assert drawn[0] == drawn[1]


def test_nothing_is_overwritten(tmp_path: Path) -> None:
    path = tmp_path / "flow.json"
    path.write_text("mine", encoding="utf-8")
    answer = called("new", "openfang", str(path))
    assert answer.code == 2
    assert "exists, and is left as it is" in answer.err
    assert path.read_text(encoding="utf-8") == "mine"


def test_what_cannot_be_written_is_refused(tmp_path: Path) -> None:
    assert "cannot be written" in called("new", "openfang", str(tmp_path / "none" / "flow.json")).err
    assert "must end with .json or .yaml" in called("new", "openfang", str(tmp_path / "flow.toml")).err
    assert "did you mean 'openfang'?" in called("new", "openfnag").err
    assert list(tmp_path.iterdir()) == []


def test_json_holds_the_text(tmp_path: Path) -> None:
    found = json.loads(called("new", "openfang", "--json").out)
    assert found["format"] == "openfang"
    assert found["text"] == called("new", "openfang").out
    written = json.loads(called("new", "openfang", str(tmp_path / "flow.json"), "--json").out)
    assert written["path"] == str(tmp_path / "flow.json")
