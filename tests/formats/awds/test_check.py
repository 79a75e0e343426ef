"""Everything that can be proven wrong is found before running, all at once, with its place."""

from __future__ import annotations

from typing import Any

import pytest

from quintet.formats.registry import load
from tests.formats.awds.rehearsing import problems, step, text_of
from tests.formats.awds.seed import EXAMPLES

FINE: dict[str, Any] = {"resultSchema": {}}


def fine(name: str, *needs: str, agent: Any = None, **keys: Any) -> dict[str, Any]:
    return step(name, *needs, agent={**FINE, **(agent or {})}, **keys)


def codes(*steps: Any) -> list[str]:
    return [code for code, _, _ in problems(*steps)]


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_examples_of_the_specification_load_with_warnings(name: str) -> None:
    """Reading: a missing version, input or resultSchema, and a map as input, are warnings."""
    found = load(EXAMPLES[name].replace("get_customer_date", "get_customer_data"), "flow.yaml", format="awds")
    assert {one.severity for one in found.problems} == {"warning"}
    assert {one.code.name for one in found.problems} <= {
        "missing-version", "missing-input", "missing-result-schema", "structured-input"
    }  # fmt: skip
    assert found.workflow is not None
    assert load(EXAMPLES[name], "flow.yaml", format="awds", strict=True).workflow is None


def test_the_published_parallel_example_depends_on_what_does_not_exist() -> None:
    found = load(EXAMPLES["parallel"], "flow.yaml", format="awds").problems
    (missing,) = (one for one in found if one.code.name == "unknown-dependency")
    assert missing.message == "there is no step 'get_customer_data'"
    assert missing.hint == "did you mean 'get_customer_date'?"
    line = EXAMPLES["parallel"].splitlines()[missing.place.line - 1]
    assert line[missing.place.column - 1 :].startswith("get_customer_data,")
    (unknown,) = (one for one in found if one.code.name == "unknown-step")
    assert unknown.hint == "did you mean 'get_customer_date'?"


def test_what_is_required_is_required() -> None:
    """ "Required Fields" """
    for missing in ("type", "id", "agent"):
        one = {key: value for key, value in fine("a").items() if key != missing}
        assert ("missing-key", "2:1", f"a step needs the key '{missing}'") in problems(one)
    assert codes({"type": "run", "id": "a", "agent": {"input": "x", **FINE}}) == ["missing-key"]
    assert codes({**fine("a"), "type": "walk"}) == ["unknown-value"]


@pytest.mark.parametrize("version", ["1.0", "'1'", "'2.0'", "null"])
def test_any_other_version_is_an_error(version: str) -> None:
    """'Must be "1.0"'"""
    assert next(code for code, _, _ in problems(text=f"version: {version}\nworkflow: {{steps: []}}\n")) in {
        "wrong-type",
        "unknown-value",
    }


def test_unknown_keys_are_errors_and_those_with_x_pass_everywhere() -> None:
    """Reading: keys that begin with `x-` pass everywhere."""
    assert codes({**fine("a"), "dependson": ["b"]}) == ["unknown-key"]
    assert codes(fine("a", agent={"x-note": 1, "systemprompt": "S"})) == ["unknown-key"]
    assert codes({**fine("a", agent={"x-note": 1}), "x-note": [1]}) == []
    assert load(text_of({**fine("a"), "foo": 1}), format="awds", lenient=True).workflow is not None


def test_ids_are_there_and_unique() -> None:
    assert problems(fine("a"), fine("a"))[0][:2] == ("duplicate-step", "3:23")
    assert codes(fine("")) == ["unusable-id"]


def test_cycles_are_shown_as_a_path() -> None:
    found = problems(
        fine("a", "c"), fine("b", "a"), fine("c", "b"), fine("d", "a"), fine("e", "f"), fine("f", "e")
    )
    assert [message for code, _, message in found if code == "dependency-cycle"] == [
        "these steps wait for each other: a → c → b → a",
        "these steps wait for each other: e → f → e",
    ]
    assert problems(fine("a", "a"))[0][2] == "'a' depends on itself: a → a"


def test_a_long_chain_is_no_cycle() -> None:
    names = [f"s{number}" for number in range(2_000)]
    chain = [fine(name, *names[max(number - 1, 0) : number]) for number, name in enumerate(names)]
    assert codes(*chain) == []


@pytest.mark.parametrize("where", ["systemPrompt", "input", "context"])
def test_only_steps_that_have_completed_can_be_referred_to(where: str) -> None:
    """ "References to step outputs MUST refer to completed steps" """

    def refers(to: str, *needs: str) -> list[tuple[str, str, str]]:
        said: Any = f"x ${{{{ steps.{to}.outputs.result }}}}"
        said = {"deep": [said]} if where == "context" else said
        return problems(fine("a"), fine("b", "a"), fine("c", *needs, agent={where: said}), fine("d", "c"))

    assert refers("a", "b") == []
    assert refers("b", "a")[0][2] == "'c' does not depend on 'b', which may not have completed"
    assert refers("d", "a")[0][0] == "step-not-before"
    assert refers("c", "a")[0][2] == "'c' refers to its own outputs"
    assert refers("ghost", "a")[0][0] == "unknown-step"


