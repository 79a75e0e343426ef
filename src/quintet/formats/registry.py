"""The registry: which formats there are, and which of them a file has.

A format is an object behind an entry point of the group `quintet.formats`, so a package from anywhere can
bring one.  A file's format is told by its content, never by its name: each format says how much a map looks
like one of its own, and the one that says most reads it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, cast

from quintet.engine.values import Json
from quintet.formats.codes import AMBIGUOUS_FORMAT, SHARED, UNKNOWN_FORMAT, UNKNOWN_KEY
from quintet.formats.report import Report
from quintet.formats.source import UNNAMED, Reading, read, read_file
from quintet.formats.tree import Map, Value, head, named_kind
from quintet.problems.codes import Code, table
from quintet.problems.problem import Problem, has_errors, leniently, strictly
from quintet.problems.wording import did_you_mean, one_of, quoted
from quintet.workflow import Checked, Workflow

if TYPE_CHECKING:
    from quintet.record import Run

GROUP = "quintet.formats"


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What is known of the place that a workflow is to run in."""

    inputs: Collection[str] = ()
    """The names of the inputs that are given."""
    agents: Collection[str] | None = None
    """The agents there are, by name and by id; None where that is not known."""


@dataclass(frozen=True, slots=True)
class Format:
    """One format, as its entry point gives it.  Importing it must be cheap: its functions import the rest."""

    name: str
    hallmark: str
    """What people know it by, to tell them when no format fits."""
    resemblance: Callable[[Map], int]
    """How much a map looks like it: 0 not at all, 1 a little, 3 clearly."""
    load: Callable[[Map, Report, Surroundings], Workflow]
    """Reads and checks a map; the workflow is used only if the report then has no error."""
    schema: Callable[[], dict[str, Json]]
    """Its JSON Schema, for editors."""
    codes: tuple[Code, ...] = ()
    """Its own kinds of problems."""
    native: Callable[[Run], Json] | None = None
    """The result of a run, shaped as the format says."""


class UnknownFormat(ValueError):
    """There is no format of this name."""


@cache
def formats() -> dict[str, Format]:
    """All formats, by name.  Raises ValueError where two packages bring the same one."""
    from importlib.metadata import entry_points

    found: dict[str, Format] = {}
    for entry in sorted(entry_points(group=GROUP), key=lambda entry: entry.name):
        one = cast(Format, entry.load())
        if found.setdefault(one.name, one) is not one:
            raise ValueError(f"two packages bring a format called {one.name!r}")
    return found


def named(name: str) -> Format:
    """The format of a name.  Raises UnknownFormat, with a suggestion."""
    known = formats()
    if name not in known:
        hint = did_you_mean(name, known) or f"known: {', '.join(known)}"
        raise UnknownFormat(f"there is no format {quoted(name)}; {hint}")
    return known[name]


def codes() -> dict[str, Code]:
    """The one table of everything that can be wrong with a file."""
    return table([*SHARED, *(code for one in formats().values() for code in one.codes)])


def load(
    data: str | bytes,
    path: str = UNNAMED,
    *,
    format: str | None = None,  # noqa: A002
    surroundings: Surroundings = Surroundings(),
    strict: bool = False,
    lenient: bool = False,
) -> Checked:
    """The workflow that a text defines, and all that is wrong with it.

    `strict` makes errors of warnings, `lenient` warnings of unknown keys.  Raises UnknownFormat for a format
    that there is none of; never for anything that the text says.
    """
    return _checked(read(data, path), format, surroundings, strict, lenient)


def load_file(
    path: str | Path,
    *,
    format: str | None = None,  # noqa: A002
    surroundings: Surroundings = Surroundings(),
    strict: bool = False,
    lenient: bool = False,
) -> Checked:
    """The same for the file at a path; one that cannot be read is a problem, too."""
    return _checked(read_file(path), format, surroundings, strict, lenient)


def _checked(
    reading: Reading, name: str | None, surroundings: Surroundings, strict: bool, lenient: bool
) -> Checked:
    chosen = None if name is None else named(name)
    workflow = None if reading.root is None else _read(reading.root, chosen, reading.report, surroundings)
    problems = _judged(reading.report.problems, strict, lenient)
    return Checked(None if has_errors(problems) else workflow, problems)


def _judged(problems: Iterable[Problem], strict: bool, lenient: bool) -> tuple[Problem, ...]:
    judged = leniently(problems, UNKNOWN_KEY) if lenient else tuple(problems)
    return strictly(judged) if strict else judged


def _read(root: Value, chosen: Format | None, report: Report, surroundings: Surroundings) -> Workflow | None:
    if not isinstance(root, Map):
        message = f"a workflow is a map, and this is {named_kind(root)}"
        report.add(UNKNOWN_FORMAT, message, head(root), _known_hint())
        return None
    one = chosen or _detected(root, report)
    return None if one is None else one.load(root, report, surroundings)


def _detected(root: Map, report: Report) -> Format | None:
    scores = {one.name: one.resemblance(root) for one in formats().values()}
    best = max(scores.values(), default=0)
    names = [name for name, score in scores.items() if score == best]
    if best == 0:
        report.add(UNKNOWN_FORMAT, "this is none of the known formats", head(root), _known_hint())
        return None
    if len(names) > 1:
        message = f"this could be {one_of(names)}"
        report.add(AMBIGUOUS_FORMAT, message, head(root), f"name it: --format {names[0]}")
        return None
    return formats()[names[0]]


def _known_hint() -> str:
    return "; ".join(f"{one.name} has {one.hallmark}" for one in formats().values())
