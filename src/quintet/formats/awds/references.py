"""References: whether what expressions refer to is there when they are evaluated."""

from __future__ import annotations

from collections.abc import Mapping

from quintet.formats.awds.codes import NO_ITEM, NOT_BEFORE, UNKNOWN_OUTPUT, UNKNOWN_STEP
from quintet.formats.awds.expressions.syntax import Index, Literally, Member, Node, Root, Step, walk
from quintet.formats.awds.order import Ancestry
from quintet.formats.awds.placed import Placed, PlacedExpression, within
from quintet.formats.report import Report
from quintet.formats.tree import Spanned
from quintet.problems.wording import did_you_mean, quoted

_OUTPUTS = ("status", "result")


def check_references(
    step: Placed, steps: Mapping[str, Placed], ancestry: Ancestry, report: Report, *, complete: bool
) -> None:
    """Adds what a step's expressions refer to in vain."""
    for expression in step.expressions:
        for node in walk(expression.node):
            at = _at(report, expression, node)
            match node:
                case Step(name):
                    if name in steps or complete:
                        _step(name, step, steps, ancestry, report, at)
                case Root("item") if expression.where != "agent" or step.step.for_each is None:
                    _item(step, expression, report, at)
                case Member() | Index():
                    _output(node, report, at)
                case _:
                    pass


def _at(report: Report, expression: PlacedExpression, node: Node) -> Spanned:
    return within(report, expression.scalar, expression.text, node.start, node.end)


def _step(
    name: str,
    step: Placed,
    steps: Mapping[str, Placed],
    ancestry: Ancestry,
    report: Report,
    at: Spanned,
) -> None:
    """ "References to step outputs MUST refer to completed steps." """
    own = step.step.id
    if name not in steps:
        hint = did_you_mean(name, (other for other in steps if other != own))
        report.add(UNKNOWN_STEP, f"there is no step {quoted(name)}", at, hint)
    elif name == own:
        report.add(NOT_BEFORE, f"{quoted(name)} refers to its own outputs", at)
    elif not ancestry.comes_before(name, own):
        message = f"{quoted(own)} does not depend on {quoted(name)}, which may not have completed"
        later = ancestry.comes_before(own, name)
        hint = f"{quoted(name)} comes after it" if later else f"add {quoted(name)} to its depends_on"
        report.add(NOT_BEFORE, message, at, hint)


def _item(step: Placed, expression: PlacedExpression, report: Report, at: Spanned) -> None:
    """ "The `item` context is only available in steps with `for_each`." """
    if step.step.for_each is None and expression.where != "for_each":
        message, hint = f"{quoted(step.step.id)} has no for_each, so there is no item", "add for_each: …"
    else:
        message = f"there is no item in {quoted(expression.where)}: it is evaluated once, before the items"
        hint = ""
    report.add(NO_ITEM, message, at, hint)


def _output(node: Member | Index, report: Report, at: Spanned) -> None:
    """A step has `outputs`, and these a `status` and a `result`."""
    name = _name(node)
    if name is None:
        return
    inner = node.of
    if isinstance(inner, Step) and name != "outputs":
        message = f"a step has 'outputs', and no {quoted(name)}"
        report.add(UNKNOWN_OUTPUT, message, at, f"steps.{inner.id}.outputs.result")
    elif (
        isinstance(inner, Member | Index)
        and isinstance(inner.of, Step)
        and _name(inner) == "outputs"
        and name not in _OUTPUTS
    ):
        hint = did_you_mean(name, _OUTPUTS) or f"did you mean outputs.result.{name}?"
        report.add(UNKNOWN_OUTPUT, f"outputs have 'status' and 'result', and no {quoted(name)}", at, hint)


def _name(node: Member | Index) -> str | None:
    """Which property is meant, where that is plain."""
    if isinstance(node, Member):
        return node.name
    key = node.key
    return key.value if isinstance(key, Literally) and isinstance(key.value, str) else None