BLOCK = """version: "1.0"
workflow:
  steps:
    - type: run
      id: a
      agent:
        systemPrompt: |
          First.
          Then ${{ steps.ghost.outputs }} and ${{ inputs. }}
        input: x
        resultSchema: {}
"""


def test_a_place_within_a_text_is_found() -> None:
    found = [(code, at) for code, at, _ in problems(text=BLOCK)]
    assert found == [("unknown-step", "9:20"), ("expression", "9:58")]


def test_item_is_known_only_in_the_agent_of_a_for_each_step() -> None:
    """ "The `item` context is only available in steps with `for_each`" """
    uses = {"input": "${{ item.id }}"}
    assert codes(fine("a", agent=uses, for_each="inputs.list")) == []
    assert codes(fine("a", agent=uses)) == ["no-item"]
    assert codes(fine("a", for_each="item")) == ["no-item"]
    assert codes(fine("a", for_each="inputs.list", **{"if": "item"})) == ["no-item"]


def test_if_and_for_each_are_one_expression() -> None:
    assert codes(fine("a", **{"if": "${{ inputs.a }} === 1"})) == ["expression"]
    assert codes(fine("a", **{"if": " ${{ inputs.a }} "})) == []
    assert codes(fine("a", for_each="x ${{ inputs.a }}")) == ["expression"]
    assert codes(fine("a", **{"if": "inputs.a ="})) == ["expression"]


def test_what_outputs_do_not_have_is_a_warning() -> None:
    found = problems(
        fine("a"), fine("b", "a", agent={"input": "${{ steps.a.outputs.urgency }} ${{ steps.a.result }}"})
    )
    assert [(code, message) for code, _, message in found] == [
        ("unknown-output", "outputs have 'status' and 'result', and no 'urgency'"),
        ("unknown-output", "a step has 'outputs', and no 'result'"),
    ]


@pytest.mark.parametrize(
    ("schema", "code"),
    [
        ({"type": "objct"}, "result-schema"),
        ({"properties": {"a": {"minimum": "x"}}}, "result-schema"),
        ({"$ref": "#/$defs/none"}, "result-schema"),
        ({"pattern": "("}, "result-schema"),
        ({"$ref": "http://localhost/s.json"}, "remote-schema"),
        ({"items": {"anyOf": [{"$ref": "file:///etc/passwd"}]}}, "remote-schema"),
        ({"$dynamicRef": "other.json#x"}, "remote-schema"),
        ({"$schema": "http://json-schema.org/draft-07/schema#"}, "other-draft"),
    ],
)
def test_a_result_schema_is_one_and_leads_nowhere_else(schema: Any, code: str) -> None:
    """ "Must conform to [JSON Schema Draft 2020-12]" """
    assert codes(fine("a", agent={"resultSchema": schema})) == [code]


@pytest.mark.parametrize(
    "schema",
    [
        {"$ref": "#/$defs/a", "$defs": {"a": {"type": "object"}}},
        {"$defs": {"a": {"$id": "urn:a", "type": "object"}}, "$ref": "urn:a"},
        {"const": {"$ref": "http://localhost/x"}},
        {"properties": {"$ref": {"type": "string"}}},
        {"$ref": "#"},
    ],
)
def test_references_within_a_schema_are_fine(schema: Any) -> None:
    assert codes(fine("a", agent={"resultSchema": schema})) == []


def test_an_empty_list_of_functions_grants_all_and_is_warned_of() -> None:
    """ "Empty array means all functions are allowed." """
    assert codes(fine("a", agent={"attachedFunctions": []})) == ["all-functions"]
    both = [{"service": "a_b", "function": "c"}, {"service": "a", "function": "b_c"}]
    assert codes(fine("a", agent={"attachedFunctions": both})) == ["ambiguous-function"]
    assert codes(fine("a", agent={"attachedFunctions": [{"service": "a"}]})) == ["missing-key"]


def test_wrong_types_are_errors() -> None:
    agents: list[Any] = [
        {"input": 5},
        {"tags": {"a": 1}},
        {"context": []},
        {"resultSchema": "x"},
        {"systemPrompt": 1},
    ]
    for wrong in agents:
        assert codes(fine("a", agent=wrong)) == ["wrong-type"]
    for keys in ({"if": True}, {"for_each": ["a"]}, {"depends_on": "a"}):
        assert codes(fine("a", **keys)) == ["wrong-type"]


def test_all_problems_are_told_at_once() -> None:
    found = codes(
        fine("a", "ghost", agent={"input": "${{ oops }}", "resultSchema": {"type": "x"}}, **{"if": "item"}),
        fine("a"),
    )
    assert sorted(found) == ["duplicate-step", "expression", "no-item", "result-schema", "unknown-dependency"]


def test_the_format_is_told_by_its_content() -> None:
    for text in EXAMPLES.values():
        found = load(text, "flow.yaml")
        assert "unknown-format" not in {one.code.name for one in found.problems}
        assert found.workflow is None or found.workflow.format == "awds"
