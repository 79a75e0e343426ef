"""A conversation is a chain: its head stands for all of it, and for nothing else."""

from hypothesis import given
from hypothesis import strategies as st

from quintet.agents.messages import ToolCall, assistant, calls, failed, head, result, text, user

MESSAGES = st.lists(st.text(max_size=5).map(user) | st.text(max_size=5).map(assistant), max_size=5)


@given(MESSAGES, MESSAGES)
def test_a_chain_can_be_built_in_parts(first: list[dict[str, str]], second: list[dict[str, str]]) -> None:
    assert head(head(None, first), second) == head(None, [*first, *second])


@given(MESSAGES, MESSAGES)
def test_two_conversations_share_a_head_only_if_they_are_the_same(
    first: list[dict[str, str]], second: list[dict[str, str]]
) -> None:
    assert (head(None, first) == head(None, second)) == (first == second)


def test_what_a_model_asks_for_is_read_back() -> None:
    asked = [ToolCall("1", "look", {"q": 1}), ToolCall("2", "look", None)]
    assert calls(assistant("wait", asked)) == asked
    assert text(assistant("wait", asked)) == "wait"
    assert calls(assistant("done")) == []
    assert result(asked[0], 1) == {"role": "tool", "id": "1", "tool": "look", "result": 1}
    assert failed(asked[0], "no") == {"role": "tool", "id": "1", "tool": "look", "error": "no"}
