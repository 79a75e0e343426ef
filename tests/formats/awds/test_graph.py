"""The picture: each step after those that it depends on, behind its condition, within its items."""

from __future__ import annotations

from quintet.formats.awds.schema import schema
from tests.formats.awds.rehearsing import step, workflow


def test_a_step_hangs_on_what_it_depends_on_and_takes_what_it_refers_to() -> None:
    graph = workflow(
        step("a"),
        step("b", "a"),
        step("c", "a", "b", agent={"input": "${{ steps.b.outputs }}"}, **{"if": "${{ steps.a.outputs }}"}),
        step("d", "a", for_each="steps.a.outputs.result"),
    ).graph
    edges = {(edge.source, edge.target, edge.kind) for edge in graph.edges}
    assert edges == {
        ("input", "step a", "next"),
        ("step a", "step b", "after"),
        ("step a", "if c", "next"),
        ("step b", "if c", "next"),
        ("if c", "step c", "next"),
        ("step a", "step d", "next"),
        ("step c", "output", "next"),
        ("step d", "output", "next"),
    }
    assert [(group.kind, group.label) for group in graph.groups] == [("each", "steps.a.outputs.result")]
    assert [node.label for node in graph.nodes if node.kind == "condition"] == ["steps.a.outputs"]
    assert graph.agents == ("a", "b", "c", "d")


def test_the_schema_for_editors_knows_every_key_and_lets_extensions_pass() -> None:
    found = schema()
    text = str(found)
    for key in (
        "version",
        "workflow",
        "steps",
        "depends_on",
        "for_each",
        "systemPrompt",
        "attachedFunctions",
    ):
        assert f"'{key}'" in text
    assert found["patternProperties"] == {"^x-": {}}
