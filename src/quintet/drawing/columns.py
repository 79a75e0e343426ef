"""Columns: where things of a terminal picture begin, before anything is drawn.

Names begin in one column, the trunk runs two right of it, and agents stand below each other right of the
longest name.  The arrows of loops run left of the names.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from quintet.drawing import words
from quintet.drawing.cells import width
from quintet.drawing.outline import Branch, Chain, Fork, Frame, Leaf, Loop, Shape
from quintet.workflow import Node

TRUNK = 2
SIDE, CLOSE = 5, 3
"""What a fork takes left of the names of its ways, and right of them."""
_APART = 16
ROOM = 10
"""The least room for a name."""
ARROW = 4
"""How far left of the names the arrow of a loop runs."""


def arrows(shape: Shape) -> int:
    """How many arrows run left of a shape."""
    match shape:
        case Loop(body):
            return 1 + arrows(body)
        case Chain(parts):
            return max(map(arrows, parts))
        case _:
            return 0


def _leaves(shape: Shape | None) -> Iterator[Node]:
    """The nodes on the trunk of a shape."""
    match shape:
        case Leaf(node):
            yield node
        case Loop(body):
            yield from _leaves(body)
        case Chain(parts):
            for part in parts:
                yield from _leaves(part)
        case _:
            return


def agents_column(shapes: Sequence[Shape | None], room: int) -> int:
    """The column where agents stand below each other: right of the longest name that leaves them room."""
    nodes = [node for shape in shapes for node in _leaves(shape) if words.agent(node)]
    names = [wide for node in nodes if (wide := width(words.marked(node))) <= room * 2 // 3]
    return max(names, default=0) + 3


def agents_columns(branches: Sequence[Branch], room: int) -> list[int]:
    """Where the agents of each way stand: below each other, unless the names are too different for that."""
    inner = room - SIDE - CLOSE
    ends = [_name_end(branch, inner) for branch in branches]
    known = [end for end in ends if end]
    apart = max(known, default=0) - min(known, default=0) > _APART
    return [(end if apart else max(known, default=0)) + 3 for end in ends]


def _name_end(branch: Branch, room: int) -> int:
    """How far the label and the name of a way reach, where it is a single node."""
    if not isinstance(branch.body, Leaf):
        return 0
    label = width(branch.enter.label) + 4 if branch.enter.label and is_short(branch, room) else 0
    return label + width(words.marked(branch.body.node))


def is_short(branch: Branch, room: int) -> bool:
    """Whether a label leaves enough room on its line."""
    wide = width(branch.enter.label)
    return wide <= max(room // 3, 5) and room - wide - 4 >= ROOM


def entry(shape: Shape, name: int) -> int:
    """The column where a line from the left meets a shape whose names begin at `name`."""
    match shape:
        case Leaf():
            return name - 2
        case Chain(parts):
            return entry(parts[0], name)
        case Fork():
            return name + TRUNK
        case Loop():
            return name - ARROW * arrows(shape)
        case Frame():
            return name
