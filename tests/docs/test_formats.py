"""The page of a format names every rule with its test, and every test that quotes the format."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from scripts.draw import ROOT
from tests.docs.pages import links

FORMATS = ("awds", "hyperagent", "openfang")


def _page(name: str) -> Path:
    return ROOT / "docs" / "formats" / f"{name}.md"


def _tests(folder: Path) -> Iterator[tuple[Path, str, str]]:
    """Each test in a folder: its file, its name, its documentation."""
    for path in sorted(folder.glob("test_*.py")):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
                yield path, node.name, ast.get_docstring(node) or ""


def _conformance(name: str) -> list[tuple[Path, str, str]]:
    return list(_tests(ROOT / "tests" / "conformance" / name))


@pytest.mark.parametrize("name", FORMATS)
def test_every_test_that_quotes_a_format_is_named_on_its_page(name: str) -> None:
    named = {(link.path, link.words) for link in links() if link.page == _page(name)}
    quoting = [one for one in _tests(ROOT / "tests" / "formats" / name) if one[2].startswith('"')]
    assert [test for path, test, _ in (*quoting, *_conformance(name)) if (path, test) not in named] == []


@pytest.mark.parametrize("name", FORMATS)
def test_every_rule_on_the_page_has_a_test(name: str) -> None:
    """That a test which is named is there, is told of all links in `test_pages`."""
    rows = [line for line in _page(name).read_text(encoding="utf-8").splitlines() if line.startswith("| ")]
    rules = [row for row in rows if not row.startswith(("| the ", "| --- "))]
    assert len(rules) > 50
    assert [row for row in rules if "](../../tests/" not in row] == []


@pytest.mark.parametrize("name", FORMATS)
def test_a_conformance_test_quotes_what_stands_on_the_page_or_tells_a_reading(name: str) -> None:
    page = _plain(_page(name).read_text(encoding="utf-8"))
    tests = _conformance(name)
    assert tests
    for _, test, told in tests:
        quotes = re.findall(r'"(.+?[.)])"(?= "|$)|^"(.+)"$', _plain(told))
        assert told.startswith("Reading: ") or quotes, test
        assert [one for quote in quotes for one in quote if one not in page] == [], test


def _plain(text: str) -> str:
    return " ".join(text.replace("*", "").split())
