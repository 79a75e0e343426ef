"""Clients: a connection, made into a model of pydantic-ai that asks once and never repeats by itself.

The one module that knows how pydantic-ai names and builds its providers.
"""

from __future__ import annotations

import os
from inspect import signature
from typing import TYPE_CHECKING, Any, Final, TypeAlias
from urllib.parse import urlsplit

from pydantic_ai.models import Model, infer_model
from pydantic_ai.profiles.openai import OpenAIModelProfile
from pydantic_ai.providers import Provider as Client
from pydantic_ai.providers import infer_provider_class

from quintet.agents.models.providers import PROVIDERS, Provider

if TYPE_CHECKING:
    from quintet.agents.models.remote import Connection

AnyModel: TypeAlias = "Model[Any]"

_URL_NAMES: Final = ("base_url", "api_base", "azure_endpoint")
"""What pydantic-ai's providers call the place where they are."""

# Any server may be behind it, so nothing goes out that only OpenAI's own knows.
_OPEN: Final = OpenAIModelProfile(
    openai_chat_supports_max_completion_tokens=False,
    openai_supports_strict_tool_definition=False,
    json_schema_transformer=None,
)


def model_of(connection: Connection) -> AnyModel:
    """The model that a connection leads to.  Raises UserError or ImportError where something is missing."""
    known = PROVIDERS[connection.model.provider]
    if known.is_open:
        return _open(connection, known)
    kind = known.kind or connection.model.provider
    client = _client(kind, connection, known)
    _never_repeat(client, known)
    return infer_model(f"{kind}:{connection.model.name}", lambda _: client)


def secrets_of(connection: Connection) -> list[str]:
    """What must never be told."""
    known = PROVIDERS[connection.model.provider]
    found = [os.environ.get(variable, "") for variable in known.keys]
    password = urlsplit(connection.base_url or "").password or ""
    return [connection.api_key or "", password, *connection.headers.values(), *found]


def speaks_chat(model: AnyModel, known: Provider) -> bool:
    """Whether a model is asked over OpenAI's chat completions."""
    if known.package != "openai":
        return False
    from pydantic_ai.models.openai import OpenAIChatModel

    return isinstance(model, OpenAIChatModel)


def _open(connection: Connection, known: Provider) -> AnyModel:
    from pydantic_ai.models.openai import OpenAIChatModel
    from pydantic_ai.providers.openai_compatible import OpenAICompatibleProvider

    url = connection.base_url or known.url or ""
    client = OpenAICompatibleProvider(
        connection.model.provider, base_url=url, api_key=connection.api_key, profile=_OPEN
    )
    _never_repeat(client, known)
    return OpenAIChatModel(connection.model.name, provider=client)


def _client(kind: str, connection: Connection, known: Provider) -> Client[Any]:
    maker = infer_provider_class(kind)
    takes = signature(maker).parameters
    url = connection.base_url or os.environ.get(known.url_variable or "") or known.url
    options: dict[str, Any] = {}
    if connection.api_key is not None:
        options["token" if "token" in takes else "api_key"] = connection.api_key
    named = next((name for name in _URL_NAMES if name in takes), None)
    if url is not None and named is not None:
        options[named] = url
    client = maker(**options)
    if url is not None and named is None:
        client.client.base_url = url  # all that take no address are clients of OpenAI's kind
    return client


def _never_repeat(client: Client[Any], known: Provider) -> None:
    """Whether to repeat is for `patience` to say.

    The setting of a request would do, but it copies the whole client each time; where the client is of a kind
    that is known here, it is told once.
    """
    if known.package in ("openai", "anthropic"):
        client.client.max_retries = 0
