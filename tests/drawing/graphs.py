"""Graphs to draw: short ways to write them, and any at all."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import strategies as st

from quintet.workflow import Edge, EdgeKind, Graph, Group, Node, NodeKind

_KINDS: dict[str, NodeKind] = {
    "agent": "agent",
    "collect": "collect",
    "condition": "condition",
    "approval": "approval",
    "tool": "tool",
    "workflow": "workflow",
    "input": "input",
    "output": "output",
}


def graph(nodes: str, *edges: str, groups: Sequence[Group] = ()) -> Graph:
    """Nodes as `name:kind:agent:group`; edges as `source>target:label`, ways back with `<`."""
    return Graph(tuple(map(_node, nodes.split())), tuple(map(_edge, edges)), tuple(groups))


def _node(text: str) -> Node:
    name, kind, agent, group = [*text.split(":"), "", "", ""][:4]
    return Node(name, name, _KINDS[kind or "agent"], agent or None, group or None)


def _edge(text: str) -> Edge:
    ends, _, label = text.partition(":")
    if "<" in ends:
        target, _, source = ends.partition("<")
        return Edge(source, target, "back", label, 3)
    source, _, target = ends.partition(">")
    return Edge(source, target, "next", label)


@st.composite
def graphs(draw: st.DrawFn) -> Graph:
    """Any graph: with circles that nobody calls ways back, with groups within groups, and in pieces."""
    count = draw(st.integers(1, 14))
    groups = [
        Group(
            f"g{number}",
            draw(st.sampled_from(["parallel", "round", "each"])),
            draw(st.sampled_from(["", "records", "für jeden der 記録 hier"])),
            draw(st.sampled_from([None, *(f"g{one}" for one in range(number))])),
        )
        for number in range(draw(st.integers(0, 3)))
    ]
    nodes = [
        Node(
            str(number),
            draw(st.sampled_from(["n{}.", "步{}.", "a\u0301{}.", "🧑\u200d🔬{}."])).format(number),
            draw(st.sampled_from(list(_KINDS.values()))),
            draw(st.sampled_from([None, "writer", "an-agent-with-quite-a-long-name"])),
            draw(st.sampled_from([None, *(group.id for group in groups)])),
        )
        for number in range(count)
    ]
    ends = st.integers(0, count - 1)
    edges = [_any_edge(draw, draw(ends), draw(ends)) for _ in range(draw(st.integers(0, 2 * count)))]
    chain = [Edge(str(n), str(n + 1)) for n in range(count - 1) if draw(st.booleans())]
    return Graph(tuple(nodes), (*chain, *edges), tuple(groups))


def _any_edge(draw: st.DrawFn, one: int, other: int) -> Edge:
    kind: EdgeKind = draw(st.sampled_from(["next", "next", "after", "back"]))
    label = draw(st.sampled_from(["", "", "yes", 'until "APPROVED"', "so lange, bis alle damit 満足 sind"]))
    limit = draw(st.sampled_from([None, 5])) if kind == "back" else None
    source, target = (one, other) if kind == "back" or draw(st.booleans()) else sorted((one, other))
    return Edge(str(source), str(target), kind, label, limit)
