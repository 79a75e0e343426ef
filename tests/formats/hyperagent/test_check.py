"""Everything that the text calls an error is found before anything runs, all at once, at its place."""

from __future__ import annotations

import json
from typing import Any

import pytest

from quintet.formats.registry import load
from tests.formats.hyperagent.building import ANY, flow, go, leave, pointed, problems, step, told, x


def without(document: dict[str, Any], *path: str) -> dict[str, Any]:
    """The same without what stands at a path."""
    found = json.loads(json.dumps(document))
    inner = found
    for key in path[:-1]:
        inner = inner[key]
    del inner[path[-1]]
    return found


def test_a_plain_workflow_has_no_problem() -> None:
    assert problems(flow(step())) == ()
    assert load(json.dumps(flow(step())), "flow.json").workflow is not None


def test_it_is_told_from_other_formats_by_its_keys() -> None:
    checked = load(json.dumps(flow(step())), "flow.json")
    assert checked.workflow is not None
    assert checked.workflow.format == "hyperagent"


@pytest.mark.parametrize(
    ("document", "message", "place"),
    [
        (flow(step("x"), step("x")), "Duplicate step key: x", '"x"'),
        (flow(step(), start="q"), "Round start step q is not defined in steps.", '"q"'),
        (flow(step("one", next="q")), "Step one references unknown next step q.", '"q"'),
        (
            flow(step("one", transitions=[go("one"), go("lost")])),
            "Step one transitions[1] references unknown next step lost.",
            '"lost"',
        ),
        (
            flow(step("one", exits=[go("gone")])),
            "Step one exits[0] references unknown next step gone.",
            '"gone"',
        ),
        (
            flow(step(exits=[{"condition": "always"}])),
            "Transition must specify either an outcome or a nextStep.",
            '"condition"',
        ),
        (
            flow(step(exits=[{"condition": "always", "outcome": "", "nextStep": ""}])),
            "Transition must specify either an outcome or a nextStep.",
            '"condition"',
        ),
        (
            flow(step(exits=[{"condition": "always", "outcome": "ok"}])),
            "Outcome transitions must specify a reason.",
            '"ok"',
        ),
        (
            flow(step(exits=[{"condition": "always", "outcome": "ok", "reason": ""}])),
            "Outcome transitions must specify a reason.",
            '""',
        ),
        (
            flow(step(exits=[leave(condition={"field": "raw"})])),
            "At least one comparator must be provided for a field condition.",
            '"raw"',
        ),
        (flow(step(), roles={}), "At least one role must be defined.", "{"),
        (flow(step(prompt=[])), "a prompt needs at least one section", "["),
        (flow(), "a round needs at least one step", "["),
        (flow(step(key="")), "'key' must not be empty", '""'),
        (flow(step(), id=""), "'id' must not be empty", '""'),
        (flow(step(), sessions={"roles": []}), "there must be at least one session", "["),
        (flow(step(exits=[leave(condition={"any": []})])), "'any' must not be empty", "["),
        (flow(step(), rounds=0), "'maxRounds' must be from 1 to 9,007,199,254,740,992, and is 0", "0"),
        (flow(step(), state={"n": 5}), "'n' must be a text, and is the number 5", "5"),
        (flow(step(), colour="red"), "a workflow has no key 'colour'", '"colour"'),
        (
            flow(step(exits=[leave(condition="allways")])),
            "'condition' must be always, and is 'allways'",
            '"allways"',
        ),
        (
            flow(step(exits=[leave(condition={"field": "raw", "equals": None})])),
            "'equals' must be a text, a number, true or false, and is null",
            "null",
        ),
        (flow(step("s", type="cli")), "steps of type 'cli' cannot be run yet", '"cli"'),
    ],
)
def test_what_the_text_calls_an_error(document: dict[str, Any], message: str, place: str) -> None:
    """ "duplicate step keys, invalid references, missing reasons, etc." """
    found = {one.message: (one.severity, pointed(one)) for one in problems(document)}
    assert found[message] == ("error", place)


@pytest.mark.parametrize(
    ("document", "message"),
    [
        (
            flow(step(role="writer"), roles={"riter": {"systemPrompt": "x", "parser": "any"}}),
            "unknown role writer",
        ),
        (flow(step(role="w"), sessions={"roles": [{"role": "x"}]}), "The session of x is of no role."),
        (flow(step(role="w"), sessions={"roles": [{"role": "x"}]}), "No session available for role w"),
        (
            flow(step(), roles={"a": {"systemPrompt": "x", "parser": "p"}}),
            "Parser 'p' for role 'a' is not defined in workflow 'flow.v1'.",
        ),
    ],
)
def test_references_between_roles_sessions_and_parsers(document: dict[str, Any], message: str) -> None:
    """ "Must include all role names referenced elsewhere. Parsers must reference keys defined in
    `parsers`." """
    assert any(message in one.message and one.severity == "error" for one in problems(document))


