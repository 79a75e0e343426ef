"""What is written is read back as it was, and a person can read it."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quintet.engine.values import encode
from quintet.formats.source import read
from quintet.formats.tree import plain
from quintet.formats.yaml_writing import written

TEXTS = st.text(
    st.characters(exclude_categories=["Cs"]) | st.sampled_from("\n: -#|'\"{}[],&*!%@`\t\\"), max_size=40
)
NUMBERS = st.integers(-(2**63), 2**63) | st.floats(allow_nan=False, allow_infinity=False)
VALUES: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | NUMBERS | TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4),
    max_leaves=12,
)


@given(st.dictionaries(TEXTS, VALUES, min_size=1, max_size=5))
def test_what_is_written_is_read_back_as_it_was(value: dict[str, Any]) -> None:
    reading = read(written(value), "some.yaml")
    assert reading.root is not None, reading.report.problems
    assert encode(plain(reading.root)) == encode(value)


@pytest.mark.parametrize(
    "text", ["yes", "1.5", "null", "a: b", "a #b", "- a", "", " a", "a ", "a:", "~", "0x1"]
)
def test_a_text_that_looks_like_something_else_is_quoted(text: str) -> None:
    assert written({"key": text}) == f'key: "{text}"\n'


def test_texts_of_several_lines_are_blocks_and_short_lists_stand_on_a_line() -> None:
    value: dict[str, Any] = {
        "asked": [{"user": "Write:\n\n  - one\n", "id": 1}, {"user": "Write a line about tea, please."}],
        "tokens": {"input": 1, "output": 2.5},
        "nested": {"list": [[1, 2], {"a": None}], "empty": {}},
    }
    assert written(value) == (
        "asked:\n"
        "  - user: |\n"
        "      Write:\n"
        "\n"
        "        - one\n"
        "    id: 1\n"
        "  - user: Write a line about tea, please.\n"
        "tokens: {input: 1, output: 2.5}\n"
        "nested:\n"
        "  list:\n"
        "    - [1, 2]\n"
        "    - {a: null}\n"
        "  empty: {}\n"
    )
