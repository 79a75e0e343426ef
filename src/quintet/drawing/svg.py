"""The picture of a workflow as SVG: text and lines, and colours for light and for dark.

Nothing is fetched and nothing is run: no script, no font, no image.  Whatever comes from a file is text.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from html import escape

from quintet.drawing import words
from quintet.drawing.cells import width as cells
from quintet.drawing.cells import wrapped
from quintet.drawing.placing import CELL, ROW, Border, Box, Label, Page, Size, Way, page
from quintet.drawing.shaping import outlined
from quintet.problems.wording import visible
from quintet.workflow import Edge, Graph

_MARGIN = 16
_CURVE = 8.0
_LANE = 20.0
_STYLE = """
    svg { color-scheme: light dark; --paper: #ffffff; --ink: #1f2328; --quiet: #656d76; --line: #8c959f;
      --box: #f6f8fa; --border: #d0d7de; --agent: #0550ae; --fork: #9a6700; --fork-box: #fff8c5;
      --loop: #8250df; --hand: #bc4c00; --hand-box: #fff1e5; }
    @media (prefers-color-scheme: dark) {
      svg { --paper: #0d1117; --ink: #e6edf3; --quiet: #8d96a0; --line: #6e7681; --box: #161b22;
        --border: #30363d; --agent: #79c0ff; --fork: #e3b341; --fork-box: #272115; --loop: #d2a8ff;
        --hand: #ffa657; --hand-box: #2b1d10; } }
    .paper { fill: var(--paper); }
    text { font: 13px ui-sans-serif, system-ui, "Segoe UI", "Helvetica Neue", Arial, sans-serif;
      fill: var(--ink); text-anchor: middle; dominant-baseline: central; }
    .node rect, .node polygon { fill: var(--box); stroke: var(--border); stroke-width: 1.2; }
    .node .agent { fill: var(--agent); font-size: 12px; }
    .input rect, .output rect { fill: none; }
    .input text, .output text { fill: var(--quiet); }
    .condition polygon { fill: var(--fork-box); stroke: var(--fork); }
    .approval rect { fill: var(--hand-box); stroke: var(--hand); }
    .collect rect, .workflow rect { stroke-width: 2.4; }
    .way { fill: none; stroke: var(--line); stroke-width: 1.4; }
    .after { stroke-dasharray: 4 4; }
    .back { stroke: var(--loop); }
    .head { fill: var(--line); }
    .head.back { fill: var(--loop); stroke: none; }
    .label { font-size: 12px; fill: var(--fork); stroke: var(--paper); stroke-width: 5px;
      paint-order: stroke; }
    .label.back { fill: var(--loop); text-anchor: start; }
    .pause { fill: none; stroke: var(--hand); stroke-width: 3; }
    .border { fill: none; stroke: var(--line); stroke-dasharray: 2 3; }
    .heading { text-anchor: start; fill: var(--quiet); font-size: 12px; }
"""


def svg(graph: Graph, title: str) -> str:
    """A whole SVG document."""
    outline = outlined(graph)
    placed, size = (Page(), Size(0, 0, 0)) if outline.shape is None else page(outline.shape)
    ties = list(_ties(placed, outline.ties))
    wide = max([size.width, *(reach for _, reach in ties)])
    lines = [
        _opening(wide, size.height, title),
        *map(_border, placed.borders),
        *(line for way in placed.ways for line in _way(way)),
        *(line for tie, _ in ties for line in tie),
        *map(_box, placed.boxes),
        *map(_label, placed.labels),
        "</svg>",
    ]
    return "\n".join(lines) + "\n"


def _opening(wide: float, high: float, title: str) -> str:
    wide, high = wide + 2 * _MARGIN, high + 2 * _MARGIN
    box = f"{-_MARGIN} {-_MARGIN} {_n(wide)} {_n(high)}"
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{_n(wide)}" height="{_n(high)}" viewBox="{box}" '
        f'role="img">\n  <title>{_text(title)}</title>\n  <style>{_STYLE}  </style>\n'
        f'  <rect class="paper" x="{-_MARGIN}" y="{-_MARGIN}" width="{_n(wide)}" height="{_n(high)}"/>'
    )


def _box(box: Box) -> str:
    texts = [*((line, "") for line in box.name), *((line, ' class="agent"') for line in box.agent)]
    first = box.y + box.height / 2 - ROW * (len(texts) - 1) / 2
    shown = "".join(
        f'<text{kind} x="{_n(box.axis)}" y="{_n(first + ROW * row)}">{_text(line)}</text>'
        for row, (line, kind) in enumerate(texts)
    )
    sign = _pause(box) if box.node.kind == "approval" else ""
    return f'  <g class="node {box.node.kind}">{_outside(box)}{sign}{shown}</g>'


def _pause(box: Box) -> str:
    """Two bars, since few fonts have the sign."""
    x, y = box.x + 11, box.y + box.height / 2 - 5
    return f'<path class="pause" d="M{_n(x)},{_n(y)}v10m6,-10v10"/>'


def _outside(box: Box) -> str:
    """A box; of a condition one with points, since it is where ways part."""
    left, right, top, bottom = box.x, box.x + box.width, box.y, box.y + box.height
    if box.node.kind == "condition":
        middle, point = (top + bottom) / 2, 12
        corners = [
            (left, middle),
            (left + point, top),
            (right - point, top),
            (right, middle),
            (right - point, bottom),
            (left + point, bottom),
        ]
        return f'<polygon points="{" ".join(f"{_n(x)},{_n(y)}" for x, y in corners)}"/>'
    round_ = box.height / 2 if box.node.kind in {"input", "output"} else 6
    return (
        f'<rect x="{_n(left)}" y="{_n(top)}" width="{_n(box.width)}" height="{_n(box.height)}" '
        f'rx="{_n(round_)}"/>'
    )


def _way(way: Way) -> Iterator[str]:
    classes = "way" + (" after" if way.dashed else "") + (" back" if way.back else "")
    yield f'  <path class="{classes}" d="{_cornered(way.points) if way.back else _bent(way.points)}"/>'
    if way.arrow:
        yield _head(way.points[-1], leftwards=way.back)


def _bent(points: Sequence[tuple[float, float]]) -> str:
    """Down from point to point; where the next is not straight below, in a curve."""
    (x, y), *others = points
    path = [f"M{_n(x)},{_n(y)}"]
    for to_x, to_y in others:
        if abs(to_x - x) < 0.5:
            path.append(f"L{_n(to_x)},{_n(to_y)}")
        else:
            middle = (y + to_y) / 2
            path.append(f"C{_n(x)},{_n(middle)} {_n(to_x)},{_n(middle)} {_n(to_x)},{_n(to_y)}")
        x, y = to_x, to_y
    return "".join(path)


def _cornered(points: Sequence[tuple[float, float]]) -> str:
    """Round the four corners of a loop: right, up and back left."""
    (x, bottom), (lane, _), (_, top), _ = points
    return (
        f"M{_n(x)},{_n(bottom)}H{_n(lane - _CURVE)}Q{_n(lane)},{_n(bottom)} {_n(lane)},{_n(bottom - _CURVE)}"
        f"V{_n(top + _CURVE)}Q{_n(lane)},{_n(top)} {_n(lane - _CURVE)},{_n(top)}H{_n(x + 2)}"
    )


def _head(point: tuple[float, float], *, leftwards: bool) -> str:
    x, y = point
    if leftwards:
        return f'  <path class="head back" d="M{_n(x + 1)},{_n(y)}l8,-4v8z"/>'
    return f'  <path class="head" d="M{_n(x)},{_n(y)}l-4,-8h8z"/>'


def _label(label: Label) -> str:
    first = label.y - ROW * (len(label.lines) - 1) / 2
    classes = "label back" if label.back else "label"
    return "  " + "".join(
        f'<text class="{classes}" x="{_n(label.x)}" y="{_n(first + ROW * row)}">{_text(line)}</text>'
        for row, line in enumerate(label.lines)
    )


def _border(border: Border) -> str:
    return (
        f'  <rect class="border" x="{_n(border.x)}" y="{_n(border.y)}" width="{_n(border.width)}" '
        f'height="{_n(border.height)}" rx="8"/><text class="heading" x="{_n(border.x + 10)}" '
        f'y="{_n(border.y + ROW / 2 + 4)}">{_text(border.heading)}</text>'
    )


def _ties(placed: Page, edges: Iterable[Edge]) -> Iterator[tuple[list[str], float]]:
    """Edges of no shape, each in a lane right of all that it passes, and how far right it reaches."""
    boxes = {box.node.id: box for box in placed.boxes}
    for number, edge in enumerate(edges):
        source, target = boxes[edge.source], boxes[edge.target]
        start = (source.x + source.width, source.y + source.height / 2 + 4)
        end = (target.x + target.width, target.y + target.height / 2 - 4)
        upper, lower = sorted((source.y, target.y))
        passed = max(box.x + box.width for box in boxes.values() if upper <= box.y <= lower)
        yield _tie(edge, start, end, passed + _LANE + number % 8 * _LANE / 2)


def _tie(
    edge: Edge, start: tuple[float, float], end: tuple[float, float], lane: float
) -> tuple[list[str], float]:
    (x, y), (to_x, to_y) = start, end
    bend = _CURVE if to_y > y else -_CURVE
    path = (
        f"M{_n(x)},{_n(y)}H{_n(lane - _CURVE)}Q{_n(lane)},{_n(y)} {_n(lane)},{_n(y + bend)}"
        f"V{_n(to_y - bend)}Q{_n(lane)},{_n(to_y)} {_n(lane - _CURVE)},{_n(to_y)}H{_n(to_x + 4)}"
    )
    back = " back" if edge.kind == "back" else ""
    classes = "way after" if edge.kind == "after" else "way"
    lines = [
        f'  <path class="{classes}{back}" d="{path}"/>',
        f'  <path class="head{back}" d="M{_n(to_x + 1)},{_n(to_y)}l8,-4v8z"/>',
    ]
    text = wrapped(words.label(edge), 22)
    if words.label(edge):
        lines.append(_label(Label(tuple(text), lane + 8, (y + to_y) / 2, back=True)))
    return lines, lane + 12 + max(map(cells, text)) * CELL


def _n(number: float) -> str:
    """A number, as short as it can be."""
    return f"{number:.1f}".removesuffix(".0")


def _text(text: str) -> str:
    """Text for XML, which cannot hold some characters at all."""
    return escape(visible(text).replace("\ufffe", "\ufffd").replace("\uffff", "\ufffd"))
