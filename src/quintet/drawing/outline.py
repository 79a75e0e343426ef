"""Outline: a graph as people see it, before it has a place on a screen or a page.

A chain is one thing after another, a fork several ways that come together again, a loop is gone through again
and again, a frame stands around a group.  A graph may have edges that fit none of these: they are ties, and
are drawn as a number at both ends.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

from quintet.workflow import Edge, Group, Node


@dataclass(frozen=True, slots=True)
class Link:
    """A way from one thing to the next."""

    label: str = ""
    passes: bool = True
    """Whether the output is handed on; if not, the one only comes before the other."""


@dataclass(frozen=True, slots=True)
class Leaf:
    node: Node


@dataclass(frozen=True, slots=True)
class Chain:
    parts: tuple[Shape, ...]
    links: tuple[Link | None, ...]
    """Between the parts; None where the one does not follow the other."""


@dataclass(frozen=True, slots=True)
class Branch:
    body: Shape | None
    """None: straight on to where the ways come together."""
    enter: Link = Link()
    leave: Link | None = Link()
    """None: this way ends here."""


@dataclass(frozen=True, slots=True)
class Fork:
    branches: tuple[Branch, ...]


@dataclass(frozen=True, slots=True)
class Loop:
    body: Shape
    back: Edge


@dataclass(frozen=True, slots=True)
class Frame:
    group: Group
    body: Shape


Shape: TypeAlias = Leaf | Chain | Fork | Loop | Frame


@dataclass(frozen=True, slots=True)
class Outline:
    shape: Shape | None
    """None: there is nothing to draw."""
    ties: tuple[Edge, ...] = ()


def chained(first: Shape, link: Link | None, second: Shape) -> Chain:
    """Two shapes after each other; chains within chains become one."""
    head = first if isinstance(first, Chain) else Chain((first,), ())
    tail = second if isinstance(second, Chain) else Chain((second,), ())
    return Chain(head.parts + tail.parts, (*head.links, link, *tail.links))


def first_node(shape: Shape) -> Node | None:
    """The one node that a shape begins with, if there is one."""
    match shape:
        case Leaf(node):
            return node
        case Chain(parts):
            return first_node(parts[0])
        case Loop(body) | Frame(body=body):
            return first_node(body)
        case Fork():
            return None


def last_node(shape: Shape) -> Node | None:
    """The one node that a shape ends with, if there is one."""
    match shape:
        case Leaf(node):
            return node
        case Chain(parts):
            return last_node(parts[-1])
        case Loop(body) | Frame(body=body):
            return last_node(body)
        case Fork():
            return None


def leaves(shape: Shape | None) -> Iterator[Node]:
    """Every node, in the order in which they are drawn."""
    match shape:
        case None:
            return
        case Leaf(node):
            yield node
        case Chain(parts):
            for part in parts:
                yield from leaves(part)
        case Loop(body) | Frame(body=body):
            yield from leaves(body)
        case Fork(branches):
            for branch in branches:
                yield from leaves(branch.body)
