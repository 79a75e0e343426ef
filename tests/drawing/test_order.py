"""What leads on is told from what closes a circle."""

from quintet.drawing.order import closing, topological


def test_an_edge_that_closes_a_circle_is_found() -> None:
    assert closing("abc", {"a": ["b"], "b": ["c"], "c": ["a"]}) == {("c", "a")}
    assert closing("abc", {"a": ["b", "c"], "b": ["c"]}) == set()


def test_a_long_chain_is_walked_without_recursion() -> None:
    chain = {n: [n + 1] for n in range(20_000)}
    assert closing(range(20_001), chain) == set()
    assert topological(range(20_001), ((n, n + 1) for n in range(20_000)))[-1] == 20_000


def test_nodes_come_after_all_that_lead_to_them_and_else_in_their_order() -> None:
    assert topological("dcba", [("a", "d"), ("b", "c")]) == ["b", "c", "a", "d"]
