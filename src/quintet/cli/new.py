"""`quintet new`: a small file of a format that is valid as it stands, and says what to change.

The files are those of the folder `starters`, named by their format and the language they are written in.
"""

from __future__ import annotations

from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path

import click

from quintet.cli.refusal import Refusal
from quintet.cli.screen import result, result_json, say
from quintet.cli.sources import complete_formats
from quintet.formats.registry import UnknownFormat, named
from quintet.problems.wording import one_of, visible

_SUFFIXES = {".jsonc": ".json", ".yml": ".yaml"}
"""Endings that name the same language as another."""


@click.command("new")
@click.argument("format_name", metavar="FORMAT", shell_complete=complete_formats)
@click.argument("path", metavar="[FILE]", required=False, type=click.Path(path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="The text within one JSON object, on standard output.")
def command(format_name: str, path: Path | None, as_json: bool) -> None:
    """Write a small valid file of a format, with comments on what to change.

    It goes to standard output, or to FILE, which must not exist.
    """
    starter = _chosen(_starters(format_name), path)
    text = starter.read_text(encoding="utf-8")
    if path is not None:
        _write(path, text)
        say(f"{visible(str(path))} is written; next: quintet check {visible(str(path))}")
    if as_json:
        result_json({"format": format_name, "path": None if path is None else str(path), "text": text})
    elif path is None:
        result(text.removesuffix("\n"))


def _starters(format_name: str) -> dict[str, Traversable]:
    """The files of a format by the ending of their names; the first is the one to offer."""
    try:
        name = named(format_name).name
    except UnknownFormat as unknown:
        raise Refusal(str(unknown)) from None
    folder = files("quintet.cli") / "starters"
    found = {f".{file.name.rpartition('.')[2]}": file for file in folder.iterdir() if _stem(file) == name}
    if not found:
        raise Refusal(f"there is no file to start from for {name}", f"quintet schema {name}")
    return dict(sorted(found.items()))


def _stem(file: Traversable) -> str:
    return file.name.rpartition(".")[0]


def _chosen(starters: dict[str, Traversable], path: Path | None) -> Traversable:
    """The one in the language that the name of the file promises."""
    if path is None or not path.suffix:
        return next(iter(starters.values()))
    ending = path.suffix.lower()
    found = starters.get(_SUFFIXES.get(ending, ending))
    if found is None:
        raise Refusal(f"the file must end with {one_of(list(starters))}, and ends with {visible(ending)}")
    return found


def _write(path: Path, text: str) -> None:
    try:
        with path.open("x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError:
        raise Refusal(f"{visible(str(path))} exists, and is left as it is", "name another file") from None
    except (OSError, ValueError) as error:  # ValueError: a NUL in the path
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise Refusal(f"{visible(str(path))} cannot be written: {reason.lower()}") from None
