"""Problems as annotations of GitHub Actions: `::error file=…,line=…::message`, one a line."""

from __future__ import annotations

from quintet.problems.problem import Problem


def annotation(problem: Problem) -> str:
    """The workflow command that marks a problem in the list of changed files."""
    place = problem.place
    properties: dict[str, str | int] = {"file": place.path, "line": place.line, "endLine": place.end_line}
    if place.line == place.end_line:  # columns are only read within one line
        properties |= {"col": place.column, "endColumn": place.end_column}
    properties["title"] = problem.code.name
    listed = ",".join(f"{name}={_property(str(value))}" for name, value in properties.items())
    message = f"{problem.message}\n{problem.hint}" if problem.hint else problem.message
    return f"::{problem.severity} {listed}::{_data(message)}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
