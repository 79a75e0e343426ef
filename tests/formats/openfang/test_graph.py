"""The picture of a workflow shows what runs after what, what runs beside what, and under which condition."""

import json
from collections.abc import Mapping

import pytest

from quintet.engine.values import Json
from quintet.formats.registry import load
from quintet.workflow import Graph
from tests.formats.openfang.seed import EXAMPLES


def graph(text: str) -> Graph:
    workflow = load(text, "flow.json").workflow
    assert workflow is not None
    return workflow.graph


def drawn(*steps: Mapping[str, Json]) -> list[str]:
    """The edges, by the labels of their nodes."""
    text = json.dumps(
        {"steps": [{"name": f"s{n}", "agent_name": "a", **step} for n, step in enumerate(steps, 1)]}
    )
    found = graph(text)
    labels = {node.id: node.label for node in found.nodes}
    return [
        f"{labels[edge.source]} {edge.kind} {labels[edge.target]}"
        + (f" ({edge.label})" if edge.label else "")
        + (f" at most {edge.limit}" if edge.limit is not None else "")
        for edge in found.edges
    ]


def test_steps_in_a_row() -> None:
    assert drawn({}, {}) == ["input next s1", "s1 next s2", "s2 next output"]
    assert drawn() == ["input next output"]


def test_a_fan_out_group_begins_and_ends_together_and_collect_takes_all_outputs() -> None:
    assert drawn({"mode": "fan_out"}, {"mode": "fan_out"}, {"mode": "collect"}) == [
        "input next s1",
        "input next s2",
        "s1 next s3",
        "s2 next s3",
        "s3 next output",
    ]


def test_without_a_collect_the_last_of_a_group_gives_the_next_input() -> None:
    edges = drawn({"mode": "fan_out"}, {"mode": "fan_out"}, {})
    assert edges[2:] == ["s1 after s3", "s2 next s3", "s3 next output"]


def test_a_collect_takes_the_outputs_of_its_group_past_steps_that_stand_between() -> None:
    edges = drawn({"mode": "fan_out"}, {}, {"mode": "collect"})
    assert edges == ["input next s1", "s1 next s2", "s2 after s3", "s1 next s3", "s3 next output"]


def test_a_condition_is_a_fork_with_its_text() -> None:
    assert drawn({"mode": "conditional", "condition": "ERROR"}, {}) == [
        'input next contains "ERROR"',
        'contains "ERROR" next s1 (yes)',
        "s1 next s2",
        'contains "ERROR" next s2 (no)',
        "s2 next output",
    ]


def test_a_loop_is_a_way_back_with_its_condition_and_limit() -> None:
    edges = drawn({"mode": "loop", "until": "DONE", "max_iterations": 4})
    assert edges == ["input next s1", 's1 back s1 (until "DONE") at most 4', "s1 next output"]


@pytest.mark.parametrize("name", EXAMPLES)
def test_a_graph_is_whole(name: str) -> None:
    found = graph(EXAMPLES[name])
    ids = [node.id for node in found.nodes]
    assert len(set(ids)) == len(ids)
    assert {end for edge in found.edges for end in (edge.source, edge.target)} == set(ids)
    assert {node.group for node in found.nodes} - {None} == {group.id for group in found.groups}
    assert json.loads(json.dumps(found.to_json()))["nodes"][0] == {
        "id": "input",
        "label": "input",
        "kind": "input",
    }


def test_the_agents_are_told_in_the_order_of_the_file_without_those_that_are_never_used() -> None:
    assert graph(EXAMPLES["brainstorm"]).agents == ("writer", "architect", "analyst", "orchestrator")


def test_thousands_of_conditions_or_members_make_as_many_edges() -> None:
    assert len(drawn(*[{"mode": "conditional", "condition": "x"}] * 2_000)) < 8_000
    assert len(drawn(*[{"mode": "fan_out"}] * 2_000, {}, *[{"mode": "fan_out"}] * 2_000)) < 12_000
