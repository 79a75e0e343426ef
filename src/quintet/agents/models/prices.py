"""Prices: what a request has cost."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from quintet.agents.models.names import ModelName
from quintet.agents.models.port import Tokens

FREE: Final = frozenset(("offline", "ollama", "lmstudio", "llamacpp", "vllm"))
"""Providers that run on a machine of one's own."""


def cost(model: ModelName, tokens: Tokens) -> float | None:
    """US dollars; None where nobody knows."""
    if model.provider in FREE:
        return 0.0
    if not _is_listed(model):
        return None
    from genai_prices import Usage, calc_price

    usage = Usage(
        input_tokens=tokens.input,
        output_tokens=tokens.output,
        cache_read_tokens=tokens.cache_read or None,
        cache_write_tokens=tokens.cache_write or None,
    )
    try:
        price = calc_price(usage, model.name, provider_id=_provider(model))
    except (LookupError, ValueError):
        return None
    return float(price.total_price)


@lru_cache(maxsize=1024)
def _is_listed(model: ModelName) -> bool:
    """Whether there is a price for it; to find that there is none, a whole list is gone through."""
    from genai_prices.data_snapshot import get_snapshot

    known = get_snapshot()
    if _provider(model) not in {one.id for one in known.providers}:
        return False  # the list goes by how a name begins: `openai-compatible` would be OpenAI
    try:
        known.find_provider_model(model.name, None, _provider(model), None)
    except LookupError:
        return False
    return True


def _provider(model: ModelName) -> str:
    return _PROVIDERS.get(model.provider, model.provider)


_PROVIDERS: Final = {
    "openai-chat": "openai",
    "openai-responses": "openai",
    "google-cloud": "google",
    "xai": "x-ai",
    "bedrock": "aws",
}
"""What the price list calls providers, where that differs."""
