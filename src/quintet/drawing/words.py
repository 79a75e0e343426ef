"""Words: how a picture speaks of nodes, loops and groups, the same in every layout."""

from __future__ import annotations

from quintet.problems.wording import visible
from quintet.workflow import Edge, Group, Node

PAUSE = "⏸"
_LOUD = {"collect", "tool", "workflow"}
"""Kinds that the name alone does not tell."""


def name(node: Node) -> str:
    """What a node is called, as it is drawn: `gather (collect)`, `contains "ERROR"?`."""
    label = visible(node.label)
    match node.kind:
        case "condition":
            return label if label.endswith("?") else f"{label}?"
        case kind if kind in _LOUD and label != kind:
            return f"{label} ({kind})"
        case _:
            return label


def marked(node: Node) -> str:
    """The name after the sign of what stops the run: `⏸ publish`."""
    return f"{PAUSE} {name(node)}" if node.kind == "approval" else name(node)


def agent(node: Node) -> str:
    """Who does it, unless the node is called so anyway."""
    return "" if node.agent is None or node.agent == node.label else visible(node.agent)


def label(edge: Edge) -> str:
    """What stands on an edge: its condition, and how often it leads round at most."""
    limit = "" if edge.limit is None else f"at most {edge.limit:,} {'time' if edge.limit == 1 else 'times'}"
    if edge.kind == "back" and not edge.label and not limit:
        return "again"
    return ", ".join(filter(None, [visible(edge.label), limit]))


def heading(group: Group) -> str:
    """What stands over a group."""
    given = visible(group.label)
    match group.kind:
        case "parallel":
            return given or "at the same time"
        case "each":
            return f"for each {given}" if given else "for each item"
        case "round":
            return given or "each round"
