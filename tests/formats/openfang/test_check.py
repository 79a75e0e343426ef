"""Every rule that can be proven before a run is told, with its place, all at once, and nothing else is."""

import json
import time

import pytest

from quintet.engine.values import Json
from quintet.formats.registry import Surroundings
from quintet.problems.text import rendered
from tests.formats.openfang.loading import problems, problems_of

UUID = "0b5c1f4e-1f0e-4d3a-9b51-2f1c8f6f3a11"
FAN: Json = {"agent_name": "a", "mode": "fan_out"}


def test_a_step_without_an_agent_is_refused_at_its_place() -> None:
    """ "Every step must specify exactly one of `agent_name` or `agent_id`." """
    text = (
        '{\n  "name": "bad",\n  "steps": [\n'
        '    { "name": "fine", "agent_name": "one", "prompt": "{{input}}" },\n'
        '    { "name": "lonely", "prompt": "{{input}}" }\n  ]\n}\n'
    )
    [problem] = problems_of(text)
    assert str(problem) == (
        "flow.json:5:15: error[missing-agent]: Step 'lonely' needs 'agent_id' or 'agent_name'"
    )


def test_a_step_with_two_agents_is_refused() -> None:
    """ "Mutually exclusive with `agent_id`." """
    assert problems({"agent_name": "a", "agent_id": UUID}) == [("two-agents", "2:21")]
    assert problems(FAN, {"mode": "collect", "agent_name": "a", "agent_id": UUID}) == [("two-agents", "3:40")]


@pytest.mark.parametrize("key", ["agent_name", "agent_id"])
def test_an_agent_without_a_name_is_none(key: str) -> None:
    """ "Every step must specify exactly one of `agent_name` or `agent_id`." """
    assert [name for name, _ in problems({key: ""})] == ["missing-agent"]
    assert problems(FAN, {"mode": "collect", key: ""}) == []
    assert [name for name, _ in problems({key: 7})] == ["wrong-type"]
    assert [name for name, _ in problems({"agent_name": "a", "agent_id": "x", key: None})] == ["wrong-type"]


@pytest.mark.parametrize(
    ("keys", "code"),
    [
        ({"agentname": "x"}, "unknown-key"),
        ({"timeout": 5}, "unknown-key"),
        ({"mode": "parallel"}, "unknown-value"),
        ({"mode": "Sequential"}, "unknown-value"),
        ({"error_mode": "ignore"}, "unknown-value"),
        ({"mode": None}, "wrong-type"),
        ({"name": 3}, "wrong-type"),
        ({"prompt": ["x"]}, "wrong-type"),
        ({"timeout_secs": "60"}, "wrong-type"),
        ({"timeout_secs": 1.5}, "wrong-type"),
        ({"timeout_secs": True}, "wrong-type"),
        ({"timeout_secs": -1}, "out-of-range"),
        ({"mode": "loop", "until": "x", "max_iterations": 2**32}, "out-of-range"),
        ({"mode": "loop", "until": 5}, "wrong-type"),
        ({"error_mode": "retry", "max_retries": -1}, "out-of-range"),
        ({"output_var": 5}, "wrong-type"),
    ],
)
def test_what_openfang_would_silently_replace_by_a_default_is_refused(
    keys: dict[str, Json], code: str
) -> None:
    found = problems({"agent_name": "a", **keys})
    assert [name for name, _ in found] == [code]


@pytest.mark.parametrize(
    ("top", "code"),
    [({"colour": "red"}, "unknown-key"), ({"name": 1}, "wrong-type"), ({"description": None}, "wrong-type")],
)
def test_the_top_is_checked_as_strictly(top: dict[str, Json], code: str) -> None:
    assert [name for name, _ in problems({"agent_name": "a"}, top=top)] == [code]


