"""The picture of a workflow: what follows what, where a round leads back, and how it can end."""

from __future__ import annotations

from typing import Any

from tests.formats.hyperagent.building import flow, go, leave, loaded, step


def drawn(document: dict[str, Any]) -> list[str]:
    graph = loaded(document).graph
    labels = {node.id: node.label for node in graph.nodes}
    return [
        f"{labels[edge.source]} {edge.kind} {labels[edge.target]}"
        + (f" ({edge.label})" if edge.label else "")
        + (f" at most {edge.limit}" if edge.limit else "")
        for edge in graph.edges
    ]


def test_a_round_leads_back_to_its_start_and_to_the_default_outcome() -> None:
    assert drawn(flow(step("one"), step("two"), bootstrap=step("boot"), start="two", rounds=None)) == [
        "input next boot",
        "boot next two",
        "one next two",
        "two back two (next round) at most 10",
        "two next output (end)",
    ]


def test_transitions_are_told_with_their_conditions() -> None:
    approve = {"field": "parsed.verdict", "equals": "approve"}
    both = {
        "all": [
            approve,
            {"any": [{"field": "raw", "exists": False}, {"field": "@state.n", "in": [1, True]}]},
        ]
    }
    document = flow(
        step("one", transitions=[leave("ok", approve), go("one", both)], exits=[go("two")]), step("two")
    )
    assert drawn(document) == [
        "input next one",
        "one next output (ok: verdict is approve)",
        "one back one (verdict is approve and (raw is not there or state.n is one …)",
        "one next two",
        "two next output (end)",
    ]


def test_roles_are_the_agents() -> None:
    graph = loaded(flow(step("one", "a"), step("two", "b"), bootstrap=step("boot", "c"))).graph
    assert graph.agents == ("c", "a", "b")
    assert [node.group for node in graph.nodes] == [None, None, "round", "round", None]
