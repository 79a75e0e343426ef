"""Evaluation: an expression as a function of what it refers to.

A tree is turned into Python functions once, each calling those of its parts, which is several times faster
than walking over the tree each time.  What it costs is bounded: an expression goes over its tree once, and
all that it makes of texts is counted.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final, TypeAlias, cast

from quintet.engine.values import Json
from quintet.formats.awds.expressions.functions import FUNCTIONS, MOST_TEXT, WrongCall
from quintet.formats.awds.expressions.syntax import (
    UNDEFINED,
    Array,
    Binary,
    Call,
    Choice,
    Index,
    Literally,
    Member,
    Node,
    Object,
    Root,
    Step,
    Unary,
)
from quintet.formats.awds.expressions.tokens import ExpressionError
from quintet.formats.awds.expressions.values import (
    Value,
    added,
    is_list,
    length,
    less,
    loosely_equal,
    neat,
    strictly_equal,
    to_number,
    to_text,
    truthy,
    unit,
)

MOST_WORK: Final = 16 * MOST_TEXT
"""Characters of all texts that one expression makes on its way."""


class Scope:
    """What an expression can refer to."""

    __slots__ = ("inputs", "item", "room", "steps")

    def __init__(
        self, inputs: Mapping[str, Json], steps: Mapping[str, Json], item: Value = UNDEFINED
    ) -> None:
        self.inputs = inputs
        self.steps = steps
        """By id, `{"outputs": …}` of each that has completed."""
        self.item = item
        self.room = MOST_WORK
        """So many characters may still be made."""

    def of(self, item: Json) -> Scope:
        """The same for an item."""
        return Scope(self.inputs, self.steps, item)


Run: TypeAlias = Callable[[Scope], Value]


def compiled(node: Node) -> Run:
    """What gives the value of an expression.  It raises ExpressionError and nothing else."""
    match node:
        case Literally(value):
            return lambda scope: value
        case Root() | Step():
            return _origin(node)
        case Member(of, name):
            return _member(compiled(of), name)
        case Index(of, key):
            return _index(compiled(of), compiled(key))
        case Array(items):
            runs = [compiled(item) for item in items]
            return lambda scope: cast(Value, [run(scope) for run in runs])
        case Object(entries):
            named = [(name, compiled(value)) for name, value in entries]
            return lambda scope: cast(Value, {name: run(scope) for name, run in named})
        case Unary():
            return _unary(node)
        case Binary():
            return _binary(node)
        case Choice():
            return _choice(node)
        case Call():
            return _call(node)


def _origin(node: Root | Step) -> Run:
    """What everything else hangs on."""
    if isinstance(node, Step):
        return lambda scope: scope.steps.get(node.id, UNDEFINED)
    return (lambda scope: scope.inputs) if node.name == "inputs" else (lambda scope: scope.item)


def _choice(node: Choice) -> Run:
    test, yes, no = compiled(node.test), compiled(node.yes), compiled(node.no)
    return lambda scope: yes(scope) if truthy(test(scope)) else no(scope)


def _member(of: Run, name: str) -> Run:
    def run(scope: Scope) -> Value:
        value = of(scope)
        if type(value) is dict:  # the usual case, and the fastest way to tell it
            return cast("dict[str, Value]", value).get(name, UNDEFINED)
        return property_of(value, name)

    return run


def _index(of: Run, key: Run) -> Run:
    def run(scope: Scope) -> Value:
        value, at = of(scope), key(scope)
        if isinstance(at, int) and not isinstance(at, bool) and is_list(value):
            items = cast("Sequence[Value]", value)
            return items[at] if 0 <= at < len(items) else UNDEFINED
        return property_of(value, to_text(at))

    return run


def property_of(value: Value, name: str) -> Value:
    """A property of whatever it is; `undefined` where there is none."""
    match value:
        case Mapping():
            return value.get(name, UNDEFINED)
        case str():
            if name == "length":
                return length(value)
            return unit(value, int(name)) if _is_index(name) else UNDEFINED
        case _ if is_list(value):
            items = cast("Sequence[Value]", value)
            if name == "length":
                return len(items)
            return items[int(name)] if _is_index(name) and int(name) < len(items) else UNDEFINED
        case _:
            return UNDEFINED


def _is_index(name: str) -> bool:
    return name.isascii() and name.isdecimal() and len(name) < 16 and (name == "0" or name[0] != "0")


def _unary(node: Unary) -> Run:
    operand = compiled(node.operand)
    if node.sign == "!":
        return lambda scope: not truthy(operand(scope))
    return lambda scope: neat(-to_number(operand(scope)))


def _binary(node: Binary) -> Run:
    left, right = compiled(node.left), compiled(node.right)
    match node.sign:
        case "===":
            return lambda scope: strictly_equal(left(scope), right(scope))
        case "!==":
            return lambda scope: not strictly_equal(left(scope), right(scope))
        case "==":
            return lambda scope: loosely_equal(left(scope), right(scope))
        case "!=":
            return lambda scope: not loosely_equal(left(scope), right(scope))
        case "<":
            return lambda scope: less(left(scope), right(scope), or_equal=False)
        case "<=":
            return lambda scope: less(left(scope), right(scope), or_equal=True)
        case ">":
            return _swapped(left, right, or_equal=False)
        case ">=":
            return _swapped(left, right, or_equal=True)
        case "&&":
            return lambda scope: right(scope) if truthy(first := left(scope)) else first
        case "||":
            return lambda scope: first if truthy(first := left(scope)) else right(scope)
        case "+":
            return _plus(node, left, right)


def _swapped(left: Run, right: Run, *, or_equal: bool) -> Run:
    def run(scope: Scope) -> Value:
        first = left(scope)
        return less(right(scope), first, or_equal=or_equal)

    return run


def _plus(node: Binary, left: Run, right: Run) -> Run:
    def run(scope: Scope) -> Value:
        value = added(left(scope), right(scope))
        if isinstance(value, str):
            _spend(scope, len(value), node)
        return value

    return run


def _call(node: Call) -> Run:
    perform = FUNCTIONS[node.name].perform
    arguments = [compiled(argument) for argument in node.arguments]

    def run(scope: Scope) -> Value:
        try:
            value = perform([argument(scope) for argument in arguments])
        except WrongCall as wrong:
            raise ExpressionError(f"{node.name}: {wrong}", node.start, node.end) from None
        if isinstance(value, str):
            _spend(scope, len(value), node)
        return value

    return run


def _spend(scope: Scope, size: int, node: Node) -> None:
    scope.room -= size
    if size > MOST_TEXT or scope.room < 0:
        message = f"it makes a text of more than {MOST_TEXT:,} characters"
        raise ExpressionError(message, node.start, node.end)
