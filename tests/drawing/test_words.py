"""Pictures speak of nodes, edges and groups in plain words."""

from quintet.drawing import words
from quintet.workflow import Edge, Group, Node


def test_the_kind_of_a_node_is_told_where_its_name_does_not() -> None:
    assert words.name(Node("1", "gather", "collect")) == "gather (collect)"
    assert words.name(Node("1", "collect", "collect")) == "collect"
    assert words.name(Node("1", 'contains "x"', "condition")) == 'contains "x"?'
    assert words.marked(Node("1", "publish", "approval")) == "⏸ publish"


def test_an_agent_that_is_called_like_the_node_is_not_told_again() -> None:
    assert words.agent(Node("1", "writer", "agent", "writer")) == ""
    assert words.agent(Node("1", "draft", "agent", "writer")) == "writer"


def test_a_way_back_always_says_something() -> None:
    assert words.label(Edge("a", "a", "back")) == "again"
    assert words.label(Edge("a", "a", "back", 'until "OK"', 1)) == 'until "OK", at most 1 time'
    assert words.label(Edge("a", "b")) == ""


def test_a_group_has_a_heading() -> None:
    assert words.heading(Group("g", "each", "record")) == "for each record"
    assert words.heading(Group("g", "each")) == "for each item"
    assert words.heading(Group("g", "round")) == "each round"
    assert words.heading(Group("g", "parallel")) == "at the same time"
