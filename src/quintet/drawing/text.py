"""The picture of a workflow for a terminal, at any width.

    research             researcher
      ├─ creative-ideas    writer     ─┐
      ├─ technical-ideas   architect  ─┤
      └─ business-ideas    analyst    ─┤
      ┌────────────────────────────────┘
    gather (collect)

Everything hangs on a trunk, two columns right of where the names begin.  A fork's ways leave it to the right
and end in a line there, which comes back to the trunk.  A loop is an arrow left of the trunk.  Where all this
needs more room than there is, the nodes are listed, and numbers say what follows what.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from quintet.drawing import words
from quintet.drawing.canvas import DOWN, UP, Canvas, Role, Row
from quintet.drawing.cells import width, wrapped
from quintet.drawing.columns import (
    ARROW,
    CLOSE,
    ROOM,
    SIDE,
    TRUNK,
    agents_column,
    agents_columns,
    arrows,
    entry,
    is_short,
)
from quintet.drawing.outline import Branch, Chain, Fork, Frame, Leaf, Link, Loop, Outline, Shape
from quintet.drawing.shaping import listed, outlined
from quintet.drawing.ties import Ties
from quintet.workflow import Edge, Graph, Node

NARROWEST = 20
"""No picture is drawn for less."""
Point: TypeAlias = tuple[int, int]


def drawn(graph: Graph, columns: int, ascii_only: bool = False) -> list[Row]:
    """The rows of the picture, none wider than `columns`."""
    columns = max(columns, NARROWEST)
    try:
        return _rows(outlined(graph), columns, ascii_only)
    except TooNarrow:
        return _rows(listed(graph), columns, ascii_only)


class TooNarrow(Exception):
    """The shape is nested too deep for this width."""


@dataclass(frozen=True, slots=True)
class Placed:
    """Where something ended up."""

    bottom: int
    """The first row below it."""
    right: int
    """The first column right of it."""
    way_out: Point | None
    """Where a line to the right may begin; None where nothing goes on that way."""
    trunk: bool
    """Whether it goes on downwards on its trunk."""


def _rows(outline: Outline, columns: int, ascii_only: bool) -> list[Row]:
    canvas = Canvas(ascii_only)
    if outline.shape is not None:
        _Layout(canvas, Ties(outline.ties)).place(outline.shape, 0, 0, columns)
    return [_trimmed(row) for row in canvas.rows()]


def _trimmed(row: Row) -> Row:
    """Without spaces at the end."""
    stretches = list(row)
    while stretches and not stretches[-1][1].rstrip():
        stretches.pop()
    if stretches:
        role, text = stretches[-1]
        stretches[-1] = (role, text.rstrip())
    return tuple(stretches)


class _Layout:
    """Places shapes on a canvas: `x` is where names begin, `room` how many columns there are from there."""

    def __init__(self, canvas: Canvas, ties: Ties) -> None:
        self._canvas = canvas
        self._ties = ties

    def place(self, shape: Shape, x: int, y: int, room: int) -> Placed:
        gutter = ARROW * arrows(shape)
        return self._placed(shape, x + gutter, y, room - gutter, agents_column([shape], room - gutter))

    def _placed(self, shape: Shape, x: int, y: int, room: int, agents_at: int) -> Placed:
        if room < ROOM:
            raise TooNarrow
        match shape:
            case Leaf(node):
                return self._node(node, x, y, room, agents_at)
            case Chain(parts, links):
                return self._chain(parts, links, x, y, room, agents_at)
            case Fork(branches):
                return self._fork(branches, x, y, room)
            case Loop(body, back):
                return self._loop(body, back, x, y, room, agents_at)
            case Frame():
                return self._frame(shape, x, y, room)

    # --- nodes ----------------------------------------------------------------------------------------

    def _node(self, node: Node, x: int, y: int, room: int, agents_at: int) -> Placed:
        name = wrapped(words.marked(node), room)
        widest, bottom = max(map(width, name)), y + len(name)
        for row, line in enumerate(name, y):
            self._canvas.write(x, row, line, _role(node))
        right = x + width(name[-1])
        for text, role in self._beside(node):
            at = x + agents_at if right < x + agents_at and role == "agent" else right + 2
            if at + width(text) <= x + room:
                right = self._canvas.write(at, bottom - 1, text, role)
                widest = max(widest, right - x)
                continue
            for line in wrapped(text, room - TRUNK - 2):
                right = self._canvas.write(x + TRUNK + 2, bottom, line, role)
                widest = max(widest, right - x)
                bottom += 1
        return Placed(bottom, x + widest, (right + 1, bottom - 1), True)

    def _beside(self, node: Node) -> Iterator[tuple[str, Role]]:
        """What stands right of a name."""
        agent = words.agent(node)
        if agent:
            yield agent, "agent"
        for text in self._ties.at(node.id):
            yield text, "loop"

    # --- one after another ----------------------------------------------------------------------------

    def _chain(
        self, parts: Sequence[Shape], links: Sequence[Link | None], x: int, y: int, room: int, agents_at: int
    ) -> Placed:
        placed = self._placed(parts[0], x, y, room, agents_at)
        right = placed.right
        for before, link, part in zip(parts, links, parts[1:], strict=False):
            y = self._between(placed, before, link, part, x, room)
            placed = self._placed(part, x, y, room, agents_at)
            right = max(right, placed.right)
        return Placed(placed.bottom, right, placed.way_out, placed.trunk)

    def _between(
        self, placed: Placed, before: Shape, link: Link | None, part: Shape, x: int, room: int
    ) -> int:
        """Draws the way from one part to the next, and gives the row where that begins."""
        trunk, y = x + TRUNK, placed.bottom
        if link is None:
            return y + 1
        returned = not placed.trunk and placed.way_out is not None
        if returned:
            y = self._return(placed, trunk)
        if isinstance(before, Frame):
            self._canvas.arm(trunk, y - 1, DOWN)
        for line in _label_lines(link, room - TRUNK - 2):
            self._canvas.through(trunk, y)
            self._canvas.write(trunk + 2, y, line, "condition")
            y += 1
        if not (isinstance(part, Fork) or link.label or returned):
            self._canvas.through(trunk, y, dashed=not link.passes)
            y += 1
        if isinstance(part, Fork | Frame):
            self._canvas.arm(trunk, y, UP)
        return y

    def _return(self, placed: Placed, trunk: int) -> int:
        """A line from the right end of a fork down and back to the trunk."""
        assert placed.way_out is not None
        x, y = placed.way_out
        self._canvas.down(x, y, placed.bottom)
        self._canvas.across(trunk, x, placed.bottom)
        self._canvas.arm(trunk, placed.bottom, DOWN)
        return placed.bottom + 1

    # --- ways beside each other -----------------------------------------------------------------------

    def _fork(self, branches: Sequence[Branch], x: int, y: int, room: int) -> Placed:
        *others, last = branches
        if _straight_on(last) and all(branch.leave is None for branch in others):
            return self._asides(others, last, x, y, room)
        return self._ways(branches, x, y, room)

    def _asides(self, branches: Sequence[Branch], on: Branch, x: int, y: int, room: int) -> Placed:
        """Ways that end, left of which the trunk goes on."""
        trunk, right = x + TRUNK, x + TRUNK
        for branch, agents_at in zip(branches, agents_columns(branches, room), strict=True):
            placed = self._way(branch, x, y, room, agents_at)
            self._canvas.arm(trunk, y, UP)
            self._canvas.down(trunk, y, placed.bottom)
            y, right = placed.bottom, max(right, placed.right)
        for line in _label_lines(on.enter, room - TRUNK - 2):
            self._canvas.through(trunk, y)
            right = max(right, self._canvas.write(trunk + 2, y, line, "condition"))
            y += 1
        self._canvas.arm(trunk, y, UP)
        return Placed(y, right, None, True)

    def _ways(self, branches: Sequence[Branch], x: int, y: int, room: int) -> Placed:
        """Ways that come together again in a line on the right."""
        top, starts, ways = y, list[int](), list[Placed]()
        for branch, agents_at in zip(branches, agents_columns(branches, room), strict=True):
            if ways and ways[-1].bottom - starts[-1] > 1:
                y += 1  # what takes several rows stands apart
            starts.append(y)
            ways.append(self._way(branch, x, y, room, agents_at))
            y = ways[-1].bottom
        self._canvas.down(x + TRUNK, top, starts[-1])
        out = [(*way.way_out, branch) for way, branch in zip(ways, branches, strict=True) if way.way_out]
        right = 1 + max(*(way.right for way in ways), *(left for left, _, _ in out), 0)
        for left, row, branch in out:
            self._canvas.across(left, right, row, dashed=branch.leave is not None and not branch.leave.passes)
        if not out:
            return Placed(y, right, None, False)
        self._canvas.down(right, out[0][1], out[-1][1])
        return Placed(y, right + 1, (right, out[-1][1]), False)

    def _way(self, branch: Branch, x: int, y: int, room: int, agents_at: int) -> Placed:
        """One way of a fork, from the trunk to where it ends."""
        trunk, at = x + TRUNK, x + SIDE
        inner = room - SIDE - CLOSE
        if inner < ROOM:
            raise TooNarrow
        label, body = branch.enter.label, branch.body
        start, row = trunk, y
        if label and (body is None or is_short(branch, inner)):
            start, row = self._signpost(label, trunk, y, inner)
            at = start + 3
        if body is None:
            return Placed(row + 1, start, (start, row), False)
        if label and start == trunk:
            y = self._heading(label, trunk, y, inner)
        name = at + ARROW * arrows(body)
        if row == y:
            self._canvas.across(start, entry(body, name), y)
        room -= name - x + CLOSE
        aligned = agents_at - (name - x - SIDE) if isinstance(body, Leaf) else agents_column([body], room)
        placed = self._placed(body, name, y, room, max(aligned, 0))
        return self._leaving(placed, branch.leave, name, room)

    def _signpost(self, label: str, trunk: int, y: int, room: int) -> tuple[int, int]:
        """A label on the line of a way, `├─ yes ──`, and where the line goes on."""
        lines = wrapped(label, room)
        self._canvas.across(trunk, trunk + 1, y)
        for row, line in enumerate(lines, y):
            self._canvas.write(trunk + 3, row, line, "condition")
        return trunk + 4 + width(lines[-1]), y + len(lines) - 1

    def _heading(self, label: str, trunk: int, y: int, room: int) -> int:
        """A label over a way, where it is too long to stand on its line."""
        self._canvas.across(trunk, trunk + 1, y)
        for line in wrapped(label, room):
            self._canvas.write(trunk + 3, y, line, "condition")
            y += 1
        return y

    def _leaving(self, placed: Placed, leave: Link | None, name: int, room: int) -> Placed:
        """How a way goes on to the right when all of it is placed."""
        if leave is None or (placed.way_out is None and not placed.trunk):
            return Placed(placed.bottom, placed.right, None, False)
        bottom = placed.bottom
        if placed.way_out is not None:
            x, y = placed.way_out
        else:
            x, y = name + TRUNK, bottom
            self._canvas.arm(x, y, UP)
            bottom += 1
        if leave.label and x + 3 + width(leave.label) < name + room:
            self._canvas.across(x, x + 1, y)
            x = self._canvas.write(x + 3, y, leave.label, "condition") + 1
        elif leave.label:
            for y, line in enumerate(wrapped(leave.label, room - 1), bottom):
                x = self._canvas.write(name, y, line, "condition") + 1
            bottom = y + 1
        return Placed(bottom, max(placed.right, x - 1), (x, y), False)

    # --- again and again ------------------------------------------------------------------------------

    def _loop(self, body: Shape, back: Edge, x: int, y: int, room: int, agents_at: int) -> Placed:
        placed = self._placed(body, x, y, room, agents_at)
        trunk, arrow, end = x + TRUNK, x - ARROW * (1 + arrows(body)), placed.bottom
        if not placed.trunk and placed.way_out is not None:
            end = self._return(placed, trunk)
        self._canvas.across(arrow, x - 2, y, "loop")
        self._canvas.write(x - 2, y, "▶", "loop")
        self._canvas.down(arrow, y, end, "loop")
        self._canvas.across(arrow, trunk, end, "loop")
        label = wrapped(words.label(back), room - TRUNK - 2)
        for row, line in enumerate(label, end):
            self._canvas.through(trunk, row)
            self._canvas.write(trunk + 2, row, line, "loop")
        right = max(placed.right, trunk + 2 + max(map(width, label)))
        bottom = end + len(label)
        return Placed(bottom, right, (trunk + 3 + width(label[-1]), bottom - 1), True)

    # --- groups ---------------------------------------------------------------------------------------

    def _frame(self, frame: Frame, x: int, y: int, room: int) -> Placed:
        heading = wrapped(words.heading(frame.group), room - 6, most=1)[0]
        placed = self.place(frame.body, x + 2, y + 1, room - 4)
        bottom = placed.bottom
        right = max(placed.right + 1, x + 5 + width(heading))
        self._canvas.across(x, right, y, "quiet")
        self._canvas.across(x, right, bottom, "quiet")
        self._canvas.down(x, y, bottom, "quiet")
        self._canvas.down(right, y, bottom, "quiet")
        self._canvas.write(x + 3, y, f" {heading} ", "condition")
        return Placed(bottom + 1, right + 1, (right, bottom), True)


def _role(node: Node) -> Role:
    match node.kind:
        case "input" | "output":
            return "quiet"
        case "condition":
            return "condition"
        case "approval":
            return "approval"
        case _:
            return "name"


def _label_lines(link: Link, room: int) -> list[str]:
    return wrapped(link.label, room) if link.label else []


def _straight_on(branch: Branch) -> bool:
    return branch.body is None and branch.leave is not None
