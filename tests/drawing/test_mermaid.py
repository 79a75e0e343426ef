"""The Mermaid text has every node, edge and group once, and nothing of a file is read as its markup."""

from __future__ import annotations

import re

from hypothesis import given

from quintet.drawing.mermaid import mermaid
from quintet.workflow import Edge, Graph, Group, Node
from tests.drawing.graphs import graph, graphs


@given(graphs())
def test_every_node_edge_and_group_is_there_once(picture: Graph) -> None:
    lines = mermaid(picture).splitlines()
    assert lines[0] == "flowchart TD"
    assert len(lines) == 1 + len(picture.nodes) + len(picture.edges) + 2 * len(picture.groups)
    for number in range(len(picture.nodes)):
        assert len(re.findall(rf"^ *n{number}[\[({{]", mermaid(picture), re.MULTILINE)) == 1


def test_kinds_and_ways_look_different() -> None:
    assert mermaid(graph("a:input b:condition c:agent:ann", "a>b", "b>c:yes", "b<c:no")) == (
        "flowchart TD\n"
        '  n0(["a"])\n'
        '  n1{"b?"}\n'
        '  n2["c<br><i>ann</i>"]\n'
        "  n0 --> n1\n"
        '  n1 -->|"yes"| n2\n'
        '  n2 -.->|"no, at most 3 times"| n1\n'
    )


def test_what_a_file_says_is_never_markup() -> None:
    nasty = '"]; click n0 <b>`x`#quot;\nend'
    node = Node("a", nasty, "agent", None, "g")
    text = mermaid(Graph((node,), (Edge("a", "a", "back", nasty),), (Group("g", "each", nasty),)))
    assert len(text.splitlines()) == 5
    assert "<b>" not in text
    assert text.count('"') == 6
