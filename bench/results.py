"""The results: rows as a page of Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from bench.rounds import Series
from bench.row import Claim, Row, duration
from bench.surroundings import Surroundings

_OPENING = """\
# Results

Written by `make bench`, every line of it. The contenders took turns, for {rounds} rounds: a figure is the
median of its rounds, a ratio the median of the ratios within the rounds. A *step* is one whole touch with all
the rows that it writes (a note before, its start, its outcome, a note after), and outcomes come at once."""

_DETAILS = "Wall time, its range over the rounds, and processor time of all threads, each per unit."


def page(rows: Sequence[Row], surroundings: Surroundings, rounds: int) -> str:
    """The whole page."""
    parts = [
        _OPENING.format(rounds=rounds),
        _table(("", ""), surroundings.items()),
        "## Reach",
        _reach(rows),
        "## What was measured",
        _DETAILS,
        *(_details(row) for row in rows),
    ]
    return "\n\n".join(parts) + "\n"


def _reach(rows: Iterable[Row]) -> str:
    lines = [
        (row.work if claim is row.claims[0] else "", claim.measured, claim.reach, _verdict(claim))
        for row in rows
        for claim in row.claims
    ]
    return _table(("work", "measured", "reach", "met"), lines)


def _verdict(claim: Claim) -> str:
    return {True: "yes", False: "**no**", None: "–"}[claim.met]


def _details(row: Row) -> str:
    parts = [f"### {row.work} (`{row.name}`)", *row.remarks]
    if row.series:
        parts.insert(1, _table(("", "median", "range", "processor", "per"), map(_line, row.series)))
    return "\n\n".join(parts)


def _line(series: Series) -> tuple[str, ...]:
    lowest, highest = series.range
    spread = f"{duration(lowest)} to {duration(highest)}"
    return series.name, duration(series.wall), spread, duration(series.cpu), series.unit


def _table(heads: Sequence[str], lines: Iterable[Sequence[str]]) -> str:
    rule = ["---"] * len(heads)
    return "\n".join(f"| {' | '.join(line)} |" for line in (heads, rule, *lines))
