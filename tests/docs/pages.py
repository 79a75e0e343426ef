"""The pages of the documentation, and what is on them that can be checked."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from scripts.draw import ROOT

PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])


@dataclass(frozen=True, slots=True)
class Block:
    """A block of code."""

    page: Path
    line: int
    language: str
    name: str
    """The file that it is, on pages that are walked."""
    text: str

    def __str__(self) -> str:
        return f"{self.page.relative_to(ROOT)}:{self.line}"


@dataclass(frozen=True, slots=True)
class Link:
    """A link to a file of the repository."""

    page: Path
    words: str
    target: str

    def __str__(self) -> str:
        return f"{self.page.relative_to(ROOT)} → {self.target}"

    @property
    def path(self) -> Path:
        return (self.page.parent / self.target.partition("#")[0]).resolve()


def blocks() -> list[Block]:
    return [block for page in PAGES for block in _blocks(page)]


def _blocks(page: Path) -> Iterator[Block]:
    text = page.read_text(encoding="utf-8")
    for each in re.finditer(r"^```(\S*)(?: (\S+))?\n(.*?)^```$", text, re.DOTALL | re.MULTILINE):
        yield Block(page, text.count("\n", 0, each.start()) + 1, each[1], each[2] or "", each[3])


def prose(page: Path) -> str:
    """A page without its blocks of code."""
    return re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)


def links() -> list[Link]:
    return [
        Link(page, words, target)
        for page in PAGES
        for words, target in re.findall(r"\[([^\]]+)\]\(([^)\s]+)\)", prose(page))
        if "://" not in target and not target.startswith("#")
    ]
