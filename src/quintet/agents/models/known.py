"""Known providers: which variable holds the key, which small model to begin with, which package it takes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Provider:
    """Who offers models to those who have a key."""

    name: str
    variables: tuple[str, ...]
    """The environment variables that may hold the key; the first that is set counts."""
    model: str
    """A small model, good and cheap enough for a first try."""
    package: str
    """The distribution that speaks with it."""


# In the order in which a default is looked for.  Names of models as of November 2026, from genai-prices.
PROVIDERS: Final = (
    Provider("openai", ("OPENAI_API_KEY",), "gpt-5-mini", "openai"),
    Provider("anthropic", ("ANTHROPIC_API_KEY",), "claude-haiku-4-5", "anthropic"),
    Provider("google", ("GOOGLE_API_KEY", "GEMINI_API_KEY"), "gemini-2.5-flash", "google-genai"),
    Provider("groq", ("GROQ_API_KEY",), "openai/gpt-oss-20b", "groq"),
    Provider("mistral", ("MISTRAL_API_KEY",), "mistral-small-latest", "mistralai"),
    Provider("deepseek", ("DEEPSEEK_API_KEY",), "deepseek-chat", "openai"),
    Provider("openrouter", ("OPENROUTER_API_KEY",), "openai/gpt-5-mini", "openai"),
    Provider("xai", ("XAI_API_KEY",), "grok-4-1-fast-non-reasoning", "xai-sdk"),
    Provider("cerebras", ("CEREBRAS_API_KEY",), "gpt-oss-120b", "openai"),
    Provider("together", ("TOGETHER_API_KEY",), "openai/gpt-oss-120b", "openai"),
    Provider("fireworks", ("FIREWORKS_API_KEY",), "accounts/fireworks/models/gpt-oss-20b", "openai"),
    Provider("moonshotai", ("MOONSHOTAI_API_KEY",), "kimi-k2.6", "openai"),
)
