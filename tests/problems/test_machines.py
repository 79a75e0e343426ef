"""Problems for machines: JSON, annotations of GitHub, SARIF."""

import json

from quintet.problems.codes import Code
from quintet.problems.github import annotation
from quintet.problems.problem import Place, Problem
from quintet.problems.sarif import sarif

CODE = Code("bad", "error", "it is bad", "Because.")
PROBLEM = Problem(CODE, "50% wrong: a, b", Place("flows/a b.json", 3, 5, 3, 9), "mend it")


def test_json_has_every_part() -> None:
    assert PROBLEM.to_json() == {
        "path": "flows/a b.json",
        "line": 3,
        "column": 5,
        "end_line": 3,
        "end_column": 9,
        "severity": "error",
        "code": "bad",
        "message": "50% wrong: a, b",
        "hint": "mend it",
    }


def test_an_annotation_is_one_line_with_everything_escaped() -> None:
    assert annotation(PROBLEM) == (
        "::error file=flows/a b.json,line=3,endLine=3,col=5,endColumn=9,title=bad"
        "::50%25 wrong: a, b%0Amend it"
    )
    odd = Problem(CODE, "x\r\ny", Place("a:b,c%.json", 1, 1, 2, 1), severity="warning")
    assert annotation(odd) == "::warning file=a%3Ab%2Cc%25.json,line=1,endLine=2,title=bad::x%0D%0Ay"


def test_sarif_names_rules_once_and_counts_columns_in_characters() -> None:
    log = json.loads(json.dumps(sarif([PROBLEM, PROBLEM])))
    [run] = log["runs"]
    assert log["version"] == "2.1.0"
    assert run["columnKind"] == "unicodeCodePoints"
    assert [rule["id"] for rule in run["tool"]["driver"]["rules"]] == ["bad"]
    assert len(run["results"]) == 2
    result = run["results"][0]
    assert (result["ruleId"], result["ruleIndex"], result["level"]) == ("bad", 0, "error")
    [location] = result["locations"]
    assert location["physicalLocation"] == {
        "artifactLocation": {"uri": "flows/a%20b.json"},
        "region": {"startLine": 3, "startColumn": 5, "endLine": 3, "endColumn": 9},
    }


def test_sarif_of_a_file_with_an_absolute_or_undecodable_path() -> None:
    def uri(path: str) -> str:
        log = json.loads(json.dumps(sarif([Problem(CODE, "x", Place(path, 1, 1, 1, 2))])))
        return log["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]

    assert uri("/flows/a.json") == "file:///flows/a.json"
    assert uri("a\udcff.json") == "a%FF.json"


def test_no_problems_are_a_log_without_results() -> None:
    assert sarif([])["runs"] != []
