"""What every format gives: a workflow once a file is free of errors, its graph, and all problems."""

from quintet.formats.registry import load
from quintet.workflow import Checked, Edge, Graph, Group, Node


def test_there_is_a_workflow_only_where_there_is_no_error() -> None:
    warned = load('{"name": "x", "steps": []}')
    assert warned.ok
    assert warned.workflow is not None
    assert (warned.workflow.name, warned.workflow.format, warned.workflow.steps) == ("x", "openfang", 0)
    assert len(warned.problems) == 1
    refused = load('{"name": "x", "steps": [{}]}')
    assert not refused.ok
    assert refused.workflow is None
    assert not Checked(None).ok


def test_a_graph_as_json_leaves_out_what_says_nothing() -> None:
    graph = Graph(
        (Node("1", "write", "agent", "writer", "g", 3), Node("2", "ask", "approval")),
        (Edge("1", "1", "back", "until done", 4), Edge("1", "2")),
        (Group("g", "parallel"),),
    )
    assert graph.agents == ("writer",)
    assert graph.to_json() == {
        "nodes": [
            {"id": "1", "label": "write", "kind": "agent", "agent": "writer", "group": "g", "line": 3},
            {"id": "2", "label": "ask", "kind": "approval"},
        ],
        "edges": [
            {"source": "1", "target": "1", "kind": "back", "label": "until done", "limit": 4},
            {"source": "1", "target": "2", "kind": "next"},
        ],
        "groups": [{"id": "g", "kind": "parallel"}],
    }
