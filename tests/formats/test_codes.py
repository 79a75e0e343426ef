"""Every code is a page, and every example on a page is what the page says it is."""

from pathlib import Path

import pytest

from quintet.formats import registry
from quintet.problems.codes import Code, pages

PAGES = Path(__file__).parents[2] / "docs" / "errors"
CODES = registry.codes().values()
EXTENSIONS = {"json": "flow.json", "yaml": "flow.yaml"}


def found(text: str, code: Code) -> set[str]:
    return {problem.code.name for problem in registry.load(text, EXTENSIONS[code.language]).problems}


def test_the_pages_are_those_of_the_table_of_codes() -> None:
    current = pages(CODES)
    written = {path.name: path.read_text(encoding="utf-8") for path in PAGES.glob("*.md")}
    assert written == current, "run: python docs/errors/generate.py"


@pytest.mark.parametrize("code", [c for c in CODES if c.wrong is not None], ids=lambda code: code.name)
def test_the_wrong_example_of_a_page_has_its_problem_with_its_severity(code: Code) -> None:
    assert code.wrong is not None
    problems = registry.load(code.wrong, EXTENSIONS[code.language]).problems
    assert code.severity in {problem.severity for problem in problems if problem.code is code}


@pytest.mark.parametrize("code", [c for c in CODES if c.right is not None], ids=lambda code: code.name)
def test_the_right_example_of_a_page_has_no_problem_at_all(code: Code) -> None:
    assert code.right is not None
    assert found(code.right, code) == set()


@pytest.mark.parametrize("code", CODES, ids=lambda code: code.name)
def test_a_page_says_what_is_wrong_and_why(code: Code) -> None:
    assert not code.title[0].isupper()
    assert code.explanation.endswith(".")
    assert code.name == code.name.lower()


def test_two_codes_of_one_name_are_refused() -> None:
    code = next(iter(CODES))
    twin = Code(code.name, "error", "another", "Another.")
    with pytest.raises(ValueError, match=code.name):
        pages([code, twin])
