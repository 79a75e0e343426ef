"""The picture in a terminal fits its width, names every node once, and is read without a legend."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quintet.drawing.cells import width
from quintet.drawing.text import drawn
from quintet.workflow import Edge, Graph, Group, Node
from tests.drawing.graphs import graph, graphs


def lines(picture: Graph, columns: int = 80, *, ascii_only: bool = False) -> list[str]:
    return ["".join(text for _, text in row) for row in drawn(picture, columns, ascii_only)]


@given(graphs(), st.integers(20, 120), st.booleans())
def test_any_graph_is_drawn_within_the_width_and_every_node_named_once(
    picture: Graph, columns: int, ascii_only: bool
) -> None:
    rows = lines(picture, columns, ascii_only=ascii_only)
    assert [row for row in rows if width(row) > columns] == []
    text = "\n".join(rows)
    assert [node.label for node in picture.nodes if text.count(node.label) != 1] == []


@given(graphs())
def test_without_unicode_lines_and_signs_are_ascii(picture: Graph) -> None:
    rows = drawn(picture, 80, True)
    assert all(text.isascii() for row in rows for role, text in row if role == "line")
    assert not set("".join(text for row in rows for _, text in row)) & set("│┌┐└┘├┤┬┴┼─┄┆▶◀⏸")


def test_a_fork_begins_and_ends_together() -> None:
    picture = graph("a b:agent:ann c:agent:bob d:collect", "a>b", "a>c", "b>d", "c>d")
    assert lines(picture) == [
        "a",
        "  ├─ b   ann ─┐",
        "  └─ c   bob ─┤",
        "  ┌───────────┘",
        "d (collect)",
    ]


def test_a_loop_is_an_arrow_back_with_its_condition_and_limit() -> None:
    assert lines(graph("a b c", "a>b", "b>c", 'b<b:until "OK"')) == [
        "    a",
        "      │",
        "┌─▶ b",
        '└─────┤ until "OK", at most 3 times',
        "      │",
        "    c",
    ]


def test_a_condition_is_a_fork_with_its_text() -> None:
    assert lines(graph("ready:condition b c", "ready>b:yes", "ready>c:no", "b>c")) == [
        "ready?",
        "  ├─ yes ── b ─┐",
        "  └─ no ───────┤",
        "  ┌────────────┘",
        "c",
    ]


def test_a_way_that_ends_leaves_the_trunk_and_does_not_come_back() -> None:
    assert lines(graph("ok:condition b c d", "ok>b:no", "ok>c:yes", "c>d")) == [
        "ok?",
        "  ├─ no ── b",
        "  │ yes",
        "  │",
        "c",
        "  │",
        "d",
    ]


def test_a_group_is_a_frame_with_its_heading() -> None:
    picture = graph("a b:agent::g c", "a>b", "b>c", groups=[Group("g", "each", "record")])
    assert lines(picture) == [
        "a",
        "  │",
        "┌─┴ for each record ┐",
        "│ b                 │",
        "└─┬─────────────────┘",
        "  │",
        "c",
    ]


def test_an_approval_has_the_sign_of_a_pause() -> None:
    assert lines(graph("publish:approval")) == ["⏸ publish"]


def test_what_only_comes_first_is_dashed() -> None:
    nodes = (Node("a", "a", "agent"), Node("b", "b", "agent"))
    assert lines(Graph(nodes, (Edge("a", "b", "after"),))) == ["a", "  ┆", "b"]


def test_ties_are_numbers_at_both_ends() -> None:
    rows = lines(graph("a b:condition c d", "a>b", "b>c:yes", "b>d:no", "a<d:again"))
    assert rows[0] == "a  ◀ (1)"
    assert "  └─ no ── d  ▶ (1) again, at most 3 times" in rows


def test_the_empty_graph_has_no_picture() -> None:
    assert drawn(Graph((), ()), 80) == []


@pytest.mark.parametrize("columns", [40, 80, 120])
def test_names_longer_than_the_screen_are_broken_and_lost_nowhere(columns: int) -> None:
    name = "".join(f"{number:03}" for number in range(40))
    assert "".join(lines(graph(name), columns)) == name


def test_what_a_file_says_cannot_move_the_cursor() -> None:
    assert "\x1b" not in "".join(lines(graph("a\x1b[2Jb", "a\x1b[2Jb<a\x1b[2Jb:\x1b[0m")))
