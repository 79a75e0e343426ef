"""`quintet backup`: a copy of the store, made while it is in use."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from quintet.cli.given import text_of
from quintet.cli.screen import result_json, say
from quintet.cli.stores import place_of, store_option
from quintet.problems.wording import visible

if TYPE_CHECKING:
    from quintet.runs.workshop import Workshop


@click.command("backup")
@click.argument("file", metavar="FILE", type=click.Path())
@click.option("--json", "as_json", is_flag=True, help="One JSON object on standard output.")
@store_option
def command(file: str, as_json: bool, store: str | None) -> int:
    """Copy the store to FILE, which must not exist, while others go on working with it.

    The copy is a store: --store sqlite:///FILE shows its runs, and goes on with them.
    """
    from quintet.cli.reading import reading

    text_of(file, "FILE")

    async def look(workshop: Workshop) -> int:
        await workshop.store.backup(file)
        return 0

    code = reading(place_of(store), look)
    if as_json:
        result_json({"path": str(Path(file).absolute()), "bytes": Path(file).stat().st_size})
    say(f"{visible(file)} is written; to look into it: quintet runs --store sqlite:///{visible(file)}")
    return code
