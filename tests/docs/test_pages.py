"""What the pages say can be done, can be done; what they point at is there."""

from __future__ import annotations

import ast
import importlib.util
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import click

from quintet.agents.script_file import schema
from quintet.cli.app import loaded
from quintet.cli.verbs import BY_NAME
from scripts import draw, toy
from tests.docs.pages import PAGES, Block, Link, blocks, links, prose

TARGETS = set(
    re.findall(r"^([a-z][\w-]*):", (draw.ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
)
DATA = {"json", "yaml"}
"""Workflow files, which are no code."""
ON_THEIR_OWN = {"quintet.toml"}
"""Files that are found without being named."""


ELSEWHERE = {draw.ROOT / "docs" / "how-to" / "tracing.md", draw.ROOT / "docs" / "reference" / "settings.md"}
"""Pages whose blocks have tests beside what they are about."""


def test_every_block_of_code_is_one_that_is_run_or_checked() -> None:
    assert [str(block) for block in blocks() if not _is_checked(block)] == []


def _is_checked(block: Block) -> bool:
    if block.page in ELSEWHERE or _is_drawn(block):
        return True
    if block.page in draw.WALKS and block.language:
        return block.language == "console" or _is_used(block)
    if block.language in DATA:
        return True
    if block.language:
        return _is_run_as_toy(block)
    return all(map(_is_a_target, block.text.splitlines()))


def _is_run_as_toy(block: Block) -> bool:
    return block.page == toy.PAGE and block.text == toy.source()


def _is_used(block: Block) -> bool:
    """Whether some command of its page names the file that the block is, or the folder it is in."""
    typed = "".join(
        other.text for other in blocks() if (other.page, other.language) == (block.page, "console")
    )
    return bool(block.name) and (block.name in ON_THEIR_OWN or block.name.partition("/")[0] in typed)


def _is_drawn(block: Block) -> bool:
    """Whether it stands in a place that `scripts.draw` fills; another test sees to it that it is current."""
    text = block.page.read_text(encoding="utf-8")
    before = "".join(text.splitlines(keepends=True)[: block.line - 1])
    return block.page in draw.PAGES and before.rpartition("<!-- drawn")[2].startswith(": ")


def _is_a_target(line: str) -> bool:
    found = re.match(r"make ([\w-]+)(?: +#|$)", line)
    return line == ". .venv/bin/activate" or (bool(found) and found[1] in TARGETS)


def test_every_command_in_the_prose_exists() -> None:
    codes = [code for page in PAGES for code in re.findall(r"`([^`\n]+)`", prose(page))]
    assert [code for code in codes if not _exists(code.split())] == []


def _exists(words: list[str]) -> bool:
    match words:
        case ["make", *rest]:
            return TARGETS.issuperset(word for word in rest if "=" not in word and not word.startswith("-"))
        case ["quintet", verb, *rest] if verb[:1].islower():
            return verb in BY_NAME and _takes(loaded(BY_NAME[verb]), rest)
        case ["python", "-m", module, *_]:
            return importlib.util.find_spec(module) is not None
        case ["python", script] if "/" in script:
            return (draw.ROOT / script).is_file()
        case _:
            return True


def _takes(command: click.Command, words: list[str]) -> bool:
    """Whether a command, or the one in it that the first word names, has all these options."""
    if isinstance(command, click.Group) and words and not _is_option(words[0]):
        return words[0] in command.commands and _takes(command.commands[words[0]], words[1:])
    return _options(command).issuperset(filter(_is_option, words))


def _options(command: click.Command) -> set[str]:
    return {name for parameter in command.params for name in parameter.opts}


def _is_option(word: str) -> bool:
    return word.startswith("-") and word != "-"


def test_every_link_leads_to_a_file_that_holds_what_it_names() -> None:
    assert [str(link) for link in links() if not _leads(link)] == []


def _leads(link: Link) -> bool:
    name = link.words.strip("`")
    if link.path.suffix != ".py" or name.endswith(".py"):
        return link.path.exists()
    return link.path.exists() and name in _names(link.path)


def _names(path: Path) -> Iterator[str]:
    """What a module defines: functions, classes, and the functions of these."""
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.name
        if isinstance(node, ast.ClassDef):
            yield from (
                f"{node.name}.{inner.name}"
                for inner in node.body
                if isinstance(inner, ast.FunctionDef | ast.AsyncFunctionDef)
            )


def test_every_path_in_the_prose_of_the_architecture_is_there() -> None:
    for code in re.findall(r"`((?:src|tests|docs|scripts)/[^`\s]+)`", prose(toy.PAGE)):
        assert (draw.ROOT / code).exists(), code


def test_the_reference_of_scripts_names_every_key() -> None:
    page = (draw.ROOT / "docs" / "reference" / "script.md").read_text(encoding="utf-8")
    assert [key for key in _keys(schema()) if f"`{key}`" not in page] == []


def _keys(part: Any) -> Iterator[str]:
    """The keys that a JSON Schema names, at any depth."""
    match part:
        case dict():
            named = cast("dict[str, Any]", part)
            yield from named.get("properties", ())
            yield from (key for inner in named.values() for key in _keys(inner))
        case list():
            yield from (key for inner in cast("list[Any]", part) for key in _keys(inner))
        case _:
            pass


def test_every_decision_is_in_the_index() -> None:
    folder = draw.ROOT / "docs" / "decisions"
    index = (folder / "README.md").read_text(encoding="utf-8")
    records = sorted(path for path in folder.glob("*.md") if path.name != "README.md")
    assert [int(path.name[:4]) for path in records] == list(range(1, len(records) + 1))
    for path in records:
        title = path.read_text(encoding="utf-8").splitlines()[0].removeprefix(f"# {path.name[:4]}. ")
        assert f"| [{path.name[:4]}]({path.name}) | {title} | in force |" in index
