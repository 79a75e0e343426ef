"""`quintet help` explains every code and every verb."""

import json

import pytest

from quintet.cli.verbs import VERBS
from quintet.formats.registry import codes
from tests.cli.calling import called


@pytest.mark.parametrize("code", codes().values(), ids=lambda code: code.name)
def test_every_code_is_explained(code: object) -> None:
    from quintet.problems.codes import Code

    assert isinstance(code, Code)
    answer = called("help", code.name)
    assert answer.code == 0
    assert answer.out.startswith(f"{code.severity}[{code.name}]: {code.title}\n")
    assert ("Wrong" in answer.out.splitlines()) == (code.wrong is not None)


def test_a_code_as_json() -> None:
    found = json.loads(called("help", "unknown-key", "--json").out)
    assert found["code"] == "unknown-key"
    assert found["severity"] == "error"
    assert called("help", "check", "--json").code == 2


@pytest.mark.parametrize("name", [verb.name for verb in VERBS])
def test_a_verb_is_explained_as_its_own_option_does(name: str) -> None:
    assert called("help", name).out == called(name, "--help").out


def test_nothing_asked_is_the_help_of_all() -> None:
    assert called("help").out == called("--help").out


def test_what_is_neither_is_refused_with_a_suggestion() -> None:
    answer = called("help", "unknwon-key")
    assert (answer.code, answer.out) == (2, "")
    assert "did you mean 'unknown-key'?" in answer.err
