"""Placing: where everything of an outline stands on a page.

Every shape has an axis, a vertical line on which it is entered from above and left below.  A chain puts its
parts under each other with their axes in one line; a fork puts its ways side by side and bends lines from its
axis to theirs and back; a loop needs a lane on its right.  All sizes follow from the text.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from quintet.drawing import words
from quintet.drawing.cells import width, wrapped
from quintet.drawing.outline import Branch, Chain, Fork, Frame, Leaf, Link, Loop, Shape
from quintet.workflow import Node

CELL, ROW = 7.6, 17.0
"""How wide a character is, at most, and how high a line of text."""
_PAD, _GAP, _BETWEEN, _BEND, _LANE, _TURN = 14.0, 30.0, 26.0, 34.0, 22.0, 16.0
_NAME, _LABEL = 28, 22
"""After how many characters names and labels are broken."""


@dataclass(frozen=True, slots=True)
class Box:
    """A node: its text, and the rectangle around it."""

    node: Node
    name: tuple[str, ...]
    agent: tuple[str, ...]
    x: float
    y: float
    width: float
    height: float

    @property
    def axis(self) -> float:
        return self.x + self.width / 2


@dataclass(frozen=True, slots=True)
class Way:
    """A line: straight down, bent from one axis to another, or round a loop."""

    points: tuple[tuple[float, float], ...]
    arrow: bool = False
    dashed: bool = False
    back: bool = False


@dataclass(frozen=True, slots=True)
class Label:
    lines: tuple[str, ...]
    x: float
    y: float
    """The middle of the text; of the label of a way back its left end."""
    back: bool = False


@dataclass(frozen=True, slots=True)
class Border:
    heading: str
    x: float
    y: float
    width: float
    height: float


@dataclass(slots=True)
class Page:
    """All that is to be drawn."""

    boxes: list[Box] = field(default_factory=list[Box])
    ways: list[Way] = field(default_factory=list[Way])
    labels: list[Label] = field(default_factory=list[Label])
    borders: list[Border] = field(default_factory=list[Border])


@dataclass(frozen=True, slots=True)
class Size:
    """The room that a shape needs, and how far from its left edge its axis is."""

    width: float
    height: float
    axis: float


def page(shape: Shape) -> tuple[Page, Size]:
    """Everything placed, and how large the page is."""
    placing = _Placing()
    size = placing.size(shape)
    placing.place(shape, size.axis, 0)
    return placing.page, size


class _Placing:
    def __init__(self) -> None:
        self.page = Page()
        self._sizes: dict[int, Size] = {}

    # --- how large ------------------------------------------------------------------------------------

    def size(self, shape: Shape) -> Size:
        """Known once for each shape, since the shapes around it ask again and again."""
        known = self._sizes.get(id(shape))
        if known is None:
            known = self._sizes[id(shape)] = self._measured(shape)
        return known

    def _measured(self, shape: Shape) -> Size:
        match shape:
            case Leaf(node):
                return _node_size(node)
            case Chain(parts, links):
                return _under_each_other(
                    [self.size(part) for part in parts], sum(_gap_of(link) for link in links)
                )
            case Fork(branches):
                return self._fork_size(branches)
            case Loop(body, back):
                inner, label = self.size(body), _label_width(words.label(back))
                right = max(inner.width - inner.axis, 0) + _LANE + label + 8
                return Size(inner.axis + right, inner.height + 2 * _TURN, inner.axis)
            case Frame(group, body):
                inner = self.size(body)
                wide = max(inner.width, width(words.heading(group)) * CELL)
                axis = inner.axis + (wide - inner.width) / 2
                return Size(wide + 2 * _PAD, inner.height + 2 * _PAD + ROW, axis + _PAD)

    def _fork_size(self, branches: Sequence[Branch]) -> Size:
        columns = [self._column(branch) for branch in branches]
        wide = sum(column.width for column in columns) + _BETWEEN * (len(columns) - 1)
        tall = max(column.height for column in columns)
        return Size(wide, _top(branches) + tall + _bottom(branches), _fork_axis(branches, columns))

    def _column(self, branch: Branch) -> Size:
        """What one way of a fork needs, with its labels."""
        inner = Size(0, 0, 0) if branch.body is None else self.size(branch.body)
        label = max(
            _label_width(branch.enter.label), _label_width(branch.leave.label if branch.leave else "")
        )
        left, right = max(inner.axis, label / 2, 12), max(inner.width - inner.axis, label / 2, 12)
        return Size(left + right, inner.height, left)

    # --- where ----------------------------------------------------------------------------------------

    def place(self, shape: Shape, axis: float, y: float) -> float:
        """Places a shape, and gives the row where it is left."""
        match shape:
            case Leaf(node):
                return self._node(node, axis, y)
            case Chain(parts, links):
                return self._chain(parts, links, axis, y)
            case Fork(branches):
                return self._fork(shape, branches, axis, y)
            case Loop():
                return self._loop(shape, axis, y)
            case Frame():
                return self._frame(shape, axis, y)

    def _node(self, node: Node, axis: float, y: float) -> float:
        size = _node_size(node)
        name, agent = _texts(node)
        box = Box(node, name, agent, axis - size.width / 2, y, size.width, size.height)
        self.page.boxes.append(box)
        return y + size.height

    def _chain(self, parts: Sequence[Shape], links: Sequence[Link | None], axis: float, y: float) -> float:
        y = self.place(parts[0], axis, y)
        for link, part in zip(links, parts[1:], strict=True):
            below = y + _gap_of(link)
            if link is not None:
                self._down(axis, y, below, link, arrow=_is_boxed(part))
            y = self.place(part, axis, below)
        return y

    def _down(self, axis: float, top: float, bottom: float, link: Link, *, arrow: bool) -> None:
        self.page.ways.append(Way(((axis, top), (axis, bottom)), arrow, not link.passes))
        self._label(link.label, axis, (top + bottom) / 2 - 4)

    def _label(self, text: str, x: float, y: float, *, back: bool = False) -> None:
        if text:
            self.page.labels.append(Label(tuple(wrapped(text, _LABEL)), x, y, back))

    def _fork(self, fork: Fork, branches: Sequence[Branch], axis: float, y: float) -> float:
        size = self.size(fork)
        left = axis - size.axis
        top, bottom = y + _top(branches), y + size.height - _bottom(branches)
        for branch in branches:
            column = self._column(branch)
            self._way(branch, (axis, left + column.axis), (y, top, bottom, y + size.height))
            left += column.width + _BETWEEN
        return y + size.height

    def _way(
        self, branch: Branch, axes: tuple[float, float], rows: tuple[float, float, float, float]
    ) -> None:
        """One way of a fork, bent from the fork's axis to its own and back."""
        (axis, own), (y, top, bottom, end) = axes, rows
        body, enter, leave = branch.body, branch.enter, branch.leave
        arrow = body is not None and _is_boxed(body)
        if y > 0 or enter.label:  # at the top of the page there is nothing to come from
            self.page.ways.append(Way(((axis, y), (own, top)), arrow, not enter.passes))
        self._label(enter.label, own, top - 8 - ROW * len(wrapped(enter.label, _LABEL)) / 2)
        below = top if body is None else self.place(body, own, top)
        if leave is not None:
            self.page.ways.append(Way(((own, below), (own, bottom), (axis, end)), False, not leave.passes))
            self._label(leave.label, own, bottom + 6 + _label_height(leave.label) / 2)

    def _loop(self, loop: Loop, axis: float, y: float) -> float:
        inner = self.size(loop.body)
        top, end = y + _TURN, y + 2 * _TURN + inner.height
        lane = axis + inner.width - inner.axis + _LANE
        self.page.ways.append(Way(((axis, y), (axis, top)), _is_boxed(loop.body)))
        below = self.place(loop.body, axis, top)
        self.page.ways.append(Way(((axis, below), (axis, end))))
        turn = end - _TURN / 2
        corners = ((axis, turn), (lane, turn), (lane, y), (axis, y))
        self.page.ways.append(Way(corners, arrow=True, back=True))
        label = words.label(loop.back)
        self._label(label, lane + 8, (y + turn) / 2, back=True)
        return end

    def _frame(self, frame: Frame, axis: float, y: float) -> float:
        size, heading = self.size(frame), words.heading(frame.group)
        self.page.borders.append(Border(heading, axis - size.axis, y, size.width, size.height))
        self.place(frame.body, axis, y + _PAD + ROW)
        return y + size.height


