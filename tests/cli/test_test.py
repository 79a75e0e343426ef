"""`quintet test`: a line for each case, what differs below it, and the exit code."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from quintet.testing import check
from tests.cli.calling import called
from tests.cli.files import written
from tests.cli.runs import flow, script

TESTS = """
script: flow.script.yaml
tests:
  - name: as it should
    expect: {output: "2"}
  - name: another
    expect:
      output: |-
        line
        other
"""


@pytest.fixture
def tests(workplace: Path) -> str:
    written(workplace, "flow.json", flow("one", "two"))
    written(workplace, "flow.script.yaml", script(one="1", two="2"))
    return written(workplace, "flow.test.yaml", TESTS)


def test_each_case_has_a_line_and_what_differs_below_it(tests: str) -> None:
    answer = called("test", "flow.json")
    assert answer.code == 1
    assert re.sub(r"\d+ ms", "T", answer.out) == (
        "flow.test.yaml\n"
        "  ✓ as it should  T\n"
        "  ✗ another       T\n"
        "      output is not as expected:\n"
        "        -line\n"
        "        -other\n"
        "        +2\n"
    )
    assert re.sub(r"\d+ ms", "T", answer.err) == "1 passed, 1 failed in T\n"


def test_k_chooses_by_name(tests: str) -> None:
    answer = called("test", tests, "-k", "SHOULD")
    assert (answer.code, answer.err[:8]) == (0, "1 passed")
    assert called("test", tests, "-k", "nothing like it").code == 2


def test_json_is_one_object(tests: str) -> None:
    told = json.loads(called("test", tests, "--json").out)
    assert (told["passed"], told["failed"]) == (1, 1)
    assert [one["status"] for one in told["tests"]] == ["passed", "failed"]
    assert told["tests"][1]["differences"][0] == "output is not as expected:"


def test_a_run_of_any_kind_becomes_an_offline_test(workplace: Path) -> None:
    path = written(workplace, "flow.json", flow("one"))
    says = written(workplace, "says.yaml", script(one="1"))
    assert called("run", path, "tea", "--script", says, "--record", "flow.cassette.yaml").code == 0
    answer = called("test", ".")
    assert (answer.code, answer.out.splitlines()[1][:26]) == (0, "  ✓ comes out as recorded ")
    written(workplace, "flow.json", flow("one").replace("one {{", "now {{"))
    changed = called("test", ".")
    assert changed.code == 1
    assert "      +user: now tea\n" in changed.out
    assert called("test", path, "--script", says).code == 0
    assert called("test", path, "--fake", "flow.cassette.yaml").code == 1


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["alone.json"], "alone.json has no tests: put alone.test.yaml"),
        (["missing.json"], "missing.json:1:1: error[cannot-read]"),
        (["wrong.test.yaml"], "wrong.test.yaml:1:8: error[wrong-type]"),
        (["empty"], "there is no test in empty"),
        (["odd.json", "--script", "flow.script.yaml"], "error[unknown-format]"),
        (["flow.json", "--script", "a", "--fake", "b"], "--script and --fake exclude each other"),
    ],
)
def test_what_is_wrong_is_told_and_nothing_is_run(
    workplace: Path, tests: str, arguments: list[str], said: str
) -> None:
    written(workplace, "alone.json", flow("one"))
    written(workplace, "wrong.test.yaml", "tests: 1")
    written(workplace, "odd.json", "{}")
    (workplace / "empty").mkdir()
    answer = called("test", *arguments)
    assert (answer.code, answer.out) == (2, "")
    assert said in answer.err


def test_the_same_can_be_checked_from_python(workplace: Path, tests: str) -> None:
    with pytest.raises(AssertionError, match=r"flow\.test\.yaml: another\noutput is not as expected"):
        check("flow.json")
