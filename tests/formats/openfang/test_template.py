"""Templates: `{{input}}` first, then variables once; pure, total, linear, and as the guide's code does it."""

import time
from collections.abc import Mapping
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quintet.formats.openfang.template import PromptTooLong, expand, placeholders

PIECES = st.sampled_from(
    ["{{input}}", "{{a}}", "{{b}}", "{{", "}}", "{", "}", "a", "b", "input", " ", "x{{c}}"]
)
TEMPLATES = st.lists(PIECES, max_size=8).map("".join)
VARIABLES = st.dictionaries(st.sampled_from(["a", "b", "input", "", "c d"]), TEMPLATES, max_size=3)


def guide(template: str, input_text: str, variables: Mapping[str, str]) -> str:
    """`WorkflowEngine::expand_variables`, in the order of a map as it comes."""
    result = template.replace("{{input}}", input_text)
    for key, value in variables.items():
        result = result.replace("{{" + key + "}}", value)
    return result


@given(TEMPLATES, TEMPLATES, VARIABLES)
def test_where_the_order_of_variables_does_not_matter_it_is_the_guides_code(
    template: str, input_text: str, variables: dict[str, str]
) -> None:
    outcomes = {guide(template, input_text, dict(order)) for order in permutations(variables.items())}
    if len(outcomes) == 1:
        assert {expand(template, input_text, variables)} == outcomes


@given(TEMPLATES, TEMPLATES, VARIABLES)
def test_every_template_expands_and_what_a_variable_holds_stands_as_it_is(
    template: str, input_text: str, variables: dict[str, str]
) -> None:
    marked = {name: f"<{number}>" for number, name in enumerate(variables)}
    expected = expand(template, input_text, marked)
    for number, value in enumerate(variables.values()):
        expected = expected.replace(f"<{number}>", value) if "<" not in value else expected
    assert expand(template, input_text, variables) == expected


def test_the_example_of_the_guide() -> None:
    """ "A three-step workflow where step 3 references outputs from both step 1 and step 2" """
    template = "Write article.\nResearch: {{research_output}}\nOutline: {{outline_output}}"
    variables = {"research_output": "R", "outline_output": "O"}
    assert expand(template, "unused", variables) == "Write article.\nResearch: R\nOutline: O"


@pytest.mark.parametrize(
    "template", ["{{nobody}}", "{{ a }}", "{a}", "{{A}}", "{{}}", "{{a", "a}}", "{{{}}}"]
)
def test_what_nothing_sets_stays_as_it_stands(template: str) -> None:
    assert expand(template, "in", {"a": "1"}) == template


def test_text_that_came_in_through_the_input_is_scanned_once() -> None:
    """ "let mut result = template.replace("{{input}}", input); for (key, value) in vars { … }" """
    assert expand("{{input}}", "see {{a}}", {"a": "{{b}} {{input}}", "b": "2"}) == "see {{b}} {{input}}"


def test_a_value_is_not_scanned_again() -> None:
    assert expand("{{a}} {{b}}", "in", {"a": "{{b}}", "b": "{{a}}"}) == "{{b}} {{a}}"


def test_braces_around_a_placeholder_stay() -> None:
    assert expand("{{{a}}} {{{{a}}}} {{{input}}}", "in", {"a": "1"}) == "{1} {{1}} {in}"


def test_a_variable_cannot_replace_the_input_of_a_template() -> None:
    assert expand("{{input}}", "in", {"input": "variable"}) == "in"


def test_placeholders_are_told_in_order_each_once() -> None:
    assert placeholders("{{b}} {{a}} {{b}} {{ c }} {{{d}}} {{e") == ("b", "a", " c ", "d")


@pytest.mark.parametrize("piece", ["{", "{{", "}}", "{{a", "{{a}}", "{{a}", "{{ ", "x"])
def test_expanding_takes_linear_time(piece: str) -> None:
    begun = time.process_time()
    expand(piece * (1_000_000 // len(piece)), "in", {"a": "12345", "b": ""})
    assert time.process_time() - begun < 2


def test_a_prompt_longer_than_any_model_reads_is_refused_before_it_is_made() -> None:
    with pytest.raises(PromptTooLong, match="characters"):
        expand("{{input}}" * 100_000, "x" * 1_000_000, {})
    with pytest.raises(PromptTooLong):
        expand("{{a}}" * 100_000, "", {"a": "x" * 1_000_000})
    with pytest.raises(PromptTooLong):
        expand("{{input}}", "{{a}}" * 100_000, {"a": "x" * 1_000_000})
