"""`quintet graph`: the shape of a workflow; nothing is run."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Literal, TypeAlias

import click

from quintet.cli.screen import can_show, columns, painter, result, result_json
from quintet.cli.sources import Source, source_options
from quintet.workflow import Graph

if TYPE_CHECKING:
    from quintet.drawing.canvas import Row

Kind: TypeAlias = Literal["text", "mermaid", "svg", "json"]

_STROKES = "│┆┌┐└┘├┤┬┴┼─┄▶◀⏸"


@click.command("graph")
@click.argument("file", metavar="FILE", type=click.Path(allow_dash=True))
@click.option(
    "--format",
    "kind",
    type=click.Choice(["text", "mermaid", "svg", "json"]),
    default=None,
    help="How it is drawn; text, unless said otherwise.",
)
@source_options("--as")
@click.option(
    "--width", type=click.IntRange(min=20), help="Columns of the text; as wide as the terminal if left out."
)
@click.option("--ascii", "ascii_only", is_flag=True, help="Draw the text with plain ASCII lines.")
@click.option("--json", "as_json", is_flag=True, help="The same as --format json.")
def command(
    file: str, kind: Kind | None, source: Source, width: int | None, ascii_only: bool, as_json: bool
) -> None:
    """Draw the shape of a workflow: what follows what, at the same time, again and again.

    FILE is a path, or - for standard input.  Exit code 2 where the file has an error.
    """
    if as_json and kind not in {None, "json"}:
        raise click.UsageError(f"--json and --format {kind} exclude each other")
    chosen: Kind = "json" if as_json else kind or "text"
    if chosen != "text" and (width is not None or ascii_only):
        raise click.UsageError(f"--width and --ascii are for text, not for {chosen}")
    workflow = source.workflow(file)
    match chosen:
        case "text":
            result(_text(workflow.graph, width, ascii_only))
        case "mermaid":
            from quintet.drawing.mermaid import mermaid

            result(mermaid(workflow.graph).removesuffix("\n"))
        case "svg":
            from quintet.drawing.svg import svg

            result(svg(workflow.graph, workflow.name).removesuffix("\n"))
        case "json":
            result_json(workflow.graph.to_json())


def _text(graph: Graph, width: int | None, ascii_only: bool) -> str:
    from quintet.drawing.text import drawn

    plain = ascii_only or not can_show(_STROKES, sys.stdout)
    rows = drawn(graph, columns(sys.stdout) if width is None else width, ascii_only=plain)
    return "\n".join(map(_painted, rows))


def _painted(row: Row) -> str:
    paint = painter(sys.stdout)
    return "".join(paint("quiet" if role == "line" else role, text) for role, text in row)
