"""Short ways to evaluate expressions in tests."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from quintet.formats.awds.expressions.evaluation import Scope
from quintet.formats.awds.expressions.syntax import UNDEFINED, Undefined
from quintet.formats.awds.expressions.template import single, template
from quintet.formats.awds.expressions.tokens import ExpressionError
from quintet.formats.awds.expressions.values import as_json

INPUTS: Mapping[str, Any] = {
    "n": 1,
    "text": "Hello",
    "empty": "",
    "no": False,
    "nothing": None,
    "list": [1, "two", {"three": 3}],
    "map": {"a": {"b": [0]}, "my-key": "dashed"},
    "clef": "a\U0001d11eb",
}


def scope(item: Any = UNDEFINED, **steps: Any) -> Scope:
    """A scope with the inputs above, and steps by their results."""
    made = {name: {"outputs": {"status": "success", "result": one}} for name, one in steps.items()}
    return Scope(dict(INPUTS), made, item)


def value(text: str, within: Scope | None = None) -> Any:
    """What an expression comes to, `undefined` included."""
    errors: list[ExpressionError] = []
    found = single(text, errors)
    assert [error.message for error in errors] == []
    assert found is not None
    made = found.value(within or scope())
    return made if isinstance(made, Undefined) else as_json(made)


def error(text: str) -> tuple[str, str]:
    """What is wrong with an expression, and which characters are."""
    errors: list[ExpressionError] = []
    found = single(text, errors)
    if found is not None:
        try:
            found.value(scope())
        except ExpressionError as one:
            errors.append(one)
    assert errors
    return errors[0].message, text[errors[0].start : errors[0].end]


def filled(text: str, within: Scope | None = None) -> Any:
    """What a text with expressions comes to."""
    errors: list[ExpressionError] = []
    made = template(text, errors)
    assert [one.message for one in errors] == []
    return made.value(within or scope())
