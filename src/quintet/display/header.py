"""Header: which run this is, how long it has taken, and what it has cost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from quintet.display import amounts
from quintet.display.commands import short
from quintet.display.rows import Row, cut, ends, fitted, shown, width
from quintet.display.signs import of_run
from quintet.drawing.cells import width as cells
from quintet.record import Run

_FIGURES: Final = len("12:34  ≈ $0.000012")
"""So much room the figures may come to take: who answers is not to change its row while a run works."""


def header(run: Run, room: int, *, now: float, model: str = "") -> Row:
    """`brainstorm · openfang · run 01K9XQ7M · openai:gpt-5-mini          0:07  ≈ $0.0041`."""
    right: Row = (("name", amounts.clock(lasted(run, now))),)
    if run.usage.cost_usd:
        right = (*right, ("quiet", f"  ≈ {amounts.money(run.usage.cost_usd)}"))
    spare = max(_FIGURES - width(right), 0)
    return ends(_named(run, room - width(right) - 2, model, spare), right, room)


def header_rows(run: Run, room: int, *, now: float, model: str) -> list[Row]:
    """The same; who answers has a row of its own where there is no room beside the rest."""
    top = header(run, room, now=now, model=model)
    has_room = any(part == ("quiet", shown(model)) for part in top)
    return [top] if has_room or not model else [top, fitted((("quiet", shown(model)),), room)]


def title(run: Run, room: int, *, now: float) -> list[Row]:
    """Which run it was and how it ended, in as many rows as it takes."""
    mark, said = of_run(run.status), run.status
    if outcome := outcome_of(run):
        said += f": {shown(outcome)}"
    plain = [amounts.duration(lasted(run, now)), *summary(run)]
    parts: list[Row] = [(mark, ("", " "), (mark[0], said)), *map(_plain, plain)]
    named = _named(run, room, "")
    ending = _dotted(parts)
    if width(named) + width(ending) + 3 <= room:
        return [(*named, ("quiet", " · "), *ending)]
    return [named, *_broken(parts, room)]


def reason(run: Run) -> str:
    """Why a run ended as it did, where its format says so."""
    said = run.native.get("reason") if isinstance(run.native, Mapping) else None
    return said if isinstance(said, str) else ""


def summary(run: Run) -> list[str]:
    """`5 turns`, `2,310 tokens`, `$0.0063`."""
    turns = sum(step.kind == "agent" for step in run.steps)
    tokens = run.usage.input_tokens + run.usage.output_tokens
    told = [f"{turns:,} turn{'' if turns == 1 else 's'}"] if turns else []
    told += [f"{tokens:,} tokens"] if tokens else []
    return told + ([amounts.money(run.usage.cost_usd)] if run.usage.cost_usd else [])


def lasted(run: Run, now: float) -> float:
    """How long a run took, or has taken so far; one that has stopped, until the last that happened."""
    if run.ended is not None:
        return run.ended - run.began
    if run.status in {"running", "created"}:
        return now - run.began if run.began else 0.0
    times = [step.ended or step.began for step in (*run.steps, *run.under_way)]
    times += [fact.time for fact in run.facts]
    return max(0.0, max(times, default=run.began) - run.began)


def _named(run: Run, room: int, model: str, spare: int = 0) -> Row:
    """As many of its attributes as there is room for; its name and its id in any case."""
    name, run_id = shown(run.workflow or "workflow"), f"run {shown(short(run.id))}"
    all_of_it = (shown(run.format), run_id, shown(model))
    for rest in (all_of_it, (shown(run.format), run_id), (run_id,)):
        row = _dotted([(("heading", name),), *((("quiet", one),) for one in rest if one)])
        if width(row) <= room - (spare if model and rest is all_of_it else 0):
            return row
    name = cut(name, max(room - 3 - cells(run_id), 8))
    return _dotted([(("heading", name),), (("quiet", run_id),)])


def _plain(text: str) -> Row:
    return (("", text),)


def _dotted(parts: Sequence[Row]) -> Row:
    row: Row = ()
    for part in parts:
        row = (*row, ("quiet", " · "), *part) if row else part
    return row


def _broken(parts: Sequence[Row], room: int) -> list[Row]:
    """Parts in as many rows as they take."""
    rows: list[list[Row]] = [[]]
    for part in parts:
        if rows[-1] and width(_dotted([*rows[-1], part])) > room:
            rows.append([])
        rows[-1].append(part)
    return [_dotted(row) for row in rows]


def outcome_of(run: Run) -> str:
    """What a format calls the end of a run."""
    outcome = run.native.get("outcome") if isinstance(run.native, Mapping) else None
    return outcome if isinstance(outcome, str) else ""
