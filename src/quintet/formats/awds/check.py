"""Check: every rule of an AWDS workflow that can be proven without running it.

What a single key may hold has been checked while the file was read.  Here are the rules about what steps are
to each other; none stops another, so all that is wrong is told at once.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from quintet.formats.awds.codes import (
    ALL_FUNCTIONS,
    AMBIGUOUS_FUNCTION,
    CYCLE,
    DUPLICATE_STEP,
    NO_STEPS,
    UNKNOWN_DEPENDENCY,
    UNUSABLE_ID,
)
from quintet.formats.awds.document import Function
from quintet.formats.awds.order import Ancestry, circle
from quintet.formats.awds.placed import Placed, PlacedDocument
from quintet.formats.awds.references import check_references
from quintet.formats.awds.schemas import check_schema
from quintet.formats.report import Report
from quintet.formats.tree import List
from quintet.problems.wording import did_you_mean, quoted


def check(placed: PlacedDocument, report: Report) -> None:
    """Adds to the report all that can be proven wrong with a workflow."""
    if isinstance(placed.steps_at, List) and not placed.steps_at.items:
        report.add(NO_STEPS, "there are no steps: the workflow does nothing", placed.steps_at)
    steps = _by_id(placed.steps, report)
    for step in placed.steps:
        _dependencies(step, steps, placed.complete, report)
        _functions(step, report)
        if step.schema is not None:
            check_schema(step.schema, report)
    _circles(steps, report)
    ancestry = Ancestry({name: step.step.depends_on for name, step in steps.items()})
    for step in placed.steps:
        check_references(step, steps, ancestry, report, complete=placed.complete)


def _by_id(steps: Iterable[Placed], report: Report) -> dict[str, Placed]:
    """The steps by their ids; of two with one id the first."""
    found: dict[str, Placed] = {}
    for step in steps:
        if not step.id_known:
            continue
        name = step.step.id
        if not name.strip():
            report.add(UNUSABLE_ID, "a step's id must not be empty", step.id_at, "give it a name")
        elif name in found:
            message = f"there is another step {quoted(name)}, in line {found[name].step.line}"
            report.add(DUPLICATE_STEP, message, step.id_at, "rename one of them")
        else:
            found[name] = step
    return found


def _dependencies(step: Placed, steps: Mapping[str, Placed], complete: bool, report: Report) -> None:
    for name, at in step.depends_on:
        if name == step.step.id and step.id_known:
            message = f"{quoted(name)} depends on itself: {name} → {name}"
            report.add(CYCLE, message, at, "leave it out")
        elif name not in steps and complete and not report.full(UNKNOWN_DEPENDENCY):
            hint = did_you_mean(name, (other for other in steps if other != step.step.id))
            report.add(UNKNOWN_DEPENDENCY, f"there is no step {quoted(name)}", at, hint)


def _circles(steps: Mapping[str, Placed], report: Report) -> None:
    """Each circle once, told as a path, at the dependency that closes it."""
    needs = {
        name: tuple(one for one in step.step.depends_on if one in steps and one != name)
        for name, step in steps.items()
    }
    told: set[str] = set()
    while (found := circle({name: needs[name] for name in needs if name not in told})) is not None:
        told.update(found)
        first = min(found, key=lambda name: steps[name].step.line)
        _circle(found, first, steps, report)


def _circle(found: Sequence[str], first: str, steps: Mapping[str, Placed], report: Report) -> None:
    start = found.index(first)
    way = [*found[start:], *found[:start], first]
    at = next(at for name, at in steps[first].depends_on if name == way[1])
    shown = way if len(way) <= 12 else [*way[:10], "…", first]
    message = f"these steps wait for each other: {' → '.join(shown)}"
    report.add(CYCLE, message, at, "leave one of these dependencies out")


def _functions(step: Placed, report: Report) -> None:
    at = step.functions_at
    if isinstance(at, List) and not at.items:
        message = "an empty 'attachedFunctions' allows every function"
        report.add(ALL_FUNCTIONS, message, at, "leave it out, or list what the agent needs")
    seen: dict[str, Function] = {}
    for function, place in step.functions:
        other = seen.setdefault(function.tool, function)
        if other != function:
            told = f"{other.service}.{other.function} and {function.service}.{function.function}"
            message = f"{quoted(function.tool)} would be both {told}"
            report.add(AMBIGUOUS_FUNCTION, message, place)