def test_the_role_of_the_bootstrap_is_one_as_well() -> None:
    document = flow(step(), bootstrap=step("b", role="boss"))
    del document["roles"]["boss"]
    assert "Workflow step b references unknown role boss." in {one.message for one in problems(document)}


@pytest.mark.parametrize(
    "path", [("id",), ("sessions",), ("roles",), ("flow",), ("flow", "round"), ("flow", "round", "steps")]
)
def test_what_is_required_is_required(path: tuple[str, ...]) -> None:
    assert ("missing-key", "{") in told(without(flow(step()), *path))


def test_everything_wrong_is_told_at_once_with_suggestions() -> None:
    document = flow(step("one", next="tow"), step("two", role="b"), start="won")
    document["roles"]["b"]["parser"] = "nay"
    found = {one.code.name: one.hint for one in problems(document)}
    assert found.keys() == {"unknown-step-key", "unknown-parser"}
    assert found["unknown-step-key"] in ("did you mean 'two'?", "did you mean 'one'?")
    assert found["unknown-parser"] == "did you mean 'any'?"


def test_keys_that_begin_with_x_pass_everywhere() -> None:
    exits = [leave(condition={"field": "raw", "exists": True, "x-why": 1}, **x("note"))]
    document = flow(step(exits=exits, **x("a", None)), **x("b", [1]))
    document["parsers"]["any"]["x-c"] = 1
    document["flow"]["x-d"] = document["roles"]["a"]["x-e"] = document["sessions"]["roles"][0]["x-f"] = 1
    assert problems(document) == ()


@pytest.mark.parametrize(
    ("parser", "code"),
    [
        ({"type": "text"}, "unknown-value"),
        ({}, "missing-key"),
        ("string", "wrong-type"),
        ({"type": "array"}, "missing-key"),
        ({"type": "object"}, "missing-key"),
        ({"type": "string", "minimum": 1}, "unknown-key"),
        ({"type": "string", "enum": []}, "empty-value"),
        ({"type": "string", "default": 1}, "wrong-type"),
        ({"type": "number", "enum": ["1"]}, "wrong-type"),
        ({"type": "object", "properties": {"a": {"type": "nope"}}}, "unknown-value"),
        ({"type": "array", "items": {"type": "nope"}}, "unknown-value"),
    ],
)
def test_parsers_are_checked_to_their_depth(parser: Any, code: str) -> None:
    assert code in [one for one, _ in told(flow(step(), parsers={"a": parser}))]


def test_patterns_are_checked() -> None:
    exits = [leave(condition={"field": "raw", "matches": pattern}) for pattern in ("(?=x)", "(x", "x")]
    found = [(one.code.name, one.severity) for one in problems(flow(step(exits=exits)))]
    assert found == [("unsupported-pattern", "error"), ("invalid-pattern", "warning")]


def test_what_is_never_looked_at_is_a_warning() -> None:
    both = leave(nextStep="s")
    mixed = leave(condition={"any": ["always"], "all": ["always"], "field": "raw"})
    bootstrap = step("b", next="nowhere", exits=[])
    assert told(flow(step(exits=[both, mixed]), bootstrap=bootstrap)) == [
        ("ignored-key", '"next"'),
        ("ignored-key", '"exits"'),
        ("ignored-key", '"nextStep"'),
        ("ignored-key", '"all"'),
        ("ignored-key", '"field"'),
    ]


def test_the_checklist_is_told_as_warnings() -> None:
    """ "Pick a stable `id` and version suffix." "Enumerate every role" """
    document = flow(step("one", next="three"), step("two"), step("three"), id="flow", parsers={"spare": ANY})
    document["roles"]["idle"] = {"systemPrompt": "x", "parser": "any", "tools": {"bash": True}}
    document["sessions"]["roles"].append({"role": "a"})
    assert {one.code.name for one in problems(document)} == {
        "no-version",
        "unused",
        "never-reached",
        "repeated-session",
        "role-tools",
    }
    assert {one.severity for one in problems(document)} == {"warning"}


@pytest.mark.parametrize("kind", ["cli", "workflow", "transform"])
def test_a_kind_of_step_that_comes_later_is_refused_by_name_alone(kind: str) -> None:
    own: dict[str, Any] = {
        "cli": {"command": "ls", "args": ["-l"]},
        "workflow": {"workflowId": "x.v1"},
        "transform": {"template": {}},
    }
    later = {"key": "later", "type": kind, **own[kind], "next": "s"}
    document = flow(step(next="later"))
    document["flow"]["round"]["steps"].append(later)
    assert told(document) == [("unsupported-step", f'"{kind}"')]


