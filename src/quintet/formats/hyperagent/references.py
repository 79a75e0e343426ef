"""References: templates and conditions that read what can never be there.

None of this is an error: a path that leads nowhere renders to nothing, and a condition may well ask for that.
But most are names misspelt, so each is told under its very characters.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from typing import Final

from quintet.formats.hyperagent import shape
from quintet.formats.hyperagent.codes import READS_NOTHING
from quintet.formats.hyperagent.condition import AllOf, AnyOf, Condition, Field
from quintet.formats.hyperagent.parser import Object
from quintet.formats.hyperagent.placed import PlacedDocument, PlacedStep, PlacedTransition
from quintet.formats.hyperagent.reading import places
from quintet.formats.hyperagent.sights import AFTER, DeadEnd, Sights, dead_end
from quintet.formats.hyperagent.template import Expression, Reading, parse
from quintet.formats.report import Report
from quintet.formats.shape import Fields
from quintet.formats.tree import List, Map, Scalar, Span, Spanned, Value
from quintet.problems.wording import nearest, quoted

_LITERAL: Final = re.compile(r"-?\d+(\.\d+)?|true|false|null")
_RUN_ID: Final = re.compile(r"\{\{([^{}]*)\}\}")


def check_references(placed: PlacedDocument, report: Report, inputs: Collection[str]) -> None:
    """Warns of every path that leads nowhere."""
    _Checking(placed, report, Sights(placed.document, inputs)).all()


class _Checking:
    def __init__(self, placed: PlacedDocument, report: Report, sights: Sights) -> None:
        self.placed, self.report, self.sights = placed, report, sights

    def all(self) -> None:
        document = self.placed.document
        for number, (name, template) in enumerate(document.state):
            seen = self.sights.at_first(key for key, _ in document.state[:number])
            self.template(template, self.placed.state_at[name], seen)
        for step in self.placed.all_steps:
            if step.is_known:
                self.step(step)
        if self.placed.default is not None:
            at = self.placed.default.at(shape.DEFAULT_REASON)
            self.template(document.round.default.reason, at, self.sights.before(None))
        for _, fields in self.placed.sessions:
            self.session(fields)

    def step(self, step: PlacedStep) -> None:
        before, after = self.sights.before(step.step), self.sights.after(step.step)
        prompt = step.fields.map.get(shape.PROMPT.name)
        for item in prompt.items if isinstance(prompt, List) else ():
            if isinstance(item, Scalar) and isinstance(item.value, str):
                self.template(item.value, item, before)
        self.updates(step.fields, after)
        for one in step.transitions:
            self.transition(one, step, after)

    def transition(self, one: PlacedTransition, step: PlacedStep, after: Object) -> None:
        condition = one.fields.map.get(shape.WHEN.name)
        turn = self.sights.turn(step.step)
        for field, at in _fields(one.transition.condition, condition):
            self.path(field.names, after if field.is_global else turn, at, f"'{field.field}'")
        self.template(one.transition.reason, one.fields.at(shape.REASON), after)
        self.updates(one.fields, after)

    def updates(self, fields: Fields, seen: Object) -> None:
        at = places(fields, shape.UPDATES)
        for name, template in fields[shape.UPDATES].items():
            self.template(template, at[name], seen)

    def session(self, fields: Fields) -> None:
        """`nameTemplate` knows `runId`, and nothing else."""
        for found in _RUN_ID.finditer(fields[shape.NAME_TEMPLATE] or ""):
            if found[1].strip() != "runId" and not self.report.full(READS_NOTHING):
                at = self.within(found[0], fields.at(shape.NAME_TEMPLATE))
                message = f"{quoted(found[1].strip())} is nothing that a name can have"
                self.report.add(READS_NOTHING, message, at, "only {{runId}}")

    def template(self, template: str, at: Spanned, seen: Object) -> None:
        for part in parse(template):
            if isinstance(part, Expression):
                for choice in part.choices:
                    if isinstance(choice, Reading):
                        written = "{{" + part.text + "}}"
                        self.path(
                            choice.names, seen, self.within(written, at), quoted(".".join(choice.names))
                        )

    def path(self, names: tuple[str, ...], seen: Object, at: Spanned, told: str) -> None:
        end = dead_end(seen, names) if names else DeadEnd(0, list(seen.properties))
        if end is None or self.report.full(READS_NOTHING):
            return
        self.report.add(READS_NOTHING, f"{told} can never be anything here", at, self.hint(names, end))

    def hint(self, names: tuple[str, ...], end: DeadEnd) -> str:
        name = names[end.depth] if end.depth < len(names) else ""
        if end.depth == 0 and name in AFTER:
            return "it is there when the step has ended: a prompt reads {{steps.KEY.parsed…}}"
        if _LITERAL.fullmatch(".".join(names)):
            return "a literal stands in quotes"
        if end.depth == 0 and name == "bootstrap":
            return "it is there after the bootstrap, if there is one"
        if end.depth == 1 and names[0] == "steps" and not end.known:
            return "only the steps of the same round are there"
        meant = nearest(name, end.known)
        if meant is None:
            return ""
        return f"did you mean {quoted('.'.join((*names[: end.depth], meant, *names[end.depth + 1 :])))}?"

    def within(self, written: str, at: Spanned) -> Spanned:
        """The braces themselves, where the file writes them as they are; else the whole text."""
        found = self.report.text.first(written, at)
        return at if found is None else Span(found, found + len(written))


def _fields(condition: Condition, value: Value | None) -> Iterator[tuple[Field, Spanned]]:
    """Each comparison in a condition, and where it says what it looks at."""
    if not isinstance(value, Map):
        return
    match condition:
        case AnyOf(conditions) | AllOf(conditions):
            several = value.get("any") if isinstance(condition, AnyOf) else value.get("all")
            items = several.items if isinstance(several, List) else ()
            for inner, item in zip(conditions, items, strict=False):
                yield from _fields(inner, item)
        case Field():
            yield condition, value.get("field") or value
        case _:
            pass
