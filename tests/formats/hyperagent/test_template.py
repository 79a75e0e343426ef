"""Templates: total, bounded, and to the letter of what the format's own engine renders."""

from __future__ import annotations

import re
import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quintet.formats.hyperagent.javascript import json_text, number, number_text
from quintet.formats.hyperagent.template import LONGEST, TextTooLong, assemble, render

VALUES: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=6,
)
PIECES = st.sampled_from(
    ["{{", "}}", "{", "}", "a", ".", "||", "'", '"', " ", "@", "0", "length", "{{a}}", "{{a.b||'x'}}", "\n"]
)
SCOPE: dict[str, Any] = {
    "parsed": {"empty": "", "zero": 0, "no": False, "nil": None, "obj": {"k": [1, "é"]}, "list": ["p", "q"]},
    "round": 3,
    "state": {"a": "A", "blank": " "},
}


@given(st.lists(PIECES, max_size=12).map("".join), st.dictionaries(st.sampled_from("ab"), VALUES))
def test_every_template_renders(template: str, scope: dict[str, Any]) -> None:
    assert isinstance(render(template, scope), str)


@given(st.lists(PIECES, max_size=12).map("".join))
def test_braces_are_found_as_the_regular_expression_of_the_format_finds_them(template: str) -> None:
    found = re.sub(r"\{\{\s*([^}]+)\s*\}\}", "<>", template)
    assert (
        re.sub("<>", "", found) == render(template.replace("'", "").replace('"', ""), {})
        or "'" in template
        or '"' in template
    )


@pytest.mark.parametrize(
    ("template", "expected"),
    [
        ("{{parsed.empty||'x'}}", "x"),
        ("{{parsed.nil||'x'}}", "x"),
        ("{{parsed.missing.deeper||'x'}}", "x"),
        ("{{parsed.zero||'x'}}", "0"),
        ("{{parsed.no||'x'}}", "false"),
        ("{{parsed.obj}}", '{"k":[1,"é"]}'),
        ("{{parsed.list.1}}{{parsed.list.length}}{{parsed.list.01}}", "q2"),
        ("{{state.a.length}}{{state.a.0}}", "1A"),
        ("{{ @state . a }}", "A"),
        ("{{state.blank||'x'}}", " "),
        ("{{''||\"z\"}}", "z"),
        ("{{'a||b'}}", ""),
        ("{{round||0}}{{0}}", "3"),
        ("{{}}{{ }}{{a}b}}", "{{}}{{a}b}}"),
        ("{{{state.a}}}", "}"),
        ("{{state}}", '{"a":"A","blank":" "}'),
        ("{{.}}{{@}}", ""),
        ("{{toString}}{{state.__class__}}", ""),
    ],
)
def test_what_an_expression_comes_to(template: str, expected: str) -> None:
    """ "Literal strings can provide fallbacks using `||`" """
    assert render(template, SCOPE) == expected


def test_what_a_substitution_gives_is_no_template() -> None:
    assert render("{{a}}", {"a": "{{b}}", "b": "B"}) == "{{b}}"


def test_sections_are_trimmed_and_empty_ones_are_left_out() -> None:
    """ "array of template strings rendered and concatenated with double newlines" """
    assert assemble((" one\n", "{{nothing}}", "\u00a0", "two"), {}) == "one\n\ntwo"


def test_a_text_without_an_end_is_refused() -> None:
    with pytest.raises(TextTooLong):
        render("{{a}}{{a}}", {"a": "x" * (LONGEST // 2 + 1)})


@pytest.mark.parametrize("template", ["{" * 200_000, "{{a" * 100_000, "{{a}" * 100_000, "{{a}}" * 100_000])
def test_rendering_takes_time_in_proportion_to_the_template(template: str) -> None:
    began = time.perf_counter()
    render(template, {})
    assert time.perf_counter() - began < 2


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (1.0, "1"),
        (-0.0, "0"),
        (0.1, "0.1"),
        (1e21, "1e+21"),
        (1.5e-7, "1.5e-7"),
        (0.000001, "0.000001"),
        (123456789012345680000, "123456789012345680000"),
        (2**53 + 1, "9007199254740992"),
        (-12.5, "-12.5"),
        (10**400, "Infinity"),
    ],
)
def test_numbers_are_written_as_javascript_writes_them(value: float, text: str) -> None:
    assert number_text(value) == text


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_what_is_written_of_a_number_is_that_number(value: float) -> None:
    assert float(number_text(value)) == value
    assert number(number_text(value)) == value


def test_objects_have_the_order_of_javascript() -> None:
    assert json_text({"b": 1, "2": "\ud800", "1": None}) == '{"1":null,"2":"\\ud800","b":1}'
