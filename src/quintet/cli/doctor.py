"""`quintet doctor`: what is here, what is missing, and what is wrong."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from itertools import groupby
from typing import TYPE_CHECKING

import click

from quintet.cli.screen import columns, result, result_json, say

if TYPE_CHECKING:
    from quintet.cli.findings import Finding
    from quintet.display.rows import Row


@click.command("doctor")
@click.option("--json", "as_json", is_flag=True, help="One JSON object on standard output.")
def command(as_json: bool) -> int:
    """Look at this installation: versions, settings, the store, the models that can be asked.

    Nothing is changed, and of keys nothing is told but that they are there.  Exit code 1 where something is
    broken; what is only missing breaks nothing.
    """
    from quintet.cli.findings import findings
    from quintet.problems.wording import counted

    found = findings()
    broken = sum(finding.state == "wrong" for finding in found)
    if as_json:
        result_json({"ok": not broken, "findings": [finding.to_json() for finding in found]})
    else:
        from quintet.cli.view import drawn

        result(drawn(drawn_up(found, columns(sys.stdout)), sys.stdout))
        if broken:
            say(f"{counted(broken, 'thing')} to mend")
    return 1 if broken else 0


def drawn_up(found: Sequence[Finding], room: int) -> list[Row]:
    """A line for each finding under the heading of its topic, and below it what to do."""
    from quintet.cli.checklist import rows, widest

    name = widest(found, room)
    lines: list[Row] = []
    for topic, group in groupby(found, key=lambda finding: finding.topic):
        lines += [()] if lines else []
        lines.append((("heading", topic.capitalize()),))
        for row in rows(list(group), room - 2, name):
            lines.append((("", "  "), *row))
    return lines