@pytest.mark.parametrize("steps", ["{}", "3", '"x"', "null", "[3, []]"])
def test_steps_that_are_no_list_of_maps_are_refused(steps: str) -> None:
    assert {problem.code.name for problem in problems_of(f'{{"steps": {steps}}}')} == {"wrong-type"}
    [missing] = problems_of('{"name": "x"}')
    assert missing.code.name == "missing-key"


def test_editors_may_be_told_where_the_schema_is() -> None:
    assert problems({"agent_name": "a"}, top={"$schema": "openfang.schema.json"}) == []


def test_collect_needs_a_group_before_it_but_not_right_before_it() -> None:
    """ "The `collect` step gathers all outputs from the preceding fan-out group." """
    collect: Json = {"name": "gather", "mode": "collect"}
    assert problems({"agent_name": "a"}, collect) == [("collect-without-group", "3:28")]
    assert problems(collect, FAN, collect) == [("collect-without-group", "2:28")]
    assert problems(FAN, collect, collect) == []
    assert problems(FAN, {"agent_name": "a"}, collect) == []
    assert problems({"agent_name": "a", "mode": "fanout"}, collect) == [("unknown-value", "2:29")]


@pytest.mark.parametrize(
    ("keys", "key"),
    [
        ({"condition": "x"}, "condition"),
        ({"until": "x"}, "until"),
        ({"max_iterations": 3}, "max_iterations"),
        ({"max_retries": 3}, "max_retries"),
        ({"mode": "conditional", "condition": "x", "until": "x"}, "until"),
        ({"mode": "loop", "until": "x", "condition": "x"}, "condition"),
        ({"error_mode": "skip", "max_retries": 3}, "max_retries"),
        ({"mode": "fan_out", "error_mode": "skip"}, "error_mode"),
        ({"mode": "fan_out", "error_mode": "retry", "max_retries": 1}, "error_mode"),
    ],
)
def test_a_key_without_effect_is_a_warning(keys: dict[str, Json], key: str) -> None:
    text = '{"steps": [' + str({"agent_name": "a", **keys}).replace("'", '"') + "]}"
    [problem] = problems_of(text)
    assert (problem.code.name, problem.severity) == ("no-effect", "warning")
    assert f"'{key}' has no effect" in problem.message


def test_what_a_collect_step_cannot_use_is_a_warning_except_the_agent_that_openfang_wants() -> None:
    collect: Json = {"mode": "collect", "agent_name": "planner", "prompt": "{{unused}}", "timeout_secs": 120}
    assert problems(FAN, collect) == []
    wrong: Json = {"mode": "collect", "timeout_secs": 5, "error_mode": "skip"}
    assert [code for code, _ in problems(FAN, wrong)] == ["no-effect", "no-effect"]


def test_an_error_mode_that_a_fan_out_step_has_anyway_is_no_warning() -> None:
    """ "If any fan-out step fails or times out, the entire workflow fails immediately." """
    assert problems({"agent_name": "a", "mode": "fan_out", "error_mode": "fail"}) == []


def test_empty_conditions_and_limits_of_zero_are_warnings() -> None:
    def codes(**keys: Json) -> list[str]:
        return [code for code, _ in problems({"agent_name": "a", **keys})]

    assert codes(mode="conditional") == ["empty-condition"]
    assert codes(mode="conditional", condition="") == ["empty-condition"]
    assert codes(mode="loop") == ["empty-until"]
    assert codes(mode="loop", until="", max_iterations=1) == [], "it runs once anyway"
    assert codes(mode="loop", until="x", max_iterations=0) == ["never-runs"]
    assert codes(timeout_secs=0) == ["never-runs"]
    assert [code for code, _ in problems()] == ["no-steps"]


@pytest.mark.parametrize(
    ("name", "fine"), [("input", False), ("", False), ("a{b", False), ("a}}", False), ("a b", True)]
)
def test_a_variable_that_no_prompt_can_name_is_a_warning(name: str, fine: bool) -> None:
    found = problems({"agent_name": "a", "output_var": name})
    assert [code for code, _ in found] == ([] if fine else ["unusable-variable"])


