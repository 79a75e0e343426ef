"""What belongs together is found by its names."""

from __future__ import annotations

from pathlib import Path

import pytest

from quintet.cases.finding import NoTests, found
from quintet.formats.invalid import InvalidFile
from tests.cli.files import written

CASES = "tests: [{name: one, script: {agents: {a: [{reply: x}]}}}, {name: two, cassette: other.yaml}]"


def names(*paths: Path) -> list[tuple[str, str]]:
    return [(case.file.name, case.name) for case in found(paths)]


def test_the_test_file_of_a_workflow_says_its_tests(tmp_path: Path) -> None:
    written(tmp_path, "a.json", "{}")
    written(tmp_path, "a.script.yaml", "")
    tests = Path(written(tmp_path, "a.test.yaml", CASES))
    expected = [("a.test.yaml", "one"), ("a.test.yaml", "two")]
    assert names(tests) == names(tmp_path / "a.json") == names(tmp_path) == expected


def test_a_script_or_a_cassette_beside_a_workflow_is_a_test_by_itself(tmp_path: Path) -> None:
    written(tmp_path, "a.yml", "")
    script = Path(written(tmp_path, "a.script.yaml", ""))
    cassette = Path(written(tmp_path, "a.cassette.json", ""))
    both = [("a.script.yaml", "completes"), ("a.cassette.json", "comes out as recorded")]
    assert names(tmp_path / "a.yml") == names(tmp_path) == both
    assert (names(script), names(cassette)) == (both[:1], both[1:])


def test_a_folder_is_searched_to_its_depth_in_order(tmp_path: Path) -> None:
    for name in ("b/x", "a/deep/y"):
        written(tmp_path, f"{name}.json", "{}")
        written(tmp_path, f"{name}.script.yaml", "")
    written(tmp_path, "shared.script.yaml", "")
    assert [file for file, _ in names(tmp_path)] == ["y.script.yaml", "x.script.yaml"]


def test_where_there_is_no_test_that_is_told(tmp_path: Path) -> None:
    alone = Path(written(tmp_path, "a.json", "{}"))
    with pytest.raises(NoTests, match=r"put a\.test\.yaml, a\.cassette\.yaml or a\.script\.yaml beside it"):
        found([alone])
    with pytest.raises(NoTests, match="no test in"):
        found([tmp_path])
    with pytest.raises(NoTests, match="no workflow is beside"):
        found([Path(written(tmp_path, "b.script.yaml", ""))])


def test_all_that_is_wrong_with_several_files_is_told_at_once(tmp_path: Path) -> None:
    for name in "ab":
        written(tmp_path, f"{name}.json", "{}")
        written(tmp_path, f"{name}.test.yaml", "tests: 1")
    with pytest.raises(InvalidFile) as invalid:
        found([tmp_path / "a.json", tmp_path / "b.json"])
    assert len(invalid.value.problems) == 2
