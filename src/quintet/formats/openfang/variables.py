"""Variables: which of a prompt's placeholders something can have set by the time the prompt is used.

A variable is set by an input, or by a step that is over before this one begins.  The steps of a fan-out group
begin together, and a loop sets its variable when it is over, so neither sees what it sets itself.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from itertools import chain

from quintet.formats.openfang.codes import UNSET_VARIABLE
from quintet.formats.openfang.document import Collect, blocks
from quintet.formats.openfang.placed import Placed
from quintet.formats.openfang.template import placeholders
from quintet.formats.report import Report
from quintet.formats.tree import Span, Spanned
from quintet.problems.wording import nearest, quoted

_LIKE_A_NAME = re.compile(r"[\w .-]{1,80}")
"""What is taken for a placeholder when it is none: a prompt may well hold other text in double braces."""


def check_placeholders(steps: Sequence[Placed], report: Report, inputs: Collection[str]) -> None:
    """Warns of every placeholder that nothing can have set."""
    setters = _all_setters(steps)
    set_before: dict[str, Placed | None] = dict.fromkeys(inputs)
    for block in blocks([step.step.mode for step in steps]):
        members = [steps[number] for number in block]
        for step in members:
            _check_step(step, report, set_before, setters)
        for step in members:
            if step.step.output_var:
                set_before[step.step.output_var] = step


def _check_step(
    step: Placed, report: Report, known: dict[str, Placed | None], setters: Mapping[str, Placed]
) -> None:
    if isinstance(step.step.mode, Collect) or step.at.prompt is None:
        return
    for name in placeholders(step.step.prompt):
        if name == "input" or name in known or not _LIKE_A_NAME.fullmatch(name):
            continue
        if report.full(UNSET_VARIABLE):
            return
        message = f"nothing sets {quoted(name)} before this step"
        at = _within(report, step.at.prompt, name)
        report.add(UNSET_VARIABLE, message, at, _hint(name, step, known, setters))


def _hint(name: str, step: Placed, known: dict[str, Placed | None], setters: Mapping[str, Placed]) -> str:
    if name.strip() == "input":
        return "there is no space within the braces: {{input}}"
    if name in setters:
        return _too_late(setters[name], step)
    meant = nearest(name, chain(["input"], reversed(known)))
    if meant is None:
        return ""
    setter = known.get(meant)
    by = f" (set by {quoted(setter.step.name)}, line {setter.step.line})" if setter is not None else ""
    return f"did you mean {quoted(meant)}{by}?"


def _too_late(setter: Placed, step: Placed) -> str:
    """Why a variable that some step does set is not set here."""
    if setter is step:
        return "this step itself sets it, when it is over"
    where = f"{quoted(setter.step.name)}, line {setter.step.line}"
    return f"{where} sets it, at the same time or later"


def _all_setters(steps: Sequence[Placed]) -> dict[str, Placed]:
    """Who sets each variable first."""
    setters: dict[str, Placed] = {}
    for step in steps:
        if step.step.output_var:
            setters.setdefault(step.step.output_var, step)
    return setters


def _within(report: Report, prompt: Spanned, name: str) -> Spanned:
    """The placeholder itself, where the file writes it as it is; else the whole prompt."""
    found = report.text.first("{{" + name + "}}", prompt)
    return prompt if found is None else Span(found, found + len(name) + 4)
