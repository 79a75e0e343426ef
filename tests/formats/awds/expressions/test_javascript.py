"""A real JavaScript engine comes to the same: expressions are made up, and both evaluate them."""

from __future__ import annotations

import json
from typing import Any, cast

import quickjs  # pyright: ignore[reportMissingTypeStubs]
from hypothesis import given, settings
from hypothesis import strategies as st

from quintet.formats.awds.expressions.template import single
from quintet.formats.awds.expressions.tokens import ExpressionError
from quintet.formats.awds.expressions.values import as_json, json_text
from tests.formats.awds.expressions.evaluating import INPUTS, scope

_NAMES = (
    "n",
    "text",
    "empty",
    "no",
    "nothing",
    "list",
    "map",
    "clef",
    "a",
    "b",
    "three",
    "length",
    "missing",
)
_TEXTS = st.text(st.sampled_from("aB1 \"'\\\n\té\U0001d11e\ud834{}0.-x"), max_size=4)
_NUMBERS = st.one_of(
    st.integers(0, 12),
    st.sampled_from([0.1, 0.5, 1e21, 1e-7, 123456789012345680000.0, 1.5e300, 2**53, 5e-324]),
)


class _Pair(tuple[str, str]):
    """An expression in our words, and in those of JavaScript."""

    __slots__ = ()


def _pair(ours: str, theirs: str | None = None) -> _Pair:
    return _Pair((ours, ours if theirs is None else theirs))


def _string(text: str) -> _Pair:
    return _pair(json.dumps(text))


def _number(number: float) -> _Pair:
    return _pair(json.dumps(number))


_LEAVES: st.SearchStrategy[_Pair] = st.one_of(
    _TEXTS.map(_string),
    _NUMBERS.map(_number),
    st.sampled_from(["true", "false", "null", "undefined", "inputs"]).map(_pair),
    st.sampled_from(_NAMES).map(lambda name: _pair(f"inputs.{name}")),
)


def _larger(inner: st.SearchStrategy[_Pair]) -> st.SearchStrategy[_Pair]:
    binary = st.sampled_from(["===", "!==", "==", "!=", "<", "<=", ">", ">=", "&&", "||", "+"])
    return st.one_of(
        st.tuples(inner, binary, inner).map(lambda one: _joined(f"({{0}}) {one[1]} ({{1}})", one[0], one[2])),
        st.tuples(inner, binary, inner).map(lambda one: _joined(f"{{0}} {one[1]} {{1}}", one[0], one[2])),
        st.tuples(st.sampled_from("!-"), inner).map(lambda one: _joined(one[0] + " ({0})", one[1])),
        st.tuples(inner, inner, inner).map(lambda one: _joined("{0} ? {1} : {2}", *one)),
        st.lists(inner, max_size=3).map(lambda some: _listed("[", "]", some)),
        st.lists(st.tuples(st.sampled_from("abc"), inner), max_size=3).map(_mapped),
        st.tuples(inner, st.sampled_from(_NAMES)).map(
            lambda one: _pair(f"({one[0][0]}).{one[1]}", f"own({one[0][1]}, {json.dumps(one[1])})")
        ),
        st.tuples(inner, st.one_of(_LEAVES, inner)).map(
            lambda one: _pair(f"({one[0][0]})[{one[1][0]}]", f"own({one[0][1]}, {one[1][1]})")
        ),
    )


def _joined(pattern: str, *parts: _Pair) -> _Pair:
    return _pair(*(pattern.format(*[part[side] for part in parts]) for side in (0, 1)))


def _listed(opening: str, closing: str, some: list[_Pair]) -> _Pair:
    return _pair(*(opening + ", ".join(one[side] for one in some) + closing for side in (0, 1)))


def _mapped(entries: list[tuple[str, _Pair]]) -> _Pair:
    named = [_joined(f"{name}: ({{0}})", one) for name, one in entries]
    return _joined("({0})", _listed("{", "}", named))


_HELPERS = """
const own = (value, key) =>
    value === null || value === undefined ? undefined
    : Object.prototype.hasOwnProperty.call(Object(value), String(key)) ? value[key] : undefined;
const told = (value) => [typeof value, JSON.stringify(value) ?? null, String(value)];
"""


def _theirs(text: str) -> Any:
    context = cast(Any, quickjs).Context()
    context.eval(_HELPERS + f"const inputs = {json.dumps(INPUTS)};")
    return json.loads(context.eval(f"JSON.stringify(told({text}))"))


def _json(text: str | None) -> Any:
    return None if text is None else json.loads(text)


@settings(max_examples=150)
@given(st.recursive(_LEAVES, _larger, max_leaves=8))
def test_expressions_come_to_what_a_javascript_engine_makes_of_them(pair: tuple[str, str]) -> None:
    errors: list[ExpressionError] = []
    expression = single(pair[0], errors)
    assert expression is not None, errors
    found = expression.value(scope())
    _, theirs, _ = _theirs(pair[1])
    assert json.loads(json_text(as_json(found))) == _json(theirs)


@settings(max_examples=100)
@given(_NUMBERS | st.floats(allow_nan=False, allow_infinity=False))
def test_numbers_are_written_as_javascript_writes_them(number: float) -> None:
    written = json.dumps(abs(number))
    errors: list[ExpressionError] = []
    expression = single(f"{written} + ''", errors)
    assert expression is not None
    assert expression.value(scope()) == _theirs(written)[2]
