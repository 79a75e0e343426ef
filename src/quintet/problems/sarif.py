"""Problems as SARIF 2.1.0: the format that code hosts and editors read the findings of checkers in."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from urllib.parse import quote

from quintet import __version__
from quintet.engine.values import Json
from quintet.problems.codes import Code, table
from quintet.problems.problem import Place, Problem

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


def sarif(problems: Sequence[Problem]) -> dict[str, Json]:
    """One log with one run: the codes that occur as its rules, each problem as a result."""
    rules = table(problem.code for problem in problems)
    numbers = {name: number for number, name in enumerate(rules)}
    driver: dict[str, Json] = {
        "name": "quintet",
        "version": __version__,
        "rules": [_rule(code) for code in rules.values()],
    }
    run: dict[str, Json] = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "results": [_result(problem, numbers[problem.code.name]) for problem in problems],
    }
    return {"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}


def _rule(code: Code) -> dict[str, Json]:
    return {
        "id": code.name,
        "shortDescription": {"text": code.title},
        "fullDescription": {"text": code.explanation.strip()},
        "defaultConfiguration": {"level": code.severity},
    }


def _result(problem: Problem, rule: int) -> dict[str, Json]:
    message = f"{problem.message} ({problem.hint})" if problem.hint else problem.message
    return {
        "ruleId": problem.code.name,
        "ruleIndex": rule,
        "level": problem.severity,
        "message": {"text": message},
        "locations": [{"physicalLocation": _location(problem.place)}],
    }


def _location(place: Place) -> dict[str, Json]:
    return {
        "artifactLocation": {"uri": _uri(place.path)},
        "region": {
            "startLine": place.line,
            "startColumn": place.column,
            "endLine": place.end_line,
            "endColumn": place.end_column,
        },
    }


def _uri(path: str) -> str:
    pure = Path(path)
    return pure.as_uri() if pure.is_absolute() else quote(pure.as_posix(), errors="surrogateescape")
