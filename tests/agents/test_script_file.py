"""A script is read strictly: whatever it says wrong is told with its place, all at once."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from quintet.agents.script import Error, Line, Reply, Script, ToolLine, Tools
from quintet.agents.script_file import parse, schema
from quintet.formats.invalid import InvalidFile

WHOLE = """
agents:
  writer:
    - reply: "Draft about: {{prompt}}"
    - error: "simulated error"
    - error: {kind: rate_limit, message: "slow down"}
    - error: {kind: refused}
    - reply: {status: done, plan: p}
      delay: 0.05
      tokens: {input: 100, output: 50}
    - tool: {name: customer_getCustomer, arguments: {email: "a@x"}}
    - tools: [{name: one}, {name: two, arguments: [1]}]
tools:
  customer_getCustomer:
    - result: {name: Ann}
    - error: "not found"
      delay: 2
default_agents: true
"""


def test_every_kind_of_entry_is_read() -> None:
    writer = (
        Line(Reply("Draft about: {{prompt}}")),
        Line(Error("simulated error", "provider")),
        Line(Error("slow down", "rate_limit")),
        Line(Error("refused", "refused")),
        Line(Reply({"status": "done", "plan": "p"}), 0.05, 100, 50),
        Line(Tools((("customer_getCustomer", {"email": "a@x"}),))),
        Line(Tools((("one", {}), ("two", [1])))),
    )
    tool = (ToolLine(Reply({"name": "Ann"})), ToolLine(Error("not found", "provider"), 2.0))
    assert parse(WHOLE, "script.yaml") == Script({"writer": writer}, {"customer_getCustomer": tool}, True)


def test_json_says_the_same() -> None:
    assert parse('{"agents": {"a": [{"reply": "x"}]}}') == Script({"a": (Line(Reply("x")),)})


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("agents:\n  a:\n    - replly: x\n", "3:7: error[unknown-key]"),
        ("agents: {a: [{}]}", "missing-key"),
        ("agents: {a: []}", "missing-key"),
        ("agents: {a: [{reply: x, error: y}]}", "1:25: error[unknown-key]"),
        ("agents: {a: [{reply: null}]}", "wrong-type"),
        ("agents: {a: {reply: x}}", "1:13: error[wrong-type]"),
        ("agents: {a: [{reply: x, delay: -1}]}", "1:32: error[out-of-range]"),
        ("agents: {a: [{reply: x, delay: soon}]}", "wrong-type"),
        ("agents: {a: [{reply: x, tokens: {in: 1}}]}", "unknown-key"),
        ("agents: {a: [{error: {kind: broken}}]}", "1:29: error[unknown-value]"),
        ("agents: {a: [{tool: {arguments: 1}}]}", "missing-key"),
        ("tools: {a: [{reply: 1}]}", "unknown-key"),
        ("default_agents: yes please", "wrong-type"),
        ("agent: {}", "did you mean 'agents'?"),
        ("[]", "wrong-type"),
        ("", "empty-file"),
        ("a: [", "yaml-syntax"),
    ],
)
def test_what_is_wrong_is_told_with_its_place(text: str, problem: str) -> None:
    with pytest.raises(InvalidFile) as raised:
        parse(text, "script.yaml")
    told = [f"{one} {one.hint}" for one in raised.value.problems]
    assert any(problem in one for one in told)
    assert all(one.startswith("script.yaml:") for one in told)


def test_all_that_is_wrong_is_told_at_once() -> None:
    with pytest.raises(InvalidFile) as raised:
        parse("agents: {a: [{reply: x, delay: -1}, {}]}\nnobody: 1\n", "script.yaml")
    assert [one.code.name for one in raised.value.problems] == ["out-of-range", "missing-key", "unknown-key"]


def test_there_is_a_schema_for_editors() -> None:
    properties = schema()["properties"]
    assert isinstance(properties, Mapping)
    assert set(properties) == {"agents", "tools", "default_agents"}
