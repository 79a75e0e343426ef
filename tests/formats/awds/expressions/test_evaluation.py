"""Expressions come to what they come to in JavaScript, as far as they go."""

from __future__ import annotations

import time
from typing import Any

import pytest

from quintet.formats.awds.expressions.syntax import UNDEFINED
from quintet.formats.awds.expressions.tokens import LONGEST
from tests.formats.awds.expressions.evaluating import error, filled, scope, value


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1 === 1.0", True),
        ('1 === "1"', False),
        ('1 == "1"', True),
        ("null == undefined", True),
        ("null === undefined", False),
        ("'b' > 'a' && 2 >= 2", True),
        ("!inputs.empty", True),
        ("inputs.no || 'else'", "else"),
        ("inputs.n && inputs.text", "Hello"),
        ("inputs.n ? 'yes' : 'no'", "yes"),
        ("inputs.no ? 1 : inputs.nothing ? 2 : 3", 3),
        ("1 + 2", 3),
        ("0.1 + 0.2", 0.30000000000000004),
        ("'a' + 1 + null + true", "a1nulltrue"),
        ("1 + 1 + 'a'", "2a"),
        ("-inputs.n < 0", True),
        ("(1 + 2) + '3'", "33"),
        ("[1, 'a', [null],]", [1, "a", [None]]),
        ("{a: 1, 'b c': {d: 2}, 3: 4,}", {"a": 1, "b c": {"d": 2}, "3": 4}),
        ("0x10 + 1e2 + .5", 116.5),
        ("'it\\'s \\u0041\\x42\\u{43}\\n'", "it's ABC\n"),
        ("inputs.list.length", 3),
        ("inputs.text.length", 5),
        ("inputs.clef.length", 4),
        ("inputs.list[2].three", 3),
        ("inputs['list'][1]", "two"),
        ("inputs.text[1]", "e"),
        ("inputs.map.my-key", "dashed"),
        ("inputs.map['my-key']", "dashed"),
        ("[] + {}", "[object Object]"),
        ("[1, [2, null]] + ''", "1,2,"),
        ("1e21 + ''", "1e+21"),
        ("0.000001 + ' ' + 1e-7", "0.000001 1e-7"),
    ],
)
def test_an_expression_means_what_it_means_in_javascript(text: str, expected: Any) -> None:
    assert value(text) == expected
    assert value(f"${{{{ {text} }}}}") == expected
    assert type(value(text)) is type(expected)


@pytest.mark.parametrize(
    "text",
    [
        "undefined",
        "inputs.missing",
        "inputs.missing.further[0].on",
        "inputs.nothing.a",
        "inputs.list[9]",
        "inputs.list[-1]",
        "inputs.n.a",
        "item",
    ],
)
def test_what_is_not_there_is_undefined_and_no_error(text: str) -> None:
    assert value(text) == UNDEFINED


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("contains('Hello world', 'WORLD')", True),
        ("contains(inputs.list, 'TWO')", True),
        ("contains(inputs.list, 5)", False),
        ("contains(inputs.missing, 'a')", False),
        ("startsWith(inputs.text, 'he')", True),
        ("endsWith(inputs.text, 'LO')", True),
        ("format('{0}-{1}-{0} {{x}}', 'a', 1)", "a-1-a {x}"),
        ("join(inputs.list, ' + ')", "1 + two + [object Object]"),
        ("join([1, null, 2])", "1,,2"),
        ("join('alone', '-')", "alone"),
        ("toJSON(inputs.map)", '{"a":{"b":[0]},"my-key":"dashed"}'),
        ("toJSON({a: undefined, b: [undefined, 1.0]})", '{"b":[null,1]}'),
        ("fromJSON('{\"a\": [1, 2.0]}').a[1]", 2),
    ],
)
def test_functions_do_what_they_do_in_github_workflows(text: str, expected: Any) -> None:
    assert value(text) == expected