def test_an_unset_variable_is_told_under_its_very_characters_with_who_sets_what_was_meant() -> None:
    text = (
        '{"steps": [\n  {"name": "write", "agent_name": "a", "output_var": "summary"},\n'
        '  {"agent_name": "b", "prompt": "Wörter:\\n\\"{{sumary}}\\""}\n]}'
    )
    [problem] = problems_of(text)
    assert rendered(problem) == (
        "flow.json:3:45: warning[unset-variable]: nothing sets 'sumary' before this step\n"
        '    3 |   {"agent_name": "b", "prompt": "Wörter:\\n\\"{{sumary}}\\""}\n'
        "      |                                             ^^^^^^^^^^ "
        "did you mean 'summary' (set by 'write', line 2)?"
    )


def test_an_unset_variable_is_found_in_every_style_of_yaml() -> None:
    text = (
        "steps:\n- agent_name: a\n  prompt: |\n    First,\n    then {{x y}}.\n"
        "- agent_name: a\n  prompt: see {{v}}\n"
    )
    found = problems_of(text, path="flow.yaml")
    assert [(p.place.line, p.place.column, p.place.end_column) for p in found] == [(5, 10, 17), (7, 15, 20)]


@pytest.mark.parametrize(
    ("steps", "hints"),
    [
        ([{"agent_name": "a", "prompt": "{{ input }}"}], ["no space within the braces"]),
        ([{"agent_name": "a", "prompt": "{{inptu}}"}], ["did you mean 'input'?"]),
        ([{"agent_name": "a", "prompt": "{{zzz}} {{zzz}}"}], [""]),
        ([{"agent_name": "a", "prompt": "{{v}}", "output_var": "v"}], ["this step itself sets it"]),
        (
            [{"agent_name": "a", "prompt": "{{v}}"}, {"name": "b", "agent_name": "a", "output_var": "v"}],
            ["'b', line 3 sets it, at the same time or later"],
        ),
        (
            [
                {"agent_name": "a", "mode": "fan_out", "output_var": "v"},
                {"agent_name": "a", "mode": "fan_out", "prompt": "{{v}}"},
            ],
            ["'step', line 2 sets it, at the same time or later"],
        ),
    ],
)
def test_why_a_variable_is_not_set_is_told(steps: list[Json], hints: list[str]) -> None:
    text = '{"steps": [\n' + ",\n".join(map(json.dumps, steps)) + "]}"
    found = problems_of(text)
    assert [problem.code.name for problem in found] == ["unset-variable"] * len(hints)
    for problem, hint in zip(found, hints, strict=True):
        assert hint in problem.hint
        assert bool(hint) == bool(problem.hint)


def test_variables_that_something_can_have_set_are_no_warning() -> None:
    """ "Any subsequent step can reference it with `{{my_var}}` in its prompt template." """
    steps: list[Json] = [
        {
            "agent_name": "a",
            "mode": "conditional",
            "condition": "x",
            "output_var": "v",
            "prompt": "{{topic}}",
        },
        {"agent_name": "a", "mode": "fan_out", "output_var": "w", "prompt": "{{v}}"},
        {"agent_name": "a", "mode": "loop", "until": "x", "prompt": "{{v}} {{w}} {{input}}"},
    ]
    assert problems(*steps, inputs=["topic"]) == []
    assert [code for code, _ in problems(*steps)] == ["unset-variable"]


@pytest.mark.parametrize(
    "prompt", ['{"a": {"b": 1}}', "{{}}", "{{ 1 + 1 }}", "{{a\nb}}", "{{#if x}}", "{ {x} }"]
)
def test_other_text_in_braces_is_no_warning(prompt: str) -> None:
    assert problems({"agent_name": "a", "prompt": prompt}) == []


