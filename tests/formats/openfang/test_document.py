"""Both shapes become one document, with the guide's defaults, and only valid ones do."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quintet.engine.values import Json
from quintet.formats.openfang.document import (
    AgentById,
    AgentByName,
    Collect,
    Conditional,
    Document,
    Fail,
    FanOut,
    Loop,
    Mode,
    Retry,
    Sequential,
    Skip,
    Step,
    blocks,
)
from quintet.formats.registry import load
from tests.formats.openfang.loading import document, problems, problems_of, step
from tests.formats.openfang.seed import EXAMPLES, STORED

UUID = "0b5c1f4e-1f0e-4d3a-9b51-2f1c8f6f3a11"


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_examples_of_the_guide_have_no_problem(name: str) -> None:
    assert document(EXAMPLES[name]).name == name


@pytest.mark.parametrize("name", EXAMPLES)
def test_a_workflow_may_be_written_in_yaml_as_well(name: str) -> None:
    def told(text: str, path: str) -> list[tuple[object, ...]]:
        return [
            (s.name, s.agent, s.prompt, s.mode, s.timeout_secs, s.error_mode, s.output_var)
            for s in document(text, path).steps
        ]

    assert told(EXAMPLES[name], "flow.yaml") == told(EXAMPLES[name], "flow.json")


def test_defaults_are_those_of_the_table() -> None:
    """ "| `name` | `name` | `String` | `"step"` |", "`"{{input}}"`", "`"sequential"`", "`120`" """
    assert step() == Step("step", AgentByName("a"), "{{input}}", Sequential(), 120, Fail(), None, 1)
    assert step(error_mode="retry").error_mode == Retry(3)
    assert step(mode="loop").mode == Loop(5, "")
    assert step(mode="conditional").mode == Conditional("")
    assert document('{"steps": [{"agent_name": "a"}]}').name == "unnamed"


def test_every_mode_and_error_mode_is_read() -> None:
    """ "Execution mode", "How to handle errors" """
    assert step(mode="fan_out").mode == FanOut()
    assert step(mode="conditional", condition="ERROR").mode == Conditional("ERROR")
    assert step(mode="loop", max_iterations=4, until="APPROVED").mode == Loop(4, "APPROVED")
    assert step(error_mode="skip").error_mode == Skip()
    assert step(error_mode="retry", max_retries=1).error_mode == Retry(1)


def test_an_agent_is_named_by_name_or_by_id() -> None:
    """ "Reference an agent by its UUID. Mutually exclusive with `agent_name`." """
    [one] = document(json.dumps({"steps": [{"agent_id": UUID}]})).steps
    assert one.agent == AgentById(UUID)


def test_a_collect_step_needs_no_agent() -> None:
    """ "It does not execute an agent -- it is a data-only step" """
    found = document('{"steps": [{"agent_name": "a", "mode": "fan_out"}, {"mode": "collect"}]}')
    assert (found.steps[1].agent, found.steps[1].mode) == (None, Collect())


def test_conditions_compare_without_regard_to_case() -> None:
    """ "contains the `condition` substring (case-insensitive comparison via `to_lowercase().contains()`)" """
    assert Conditional("ERROR").holds("an Error occurred")
    assert not Conditional("ERROR").holds("all good")
    assert Loop(5, "Approved").over("… APPROVED …")
    assert not Loop(5, "Approved").over("not yet")


def test_the_stored_shape_says_the_same() -> None:
    found = document(STORED)
    assert found.id == "a1b2c3d4-e5f6-7890-abcd-ef1234567890"
    assert found.created_at == "2026-03-16T00:00:00Z"
    assert [(s.agent, s.mode, s.error_mode, s.timeout_secs, s.output_var) for s in found.steps] == [
        (AgentByName("a2a-proxy"), Sequential(), Fail(), 300, "review_result"),
        (AgentById(UUID), Loop(3, "DONE"), Retry(2), 120, None),
    ]


@pytest.mark.parametrize(
    ("keys", "expected"),
    [
        ({"mode": "collect"}, []),
        ({"mode": {"conditional": {"condition": "x"}}}, []),
        ({"mode": {"loop": {"max_iterations": 2, "until": "x"}}}, []),
        ({"error_mode": "skip", "output_var": None}, []),
        ({"mode": "loop"}, ["missing-key"]),
        ({"mode": {"loop": {"until": "x"}}}, ["missing-key"]),
        ({"mode": {"lop": {}}}, ["unknown-value"]),
        ({"mode": {}}, ["unknown-value"]),
        ({"mode": 3}, ["wrong-type"]),
        ({"mode": {"loop": 3}}, ["wrong-type"]),
        ({"mode": {"conditional": {"condition": "x", "until": "y"}}}, ["unknown-key"]),
        ({"error_mode": "retry"}, ["missing-key"]),
        ({"error_mode": {"retry": {"max_retries": -1}}}, ["out-of-range"]),
        ({"agent": {"id": UUID, "name": "b"}}, ["two-agents"]),
        ({"agent": {}}, ["missing-agent"]),
        ({"agent": "b"}, ["wrong-type"]),
        ({"agent": {"nam": "b"}}, ["missing-agent", "unknown-key"]),
        ({"prompt": "x"}, ["unknown-key"]),
        ({"created_at": "x"}, ["unknown-key"]),
    ],
)
def test_the_stored_shape_is_checked_as_strictly(keys: dict[str, Json], expected: list[str]) -> None:
    group = {"name": "g", "agent": {"name": "a"}, "prompt_template": "x", "mode": "fan_out"}
    one = {"name": "s", "agent": {"name": "a"}, "prompt_template": "x", "mode": "sequential", **keys}
    top = {"id": UUID, "name": "n", "description": "", "created_at": "2026-03-16T00:00:00Z"}
    found = problems_of(json.dumps({**top, "steps": [group, one]}))
    assert sorted(problem.code.name for problem in found) == expected


def test_what_the_stored_shape_requires_is_required() -> None:
    found = problems_of('{"id": "x", "steps": [{"agent": {"name": "a"}}]}')
    messages = [problem.message for problem in found if problem.code.name == "missing-key"]
    assert [message.split()[-1] for message in messages] == [
        "'name'", "'description'", "'created_at'", "'name'", "'prompt_template'", "'mode'"
    ]  # fmt: skip


def test_the_shapes_are_told_apart_by_their_steps() -> None:
    mixed = problems(
        {"agent_name": "a", "prompt": "x"},
        {"agent": {"name": "b"}, "prompt": "x", "condition": "y"},
        top={"id": UUID},
    )
    assert ("unknown-key", "1:2") in mixed, "an id does not make a stored workflow of API steps"
    assert ("unknown-key", "3:2") in mixed


def test_lenient_makes_warnings_of_unknown_keys_and_of_nothing_else() -> None:
    text = '{"steps": [{"agent_name": "a", "colour": "red"}]}'
    assert load(text, "flow.json").workflow is None
    checked = load(text, "flow.json", lenient=True)
    assert checked.ok
    assert [problem.severity for problem in checked.problems] == ["warning"]
    assert load('{"steps": [{"colour": "red"}]}', "flow.json", lenient=True).workflow is None


def test_strict_makes_errors_of_warnings() -> None:
    text = '{"steps": []}'
    assert load(text, "flow.json").ok
    checked = load(text, "flow.json", strict=True)
    assert checked.workflow is None
    assert [problem.severity for problem in checked.problems] == ["error"]


MODES: dict[str, Mode] = {"s": Sequential(), "f": FanOut(), "c": Collect()}


@pytest.mark.parametrize(("modes", "expected"), [("", []), ("s", [1]), ("sffcf", [1, 2, 1, 1]), ("fff", [3])])
def test_consecutive_fan_out_steps_are_one_block(modes: str, expected: list[int]) -> None:
    """ "The engine collects all consecutive `fan_out` steps and launches them simultaneously" """
    found = list(blocks([MODES[mode] for mode in modes]))
    assert [len(block) for block in found] == expected
    assert [number for block in found for number in block] == list(range(len(modes)))


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
KEYS = st.sampled_from(
    [
        "name", "agent_name", "agent_id", "prompt", "mode", "condition", "until", "max_iterations", "id",
        "timeout_secs", "error_mode", "max_retries", "output_var", "agent", "prompt_template", "loop",
        "conditional", "retry",
    ]
)  # fmt: skip
WORDS = st.sampled_from(
    ["sequential", "fan_out", "collect", "conditional", "loop", "fail", "skip", "retry", "input"]
)
STEPS = st.lists(
    st.dictionaries(KEYS, WORDS | JSON | st.dictionaries(KEYS, WORDS | JSON, max_size=3), max_size=6)
)


@given(STEPS | JSON, st.dictionaries(KEYS, JSON, max_size=3))
def test_anything_that_claims_to_be_a_workflow_is_one_or_has_problems(
    steps: Json, top: dict[str, Json]
) -> None:
    checked = load(json.dumps({"steps": steps, **top}), "flow.json", format="openfang")
    assert checked.ok or checked.problems
    assert list(checked.problems) == sorted(checked.problems, key=lambda problem: problem.place)
    if checked.workflow is not None:
        assert isinstance(checked.workflow.document, Document)
        for one in checked.workflow.document.steps:
            assert one.agent is not None or isinstance(one.mode, Collect)