def test_a_step_is_named_as_its_id_stands() -> None:
    given = scope(**{"a-b": {"n": 1}, "my step": {"n": 2}, "a": {"n": 3}, "x:y": {"n": 4}})
    assert value("steps.a-b.outputs.result.n", given) == 1
    assert value('steps["a-b"].outputs.result.n', given) == 1
    assert value("steps.my step.outputs.result.n", given) == 2
    assert value("steps.a.outputs['result'].n", given) == 3
    assert value("steps.x:y.outputs.result.n", given) == 4
    assert value("inputs.no ? steps.a.outputs : steps.a-b.outputs.result.n", given) == 1
    assert value("steps.a-b.outputs.status === 'success'", given) is True


def test_a_whole_string_keeps_its_type_and_within_text_it_is_written_out() -> None:
    """Reading: strings stand as they are, anything else as compact JSON, `undefined` as nothing."""
    assert filled("${{ inputs.list }}") == [1, "two", {"three": 3}]
    assert filled("${{ inputs.nothing }}") is None
    assert filled("a ${{ inputs.list }} b") == 'a [1,"two",{"three":3}] b'
    assert (
        filled("<${{ inputs.text }}|${{ inputs.nothing }}|${{ inputs.missing }}|${{ 1.0 }}>")
        == "<Hello|null||1>"
    )
    assert filled("plain }} text") == "plain }} text"
    assert filled("") == ""


def test_braces_within_an_expression_are_its_own() -> None:
    assert filled("${{ {a: {b: 1}} }}") == {"a": {"b": 1}}
    assert filled("${{ {a: {b: 1}}}}") == {"a": {"b": 1}}
    assert filled("${{ '}}' }}!") == "}}!"


@pytest.mark.parametrize(
    ("text", "message", "where"),
    [
        ("inputs.a = 1", "'=' means nothing in an expression", "="),
        ("inputs.a - 1", "there is no arithmetic but '+'", "-"),
        ("inputs.a * 2", "there is no arithmetic but '+'", "*"),
        ("inputs?.a", "'?.' means nothing in an expression", "?."),
        ("env.HOME", "there is no 'env' here", "env"),
        ("length(inputs)", "there is no function 'length'", "length"),
        ("contains('a')", "it is contains(list or text, what)", "contains('a')"),
        ("'open", "this text has no end", "'open"),
        ("(1 + 2", "')' is missing", "("),
        ("1 2", "a number cannot stand here", "2"),
        ("3in", "'3i' is no number", "3i"),
        ("steps", "'steps' needs the id of a step", "steps"),
        ("steps[inputs.a].outputs", "'steps' needs the id of a step", "steps"),
        ("1 +", "the expression ends too early", "+"),
        ("fromJSON('{')", "fromJSON: the text is no JSON, or nested too deep", "fromJSON('{')"),
        ("format('{1}', 1)", "format: there is nothing for {1}", "format('{1}', 1)"),
        ("a" * (LONGEST + 1), "an expression may have 20,000 characters", "a" * (LONGEST + 1)),
        ("'\\u{110000}'", "'\\u{110000}' is no escape", "\\u{110000}"),
    ],
)  # fmt: skip
def test_an_error_says_where(text: str, message: str, where: str) -> None:
    assert error(text) == (message, where)


@pytest.mark.parametrize(
    "text",
    ["(" * 10_000, "[" * 10_000, "!" * 10_000, "1" + "+1" * 9_000, "a" + ".b" * 9_000,
     "inputs" + "[0]" * 6_000, "1?" * 5_000, "{a:" * 5_000, "toJSON(" * 2_000, " " * 30_000,
     "'" + "\\" * 19_001, "0" * 19_000],
)  # fmt: skip
def test_an_expression_of_any_shape_is_refused_at_once(text: str) -> None:
    began = time.perf_counter()
    error(text)
    assert time.perf_counter() - began < 1


@pytest.mark.parametrize(
    "grow", ["format('{0}{0}{0}{0}{0}{0}{0}{0}', %s)", "join([1,2,3,4,5,6,7,8,9], %s)", "toJSON(%s)"]
)
def test_what_grows_without_end_is_stopped(grow: str) -> None:
    text = '\'""""""""\''
    for _ in range(40):
        text = grow % text
    assert "more than" in error(text)[0]
