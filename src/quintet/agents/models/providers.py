"""Providers: who can be asked, what has to be installed for it, and where its key is looked for.

Nothing of a provider's library is imported to answer that, so that checking a project stays fast and needs no
network.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from importlib.util import find_spec
from typing import Final

LIBRARY: Final = "pydantic_ai"


@dataclass(frozen=True, slots=True)
class Provider:
    """What is known of a provider without its library."""

    keys: tuple[str, ...] = ()
    """Environment variables, one of which holds the key; none where more than a key is needed."""
    package: str = "openai"
    """The library that speaks to it."""
    extra: str = "openai"
    """The extra of pydantic-ai that brings the library."""
    url: str | None = None
    """Where it is found unless a connection says otherwise; for servers on this machine."""
    url_variable: str | None = None
    """The environment variable that says where it is, too."""
    kind: str | None = None
    """The name that pydantic-ai has for it, where that is another."""
    small: str | None = None
    """A small model of theirs, good and cheap enough for a first try."""
    is_open: bool = False
    """Whether it is any server that speaks OpenAI's chat completions, and may know more than those say."""

    @property
    def needs_url(self) -> bool:
        return self.is_open and self.url is None


COMPATIBLE: Final = "openai-compatible"


def _local(port: int) -> str:
    return f"http://127.0.0.1:{port}/v1"


PROVIDERS: Final[dict[str, Provider]] = {
    # Chat completions for `openai`, not the newer responses: every proxy and gateway speaks those.
    "openai": Provider(
        ("OPENAI_API_KEY",), kind="openai-chat", url_variable="OPENAI_BASE_URL", small="gpt-5-mini"
    ),
    "openai-chat": Provider(("OPENAI_API_KEY",), url_variable="OPENAI_BASE_URL"),
    "openai-responses": Provider(("OPENAI_API_KEY",), url_variable="OPENAI_BASE_URL"),
    "anthropic": Provider(("ANTHROPIC_API_KEY",), "anthropic", "anthropic", small="claude-haiku-4-5"),
    COMPATIBLE: Provider(is_open=True),
    "lmstudio": Provider(is_open=True, url=_local(1234)),
    "llamacpp": Provider(is_open=True, url=_local(8080)),
    "ollama": Provider(url=_local(11434), url_variable="OLLAMA_BASE_URL"),
    "vllm": Provider(url=_local(8000), url_variable="VLLM_BASE_URL"),
    "litellm": Provider(),
    "alibaba": Provider(("ALIBABA_API_KEY", "DASHSCOPE_API_KEY")),
    "cerebras": Provider(("CEREBRAS_API_KEY",), extra="cerebras", small="gpt-oss-120b"),
    "crusoe": Provider(("CRUSOE_API_KEY",)),
    "deepseek": Provider(("DEEPSEEK_API_KEY",), small="deepseek-chat"),
    "fireworks": Provider(("FIREWORKS_API_KEY",), small="accounts/fireworks/models/gpt-oss-20b"),
    "github-copilot": Provider(
        ("GITHUB_COPILOT_API_KEY", "GITHUB_COPILOT_API_TOKEN", "COPILOT_GITHUB_TOKEN")
    ),
    "heroku": Provider(("HEROKU_INFERENCE_KEY",)),
    "meta": Provider(("META_API_KEY",)),
    "moonshotai": Provider(("MOONSHOTAI_API_KEY",), small="kimi-k2.6"),
    "nebius": Provider(("NEBIUS_API_KEY",)),
    "openrouter": Provider(("OPENROUTER_API_KEY",), extra="openrouter", small="openai/gpt-5-mini"),
    "ovhcloud": Provider(("OVHCLOUD_API_KEY",)),
    "sambanova": Provider(("SAMBANOVA_API_KEY",)),
    "together": Provider(("TOGETHER_API_KEY",), small="openai/gpt-oss-120b"),
    "vercel": Provider(("VERCEL_AI_GATEWAY_API_KEY", "VERCEL_OIDC_TOKEN")),
    "zai": Provider(("ZAI_API_KEY",), extra="zai"),
    "cohere": Provider(("CO_API_KEY",), "cohere", "cohere"),
    "google": Provider(
        ("GOOGLE_API_KEY", "GEMINI_API_KEY"), "google.genai", "google", small="gemini-2.5-flash"
    ),
    "groq": Provider(("GROQ_API_KEY",), "groq", "groq", small="openai/gpt-oss-20b"),
    "huggingface": Provider(("HF_TOKEN",), "huggingface_hub", "huggingface"),
    "mistral": Provider(("MISTRAL_API_KEY",), "mistralai", "mistral", small="mistral-small-latest"),
    "xai": Provider(("XAI_API_KEY",), "xai_sdk", "xai", small="grok-4-1-fast-non-reasoning"),
    # These need more than one key; what is missing, their library says when it is first asked.
    "azure": Provider(),
    "azure-responses": Provider(),
    "bedrock": Provider(package="boto3", extra="bedrock"),
    "bedrock-mantle": Provider(package="openai", extra="bedrock-mantle"),
    "google-cloud": Provider(package="google.genai", extra="google"),
    "openai-chatgpt": Provider(),
    "openai-codex": Provider(),
    "snowflake": Provider(),
}


FAVOURITES: Final = (
    "openai", "anthropic", "google", "groq", "mistral", "deepseek",
    "openrouter", "xai", "cerebras", "together", "fireworks", "moonshotai",
)  # fmt: skip
"""Providers in the order in which a model is looked for where nobody names one; each has a small one."""


def key_of(name: str, environment: Mapping[str, str]) -> str | None:
    """The name of the variable that holds the key of a provider."""
    return next((key for key in PROVIDERS[name].keys if environment.get(key, "").strip()), None)


def to_install(name: str) -> str | None:
    """What has to be installed before a provider can be asked."""
    provider = PROVIDERS[name]
    if _is_installed(LIBRARY) and _is_installed(provider.package):
        return None
    return f"pip install 'pydantic-ai-slim[{provider.extra}]'"


def missing(name: str, base_url: str | None, api_key: str | None) -> str | None:
    """What has to be done before a provider can be asked, in words; None if nothing is known of."""
    provider = PROVIDERS.get(name)
    if provider is None:
        return _unknown(name)
    if command := to_install(name):
        return f"`{name}` needs a library: {command}"
    if provider.needs_url and base_url is None:
        return (
            f"`{name}` is any server that speaks OpenAI's chat completions: say where it is with `base_url`"
        )
    return _without_key(name, provider, base_url, api_key)


def _without_key(name: str, provider: Provider, base_url: str | None, api_key: str | None) -> str | None:
    if api_key or not provider.keys or any(os.environ.get(variable) for variable in provider.keys):
        return None
    url = provider.url_variable
    if url is not None and (base_url is not None or os.environ.get(url)):
        return None  # a server of one's own may ask for no key
    return f"`{name}` needs a key: set {' or '.join(provider.keys)} in the environment"


def _unknown(name: str) -> str:
    close = get_close_matches(name, PROVIDERS, 1)
    hint = f"did you mean `{close[0]}`?" if close else f"known are {', '.join(sorted(PROVIDERS))}"
    return f"no provider is called `{name}`; {hint}"


def _is_installed(package: str) -> bool:
    try:
        return find_spec(package) is not None
    except ModuleNotFoundError:  # the package that it is a part of is not there
        return False
