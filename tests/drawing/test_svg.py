"""The picture as SVG is well-formed XML that runs nothing, and names every node once."""

from __future__ import annotations

import re
from xml.etree import ElementTree

from hypothesis import given

from quintet.drawing.svg import svg
from quintet.workflow import Edge, Graph, Group, Node
from tests.drawing.graphs import graph, graphs

SVG = "{http://www.w3.org/2000/svg}"


def parsed(picture: Graph, title: str = "flow") -> ElementTree.Element:
    return ElementTree.fromstring(svg(picture, title))


def names(root: ElementTree.Element) -> list[str]:
    groups = [one for one in root.iter(f"{SVG}g") if "node" in one.get("class", "")]
    return ["".join(text.text or "" for text in one.iter(f"{SVG}text")) for one in groups]


@given(graphs())
def test_any_graph_is_well_formed_and_every_node_named_once(picture: Graph) -> None:
    root = parsed(picture)
    shown = names(root)
    assert len(shown) == len(picture.nodes)
    for node in picture.nodes:
        assert sum(name.startswith(node.label) for name in shown) == 1
    allowed = {"svg", "title", "style", "rect", "g", "text", "path", "polygon"}
    assert {one.tag.removeprefix(SVG) for one in root.iter()} <= allowed


@given(graphs())
def test_boxes_lie_on_the_page_and_none_on_another(picture: Graph) -> None:
    root = parsed(picture)
    left, top, wide, high = map(float, (root.get("viewBox") or "").split())
    boxes = [_bounds(one) for one in root.iter(f"{SVG}g") if "node" in one.get("class", "")]
    for x, y, right, bottom in boxes:
        assert left <= x < right <= left + wide
        assert top <= y < bottom <= top + high
    apart = 0.2
    for number, (x, y, right, bottom) in enumerate(boxes):
        for x2, y2, right2, bottom2 in boxes[number + 1 :]:
            beside = right <= x2 + apart or right2 <= x + apart
            assert beside or bottom <= y2 + apart or bottom2 <= y + apart


def _bounds(group: ElementTree.Element) -> tuple[float, float, float, float]:
    rect, polygon = group.find(f"{SVG}rect"), group.find(f"{SVG}polygon")
    if rect is not None:
        x, y, wide, high = (float(rect.get(key, "")) for key in ("x", "y", "width", "height"))
        return x, y, x + wide, y + high
    assert polygon is not None
    numbers = [float(number) for number in re.findall(r"[-\d.]+", polygon.get("points", ""))]
    return min(numbers[::2]), min(numbers[1::2]), max(numbers[::2]), max(numbers[1::2])


def test_what_a_file_says_is_text_and_never_markup() -> None:
    nasty = "</text><script>alert(1)</script>&\x00\ud800\uffff]]>"
    node = Node("a", nasty, "agent", nasty, "g")
    picture = Graph((node,), (Edge("a", "a", "back", nasty, 2),), (Group("g", "each", nasty),))
    text = svg(picture, nasty)
    assert "<script" not in text
    assert "alert(1)" in "".join(ElementTree.fromstring(text).itertext()).replace(" ", "")


def test_it_is_made_for_light_and_dark_and_fetches_nothing() -> None:
    text = svg(graph("a b", "a>b"), "flow")
    assert "prefers-color-scheme: dark" in text
    assert "url(" not in text
    assert "href" not in text


def test_loops_lead_back_with_their_words() -> None:
    text = svg(graph("a b", "a>b", "a<b:more"), "flow")
    assert 'class="way back"' in text
    assert ">more, at most 3 times<" in text


def test_an_empty_graph_is_an_empty_page() -> None:
    assert names(parsed(Graph((), ()))) == []
