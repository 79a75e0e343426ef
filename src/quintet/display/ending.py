"""Ending: the last lines that a run leaves on the screen; whatever ended it, they say how to go on.

failed in 41 s after 1 of 3 steps · nothing is lost
  quintet retry 01K9XQ7M      again from 'security-check'
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from quintet.display import amounts
from quintet.display.commands import Commands
from quintet.display.expected import base, steps_of
from quintet.display.header import lasted, outcome_of, reason, summary
from quintet.display.outline import outline
from quintet.display.rows import Role, Row, paragraph, shown, width
from quintet.display.signs import of_run
from quintet.drawing.cells import width as cells
from quintet.drawing.cells import wrapped
from quintet.record import Run
from quintet.workflow import Graph

_Command = tuple[str, str]
"""What to type, and what it does."""


def ending(
    run: Run,
    graph: Graph | None,
    columns: int,
    *,
    now: float,
    store: str = "",
    model: str = "",
    kept: bool = True,
) -> list[Row]:
    """The closing lines of a run.

    A command is never cut nor broken over lines: where it is too long, the terminal breaks it, and it can
    still be copied.

    Args:
        run: What its log says.
        graph: What its workflow looks like, to count what was not reached.
        columns: How wide the screen is.
        now: Seconds since 1970.
        store: What `--store` must be told.
        model: Who answered, if models did: then another one is suggested for a failed step.
        kept: Whether the run can be found again at all.
    """
    commands = list(_commands(run, Commands(run.id, store), model)) if kept else []
    why = paragraph(f'"{said}"', columns, 3, "") if (said := reason(run)) else []
    return [*why, *_closing(run, _told(run, graph, now), commands, columns)]


def _closing(run: Run, told: Sequence[str], commands: Sequence[_Command], columns: int) -> list[Row]:
    if run.status == "completed" and commands:
        command = commands[0][0]
        row: Row = (*_first(told), ("quiet", " · "), ("hint", shown(command)))
        if width(row) <= columns:
            return [row]
        commands = [(command, "")]
    return [*_sentence(told, columns), *_listed(commands, columns)]


def _unpriced(run: Run) -> list[str]:
    """What the money leaves out."""
    models = run.usage.unpriced
    return [f"without {', '.join(map(shown, models))}, whose price is not known"] if models else []


def _told(run: Run, graph: Graph | None, now: float) -> list[str]:
    """What happened, in parts: `failed in 41.0 s after 1 of 3 steps`, `nothing is lost`."""
    took = amounts.duration(lasted(run, now))
    match run.status:
        case "completed":
            return [f"completed{_as(run)} in {took}", *summary(run), *_unpriced(run)]
        case "failed":
            return [f"failed in {took}{_reached(run, graph)}", *summary(run)[-1:], "nothing is lost"]
        case "paused":
            return [f"paused{_reached(run, graph)}", took, _waiting(len(run.questions))]
        case "interrupted":
            return [f"interrupted{_reached(run, graph)}", took, "nothing finished is lost"]
        case "cancelled":
            return [f"cancelled{_reached(run, graph)}", took]
        case _:
            return [f"{run.status}{_reached(run, graph)}", took]


def _as(run: Run) -> str:
    """` as approved`, where the format has a name for it."""
    outcome = shown(outcome_of(run))
    return f" as {outcome}" if outcome else ""


def _waiting(questions: int) -> str:
    return "waits for an answer" if questions <= 1 else f"waits for {questions:,} answers"


def _reached(run: Run, graph: Graph | None) -> str:
    """How far it came, in steps of the workflow where they can be told apart, else in turns."""
    items = outline(run, graph)
    names = {node.label for node in steps_of(graph)} if graph is not None else set[str]()
    if names and all(base(item.name) in names for item in items):
        return f" after {sum(item.state == 'completed' for item in items):,} of {len(items):,} steps"
    turns = sum(step.kind == "agent" and step.status == "completed" for step in run.steps)
    return f" after {turns:,} turn{'' if turns == 1 else 's'}"


def _commands(run: Run, commands: Commands, model: str) -> Iterable[_Command]:
    match run.status:
        case "completed":
            yield commands.to("show"), "what happened"
        case "failed":
            step = run.error.step if run.error else None
            yield commands.to("retry"), f"again from '{shown(step)}'" if step else "again"
            agent = next((one.agent for one in run.steps if one.path == step), None)
            if model and agent:
                yield commands.to("retry", "--model", f"{agent}=PROVIDER:NAME"), "with another model"
        case "paused":
            several = len(run.questions) > 1
            for question in run.questions:
                what = "or: quintet inbox" if not several else f"for '{shown(question.path)}'"
                yield commands.answer(question, several=several), what
            if not run.questions:
                yield commands.to("resume"), "goes on"
        case "interrupted":
            yield commands.to("resume"), "goes on"
        case "cancelled":
            cut = next((one.path for one in run.steps if one.status == "cancelled"), None)
            if cut is not None:
                yield commands.to("fork", "--at", cut), "goes on from there, as another run"
            yield commands.to("show"), "what happened"
        case _:
            yield commands.to("show", "--follow"), "watches it"


def _listed(commands: Sequence[_Command], columns: int) -> list[Row]:
    """Commands below each other, and what they do beside them where there is room."""
    widest = max((cells(shown(command)) for command, _ in commands), default=0)
    rows: list[Row] = []
    for command, what in commands:
        rows.append((("", "  "), ("hint", shown(command))))
        for gap in (widest - cells(shown(command)) + 3, 3):
            told: Row = (("", "  "), ("hint", shown(command)), ("quiet", " " * gap + what))
            if what and width(told) <= columns:
                rows[-1] = told
                break
    return rows


def _first(told: Sequence[str]) -> Row:
    """The verb in the colour of what it says."""
    verb, _, rest = told[0].partition(" ")
    role: Role = of_run(verb)[0]
    return (role, verb), ("", f" {rest}"), ("quiet", "".join(f" · {one}" for one in told[1:]))


def _sentence(told: Sequence[str], columns: int) -> list[Row]:
    row = _first(told)
    if width(row) <= columns:
        return [row]
    first, *rest = wrapped(" · ".join(told), columns)
    verb, _, words = first.partition(" ")
    return [((row[0][0], verb), ("", f" {words}")), *((("", line),) for line in rest)]