def test_an_agent_that_does_not_exist_is_a_warning_where_agents_are_known() -> None:
    steps: list[Json] = [
        {"agent_name": "writter"},
        {"agent_id": UUID},
        FAN,
        {"mode": "collect", "agent_name": "x"},
    ]
    assert problems(*steps) == []
    assert problems(*steps, agents=["writer", "a", UUID]) == [("unknown-agent", "2:16")]
    assert problems({"agent_id": UUID.upper()}, agents=[UUID]) == []
    [problem] = problems_of('{"steps": [{"agent_name": "writter"}]}', Surroundings(agents={"writer"}))
    assert (problem.severity, problem.hint) == ("warning", "did you mean 'writer'?")


def test_an_agent_id_that_is_no_uuid_is_a_warning() -> None:
    """ "Reference an agent by its UUID." """
    assert problems({"agent_id": "writer"}) == [("not-a-uuid", "2:14")]


@pytest.mark.parametrize(
    ("time", "fine"),
    [
        ("2026-01-15T10:30:00Z", True),
        ("2026-01-15t10:30:00.123456789+02:00", True),
        ("2026-01-15", False),
        ("2026-13-15T10:30:00Z", False),
        ("yesterday", False),
    ],
)
def test_the_time_of_a_stored_workflow_is_one(time: str, fine: bool) -> None:
    text = f'{{"id": "{UUID}", "name": "", "description": "", "steps": [], "created_at": "{time}"}}'
    codes = [problem.code.name for problem in problems_of(text)]
    assert codes == (["no-steps"] if fine else ["no-steps", "not-a-time"])


def test_all_problems_are_told_at_once_in_the_order_of_the_file() -> None:
    found = problems(
        {"agent_name": "a", "prompt": "{{nobody}}", "until": "x"},
        {"name": "lonely"},
        {"agent_name": "a", "mode": "collect", "timeout_secs": -1},
    )
    assert found == [
        ("unset-variable", "2:32"),
        ("no-effect", "2:45"),
        ("missing-agent", "3:10"),
        ("collect-without-group", "4:29"),
        ("out-of-range", "4:56"),
    ]


def test_a_thousand_mistakes_are_checked_quickly() -> None:
    steps: list[Json] = [
        {
            f"agent_nam{n}": "a",
            "prompt": "".join(f"{{{{v{n}x{m}}}}}" for m in range(20)),
            "output_var": f"w{n}",
        }
        for n in range(3_000)
    ]
    text = json.dumps({"steps": steps})
    begun = time.process_time()
    found = problems_of(text)
    assert 200 < len(found) < 1_000
    assert time.process_time() - begun < 8


@pytest.mark.parametrize("key", ["timeout_secs", "max_iterations"])
def test_a_number_that_is_too_large_is_not_called_zero_besides(key: str) -> None:
    loop = '"mode": "loop", "until": "x", ' if key == "max_iterations" else ""
    text = f'{{"name": "n", "steps": [{{"agent_name": "a", {loop}"{key}": {"9" * 30}}}]}}'
    assert [problem.code.name for problem in problems_of(text)] == ["number-range"]


@pytest.mark.parametrize(
    ("text", "message", "hint"),
    [
        (
            '{"steps": [{"agent_name": "a", "error_mode": {"retry": {}}}]}',
            "'error_mode' must be a text: fail, skip or retry, and is a map",
            "",
        ),
        ('{"steps": 3}', "'steps' must be a list, and is the number 3", "write a list: […]"),
        (
            '{"steps": [{"agent_name": "a", "timeout_secs": "soon"}]}',
            "'timeout_secs' must be a whole number, and is a text",
            "write a number, such as 5",
        ),
        ('{"name": "n"}', "a workflow needs the key 'steps'", "add it: the steps, in order"),
    ],
)
def test_what_is_wrong_or_missing_is_told_with_what_to_write(text: str, message: str, hint: str) -> None:
    found = [problem for problem in problems_of(text) if problem.severity == "error"]
    assert [(problem.message, problem.hint) for problem in found] == [(message, hint)]
