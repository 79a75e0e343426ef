"""`quintet schema`: what a format allows, as JSON Schema."""

from __future__ import annotations

import click

from quintet.cli.refusal import Refusal
from quintet.cli.screen import result_json
from quintet.cli.sources import complete_formats
from quintet.formats.registry import UnknownFormat, named


@click.command("schema")
@click.argument("format_name", metavar="FORMAT", shell_complete=complete_formats)
@click.option("--json", "as_json", is_flag=True, help="The same: a schema is always JSON.")
def command(format_name: str, as_json: bool) -> None:
    """Print the JSON Schema (2020-12) of a format, so that editors complete and check its files."""
    try:
        schema = named(format_name).schema()
    except UnknownFormat as unknown:
        raise Refusal(str(unknown)) from None
    result_json(schema)
