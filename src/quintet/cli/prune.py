"""`quintet prune`: forgets runs that ended long ago."""

from __future__ import annotations

import re
import time
from datetime import datetime
from typing import TYPE_CHECKING

import click

from quintet.cli.refusal import Refusal
from quintet.cli.screen import result, result_json
from quintet.cli.stores import place_of, store_option
from quintet.problems.wording import counted, quoted

if TYPE_CHECKING:
    from quintet.runs.workshop import Workshop

_AGE = re.compile(r"(\d{1,9})\s*([smhdw])", re.ASCII)
_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86400, "w": 604800}


@click.command("prune")
@click.option("--older-than", metavar="AGE", help="Runs that ended so long ago: 30d, 12h, 90m, 4w.")
@click.option("--before", metavar="DATE", help="Runs that ended before a day or a time: 2026-01-31.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object on standard output.")
@store_option
def command(older_than: str | None, before: str | None, as_json: bool, store: str | None) -> int:
    """Forget runs that ended long ago, for good.  Runs that can still go on are kept, however old."""
    from quintet.cli.reading import reading

    if (older_than is None) == (before is None):
        raise click.UsageError("say which: --older-than AGE, or --before DATE")
    until = _moment(before) if before is not None else time.time() - _age(older_than or "")

    async def look(workshop: Workshop) -> int:
        pruned = await workshop.store.prune(ended_before=until)
        if as_json:
            result_json({"runs": pruned.runs, "events": pruned.events, "payloads": pruned.payloads})
        else:
            events = f" with {counted(pruned.events, 'event')}" if pruned.runs else ""
            result(f"{counted(pruned.runs, 'run')}{events} forgotten")
        return 0

    return reading(place_of(store), look)


def _age(text: str) -> float:
    """Seconds: `30d` are thirty days."""
    found = _AGE.fullmatch(text.strip().lower())
    if found is None:
        raise Refusal(f"{quoted(text)} is no age", "a number and s, m, h, d or w: 30d")
    return int(found[1]) * _SECONDS[found[2]]


def _moment(text: str) -> float:
    """Seconds since 1970; a time without a zone is meant as it is here."""
    try:
        return datetime.fromisoformat(text.strip()).timestamp()
    except (ValueError, OverflowError, OSError):
        raise Refusal(f"{quoted(text)} is no date", "like 2026-01-31, or 2026-01-31T18:00") from None