def _node_size(node: Node) -> Size:
    name, agent = _texts(node)
    wide = max([width(line) for line in (*name, *agent)]) * CELL + 2 * _PAD
    if node.kind in {"condition", "approval"}:  # for the points, or for the sign
        wide += 2 * _PAD
    return Size(wide, ROW * (len(name) + len(agent)) + _PAD, wide / 2)


def _texts(node: Node) -> tuple[tuple[str, ...], tuple[str, ...]]:
    agent = words.agent(node)
    return tuple(wrapped(words.name(node), _NAME)), tuple(wrapped(agent, _NAME)) if agent else ()


def _under_each_other(sizes: Sequence[Size], gaps: float) -> Size:
    left = max(size.axis for size in sizes)
    right = max(size.width - size.axis for size in sizes)
    return Size(left + right, sum(size.height for size in sizes) + gaps, left)


def _fork_axis(branches: Sequence[Branch], columns: Sequence[Size]) -> float:
    """In the middle; where only one way goes on, that one is straight."""
    axes = list(_axes(columns))
    on = [axis for axis, branch in zip(axes, branches, strict=True) if branch.leave is not None]
    return on[0] if len(on) == 1 else (axes[0] + axes[-1]) / 2


def _axes(columns: Sequence[Size]) -> Iterator[float]:
    left = 0.0
    for column in columns:
        yield left + column.axis
        left += column.width + _BETWEEN


def _gap_of(link: Link | None) -> float:
    return _GAP + (0 if link is None else _label_height(link.label))


def _top(branches: Sequence[Branch]) -> float:
    return _BEND + max(_label_height(branch.enter.label) for branch in branches)


def _bottom(branches: Sequence[Branch]) -> float:
    return _BEND + max(_label_height(branch.leave.label if branch.leave else "") for branch in branches)


def _label_height(text: str) -> float:
    return ROW * len(wrapped(text, _LABEL)) if text else 0


def _label_width(text: str) -> float:
    return max(map(width, wrapped(text, _LABEL))) * CELL if text else 0


def _is_boxed(shape: Shape) -> bool:
    """Whether a line that leads to a shape ends at a border."""
    match shape:
        case Leaf() | Frame():
            return True
        case Chain(parts):
            return _is_boxed(parts[0])
        case Fork() | Loop():
            return False