REPORT = {"type": "object", "properties": {"status": {"type": "string"}, "n": {"type": "number"}}}


@pytest.mark.parametrize(
    ("template", "hint"),
    [
        ("{{parsed.status}}", "it is there when the step has ended: a prompt reads {{steps.KEY.parsed…}}"),
        ("{{steps.onee.parsed.status}}", "did you mean 'steps.one.parsed.status'?"),
        ("{{steps.one.parsed.statsu}}", "did you mean 'steps.one.parsed.status'?"),
        ("{{steps.one.parsed.n.x}}", ""),
        ("{{user.instruction}}", "did you mean 'user.instructions'?"),
        ("{{state.plann||'x'}}", "did you mean 'state.plan'?"),
        ("{{stat.plan}}", "did you mean 'state.plan'?"),
        ("{{round||0}}", "a literal stands in quotes"),
        ("{{bootstrap.raw}}", "it is there after the bootstrap, if there is one"),
    ],
)
def test_a_template_that_reads_what_can_never_be_there_is_a_warning(template: str, hint: str) -> None:
    user = {"instructions": ""}
    document = flow(
        step("one", prompt=template),
        state={"plan": "{{user.instructions}}"},
        parsers={"a": REPORT},
        user=user,
    )
    [found] = problems(document)
    at = "{{round||0}}" if "||0" in template else template
    assert (found.code.name, found.severity, found.hint, pointed(found)) == (
        "reads-nothing",
        "warning",
        hint,
        at,
    )


def test_templates_that_can_read_something_are_no_warning() -> None:
    sections = [
        "{{user.instructions}} {{user.given}} {{run.id}} {{round}} {{maxRounds}} {{@state.plan.length}}",
        "{{steps.two.parsed.n}} {{bootstrap.parsed.x.y}} {{'a'||\"b\"}} {{ }} {{}} {{state.late}}",
    ]
    after = {"late": "{{parsed.status}}{{raw}}{{current.round}}{{steps.two.raw}}"}
    document = flow(
        step("one", prompt=sections),
        step(
            "two", stateUpdates=after, exits=[leave(reason="{{parsed.n}}", stateUpdates={"x": "{{raw.0}}"})]
        ),
        bootstrap=step("b", role="boss", stateUpdates={"plan": "{{parsed.plan}}"}),
        state={"plan": "", "next": "{{state.plan}}"},
        parsers={"a": REPORT},
        user={"instructions": "x"},
        default={"outcome": "end", "reason": "{{bootstrap.raw}}{{state.x}}"},
    )
    assert problems(document, inputs=["given"]) == ()


@pytest.mark.parametrize(
    "document",
    [
        flow(step(), state={"a": "{{state.b}}", "b": ""}),
        flow(step(), state={"a": "{{steps.s.raw}}"}),
        flow(step(), default={"outcome": "end", "reason": "{{steps.s.raw}}"}),
        flow(step(), bootstrap=step("b", prompt="{{steps.s.raw}}")),
        flow(step(), bootstrap=step("b", stateUpdates={"x": "{{bootstrap.raw}}"})),
        flow(step(exits=[leave(condition={"field": "parsedd.x", "exists": True})])),
        flow(step(exits=[leave(condition={"all": [{"field": "@state.x", "exists": True}]})])),
        flow(step(), sessions={"roles": [{"role": "a", "nameTemplate": "{{run.id}}-a"}]}),
    ],
)
def test_each_place_sees_its_own_scope(document: dict[str, Any]) -> None:
    assert [one for one, _ in told(document)] == ["reads-nothing"]


def test_an_input_may_be_declared_by_its_default_alone_and_json_may_have_comments() -> None:
    text = json.dumps(flow(step(prompt="{{user.instructions}}"), user={"instructions": ""}))
    assert problems(text.replace('"steps": [', '"steps": [ /* the only one */', 1)) == ()


def test_whatever_a_file_says_is_read_or_refused() -> None:
    for wrong in (None, 1, "x", [], [1], {}, {"a": 1}):
        for key in flow(step()):
            assert problems({**flow(step()), key: wrong}) is not None
        for key in ("steps", "start", "defaultOutcome", "maxRounds"):
            document = flow(step())
            document["flow"]["round"][key] = wrong
            assert problems(document) is not None
        for key in ("key", "prompt", "transitions", "exits", "stateUpdates", "next", "type", "role"):
            assert (
                problems(flow({**step(), "role": "a", key: wrong}) if key != "role" else flow(step()))
                is not None
            )
        assert problems(flow(step(exits=[{**leave(), "condition": wrong}]))) is not None
