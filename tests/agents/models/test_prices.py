"""What a request has cost is known where the price list knows its model, and otherwise not made up."""

from __future__ import annotations

from quintet.agents.models.names import ModelName
from quintet.agents.models.port import Tokens
from quintet.agents.models.prices import cost


def test_a_model_on_the_list_has_a_price() -> None:
    whole, half = Tokens(2_000_000, 2_000), Tokens(1_000_000, 1_000)
    for provider in ("openai", "openai-chat", "openai-responses"):
        price = cost(ModelName(provider, "gpt-5-mini"), whole)
        assert price is not None
        assert 0 < price == 2 * (cost(ModelName(provider, "gpt-5-mini"), half) or 0)


def test_a_model_that_nobody_lists_has_none_however_often_one_asks() -> None:
    for _ in range(2):
        assert cost(ModelName("openai", "no-such-model"), Tokens(1, 1)) is None
        assert cost(ModelName("no-such-provider", "m"), Tokens(1, 1)) is None
        assert cost(ModelName("openai-compatible", "gpt-5-mini"), Tokens(1, 1)) is None


def test_a_model_on_a_machine_of_ones_own_is_free() -> None:
    assert cost(ModelName("ollama", "gpt-5-mini"), Tokens(1_000_000, 1)) == 0
