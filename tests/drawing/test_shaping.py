"""The shape that people see is found in a graph: chains, forks, loops and frames."""

from __future__ import annotations

import pytest
from hypothesis import given

from quintet.drawing.outline import Chain, Fork, Frame, Leaf, Loop, Shape, leaves
from quintet.drawing.shaping import listed, outlined
from quintet.workflow import Edge, Graph, Group, Node
from tests.drawing.graphs import graph, graphs


def told(shape: Shape | None) -> str:
    """A shape in a line: a-b in a row, (a|b) beside each other, -> straight on, a. it ends, {a} a loop."""
    match shape:
        case None:
            return "->"
        case Leaf(node):
            return node.id
        case Chain(parts):
            return "-".join(map(told, parts))
        case Loop(body):
            return "{" + told(body) + "}"
        case Frame(body=body):
            return "[" + told(body) + "]"
        case Fork(branches):
            ways = [
                (f"{one.enter.label}:" if one.enter.label else "")
                + told(one.body)
                + ("" if one.leave else ".")
                for one in branches
            ]
            return "(" + "|".join(ways) + ")"


@pytest.mark.parametrize(
    ("nodes", "edges", "shape"),
    [
        ("a b c", ["a>b", "b>c"], "a-b-c"),
        ("a b c d", ["a>b", "a>c", "b>d", "c>d"], "a-(b|c)-d"),
        ("a b c", ["a>b:yes", "a>c:no", "b>c"], "a-(yes:b|no:->)-c"),
        ("a b c d e", ["a>b", "a>c", "b>d", "b>e", "c>d", "c>e"], "a-(b|c)-(d.|e.)"),
        ("a b c d e f", ["a>b", "a>c", "c>d", "c>e", "d>f", "e>f", "b>f"], "a-(b|c-(d|e))-f"),
        ("a b c", ["a>b", "b>c", "b<b:more"], "a-{b}-c"),
        ("a b c d", ["a>b", "b>c", "c>d", "b<c:more", "a<c:all"], "{a-{b-c}}-d"),
        ("a b c", ["a>b:no", "a>c:yes"], "a-(no:b.|yes:c.)"),
        ("a b c d", ["a>b:no", "a>c:yes", "c>d"], "a-(no:b.|yes:->)-c-d"),
        ("a b", [], "(a.|b.)"),
        ("a b c:agent::g d:agent::g e", ["a>b", "b>c", "c>d", "d>e"], "a-b-[c-d]-e"),
    ],
)
def test_the_shape_of(nodes: str, edges: list[str], shape: str) -> None:
    outline = outlined(graph(nodes, *edges, groups=[Group("g", "each")]))
    assert told(outline.shape) == shape
    assert outline.ties == ()


def test_edges_that_fit_no_shape_are_ties() -> None:
    tangled = outlined(graph("a b c d", "a>c", "b>c", "b>d"))
    assert [(tie.source, tie.target) for tie in tangled.ties] == [("b", "c")]
    away = outlined(graph("a b c d", "a>b", "b>c:yes", "b>d:no", "a<d:again", "c>c"))
    assert [(tie.source, tie.target) for tie in away.ties] == [("d", "a")]
    assert told(away.shape) == "a-b-(yes:{c}.|no:d.)"


def test_a_circle_that_nobody_calls_a_way_back_is_a_loop() -> None:
    assert told(outlined(graph("a b", "a>b", "b>a")).shape) == "{a-b}"


def test_a_group_that_closes_a_circle_is_drawn_with_a_tie() -> None:
    outline = outlined(graph("a:agent::g b c:agent::g", "a>b", "b>c", groups=[Group("g", "each")]))
    assert len(outline.ties) == 1
    assert sorted(node.id for node in leaves(outline.shape)) == ["a", "b", "c"]


@given(graphs())
def test_every_node_has_one_place_and_no_tie_leads_elsewhere(drawn: Graph) -> None:
    for outline in (outlined(drawn), listed(drawn)):
        assert sorted(node.id for node in leaves(outline.shape)) == sorted(node.id for node in drawn.nodes)
        assert {id(tie) for tie in outline.ties} <= {id(edge) for edge in drawn.edges}


@pytest.mark.parametrize("kind", ["chain", "fan", "conditions", "ladder", "nested"])
def test_thousands_of_nodes_have_their_shape_in_a_moment(kind: str) -> None:
    count = 2_000
    pairs: dict[str, list[tuple[int, int]]] = {
        "chain": [(n, n + 1) for n in range(count - 1)],
        "fan": [pair for n in range(1, count - 1) for pair in ((0, n), (n, count - 1))],
        "conditions": [
            pair for n in range(0, count - 2, 2) for pair in ((n, n + 1), (n + 1, n + 2), (n, n + 2))
        ],
        "ladder": [pair for n in range(0, count - 2, 2) for pair in ((n, n + 2), (n, n + 3), (n + 1, n + 3))],
        "nested": [pair for n in range(count // 2) for pair in ((n, n + 1), (n, count - 1 - n))],
    }
    nodes = tuple(Node(str(n), str(n), "agent") for n in range(count))
    edges = tuple(Edge(str(one), str(two)) for one, two in pairs[kind] if one != two)
    assert sum(1 for _ in leaves(outlined(Graph(nodes, edges)).shape)) == count
