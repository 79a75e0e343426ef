"""Codes: the names of all that can be wrong with a file.

A code is what a person looks up and a script greps for, so it never changes its meaning.  Each carries what
its page says: why this is a problem, a file that has it and one that has not.  The modules of codes are the
one table that checks refer to and that the pages of `docs/errors/` are made from.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, TypeAlias

Severity: TypeAlias = Literal["error", "warning"]
Language: TypeAlias = Literal["json", "yaml", "toml"]


@dataclass(frozen=True, slots=True)
class Code:
    """One kind of problem."""

    name: str
    severity: Severity
    title: str
    """What is wrong, as a headline."""
    explanation: str
    """Why that is a problem and what to do: Markdown, one paragraph or a few."""
    wrong: str | None = None
    """A whole small file that has the problem, where a text can show it."""
    right: str | None = None
    """The same file, mended."""
    language: Language = "json"


def table(codes: Iterable[Code]) -> dict[str, Code]:
    """All codes by name.  Raises ValueError where two share one."""
    found: dict[str, Code] = {}
    for code in codes:
        if found.setdefault(code.name, code) is not code:
            raise ValueError(f"two codes are called {code.name!r}")
    return dict(sorted(found.items()))


def page(code: Code) -> str:
    """What `docs/errors/<name>.md` says."""
    parts = [f"# {code.name}", f"*{code.severity}:* {code.title}", code.explanation.strip()]
    if code.wrong is not None:
        parts += ["Wrong:", _fenced(code.wrong, code.language)]
    if code.right is not None:
        parts += ["Right:", _fenced(code.right, code.language)]
    return "\n\n".join(parts) + "\n"


def index(codes: Iterable[Code]) -> str:
    """What `docs/errors/README.md` says: every code, its severity and its title."""
    rows = [f"| [{code.name}]({code.name}.md) | {code.severity} | {code.title} |" for code in codes]
    head = [
        "# What can be wrong with a file",
        "",
        "Made from the table of codes by `docs/errors/generate.py`.",
        "",
        "| code | | |",
        "| --- | --- | --- |",
    ]
    return "\n".join(head + rows) + "\n"


def pages(codes: Iterable[Code]) -> dict[str, str]:
    """Every page of `docs/errors/`, by the name of its file."""
    sorted_codes = table(codes).values()
    return {"README.md": index(sorted_codes)} | {f"{code.name}.md": page(code) for code in sorted_codes}


def _fenced(text: str, language: str) -> str:
    return f"```{language}\n{text.strip()}\n```"
