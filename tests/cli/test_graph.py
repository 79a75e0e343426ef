"""`quintet graph` draws the shape of a workflow in four ways."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.cli.calling import called, run
from tests.cli.files import FINE, WARNED, WRONG, written


def test_text_is_drawn_as_wide_as_it_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = written(tmp_path, "flow.json", FINE.replace('"OK"', '"everybody is happy with all of it at last"'))
    wide = called("graph", path)
    assert (wide.code, wide.err) == (0, "")
    assert 'until "everybody is happy with all of it at last"' in wide.out
    narrow = called("graph", path, "--width", "40").out
    assert max(map(len, narrow.splitlines())) <= 40
    monkeypatch.setenv("COLUMNS", "40")
    assert called("graph", path).out == narrow


def test_lines_are_ascii_where_they_are_wanted_or_nothing_else_can_be_shown(tmp_path: Path) -> None:
    written(tmp_path, "flow.json", FINE)
    plain = called("graph", str(tmp_path / "flow.json"), "--ascii").out
    assert plain.isascii()
    environment = {"PYTHONUTF8": "0", "PYTHONIOENCODING": "ascii"}
    assert run("graph", "flow.json", environment=environment, cwd=tmp_path).out == plain


def test_the_other_ways_to_draw(tmp_path: Path) -> None:
    path = written(tmp_path, "flow.json", FINE)
    assert called("graph", path, "--format", "mermaid").out.startswith("flowchart TD\n")
    svg = ElementTree.fromstring(called("graph", path, "--format", "svg").out)
    assert svg.findtext("{http://www.w3.org/2000/svg}title") == "flow"
    graph = json.loads(called("graph", path, "--format", "json").out)
    assert [node["label"] for node in graph["nodes"]] == ["input", "draft", "review", "output"]
    assert json.loads(called("graph", path, "--json").out) == graph


def test_options_that_would_do_nothing_are_refused(tmp_path: Path) -> None:
    path = written(tmp_path, "flow.json", FINE)
    for options in (
        ["--format", "svg", "--width", "40"],
        ["--format", "json", "--ascii"],
        ["--format", "svg", "--json"],
        ["--width", "5"],
    ):
        assert called("graph", path, *options).code == 2


def test_the_format_of_the_file_can_be_named() -> None:
    assert called("graph", "-", "--as", "openfang", stdin=FINE).code == 0
    assert called("graph", "-", "--as", "nope", stdin=FINE).code == 2


def test_a_file_with_errors_is_not_drawn(tmp_path: Path) -> None:
    answer = called("graph", written(tmp_path, "flow.json", WRONG))
    assert (answer.code, answer.out) == (2, "")
    assert "error[unknown-key]" in answer.err


def test_warnings_are_counted_beside_the_picture(tmp_path: Path) -> None:
    path = written(tmp_path, "flow.json", WARNED)
    answer = called("graph", path)
    assert answer.code == 0
    assert answer.err == f"1 warning in {path}: quintet check {path}\n"
    assert called("graph", path, "--strict").code == 2


def test_colours_change_no_character(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import re

    path = written(tmp_path, "flow.json", FINE)
    plain = called("graph", path).out
    monkeypatch.setenv("FORCE_COLOR", "1")
    painted = called("graph", path).out
    assert painted != plain
    assert re.sub(r"\x1b\[[\d;]*m", "", painted) == plain
