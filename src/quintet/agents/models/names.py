"""Names of models: `provider:name`, or `provider/name`, which means the same."""

from __future__ import annotations

from typing import NamedTuple


class ModelName(NamedTuple):
    """A model of a provider."""

    provider: str
    name: str

    def __str__(self) -> str:
        return f"{self.provider}:{self.name}"


def parse(text: str) -> ModelName | None:
    """The model that a text names; None where it names no provider.

    >>> parse("openai:gpt-5-mini") == parse("openai/gpt-5-mini")
    True
    >>> parse("openrouter:meta/llama-4").name
    'meta/llama-4'
    >>> parse("gpt-5-mini") is None
    True
    """
    ends = [at for at in (text.find(":"), text.find("/")) if at >= 0]
    if not ends or min(ends) in (0, len(text) - 1):
        return None
    return ModelName(text[: min(ends)].strip(), text[min(ends) + 1 :].strip())
