"""Words: what the log says, in the words of the GenAI conventions.

The messages of a request are those that it adds to its conversation: what was said before is in the spans
before it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, TypeGuard

from quintet.agents.models.names import ModelName, parse
from quintet.engine.values import Json, encode
from quintet.tracing.span import Attribute

_PROVIDERS: Final = {
    "azure": "azure.ai.openai",
    "azure-responses": "azure.ai.openai",
    "bedrock": "aws.bedrock",
    "bedrock-mantle": "aws.bedrock",
    "google": "gcp.gemini",
    "google-cloud": "gcp.vertex_ai",
    "mistral": "mistral_ai",
    "moonshotai": "moonshot_ai",
    "openai-chat": "openai",
    "openai-chatgpt": "openai",
    "openai-codex": "openai",
    "openai-responses": "openai",
    "xai": "x_ai",
}
"""Providers that the conventions call otherwise."""
_PARAMETERS: Final = (
    "frequency_penalty",
    "max_tokens",
    "presence_penalty",
    "seed",
    "temperature",
    "top_k",
    "top_p",
)
_USAGE: Final = {
    "input": "gen_ai.usage.input_tokens",
    "output": "gen_ai.usage.output_tokens",
    "cache_read": "gen_ai.usage.cache_read.input_tokens",
    "cache_write": "gen_ai.usage.cache_creation.input_tokens",
}
_STOPPED: Final = {"truncated": "length", "content_filter": "content_filter", "refused": "refusal"}
"""Why a model stopped, by the kind of failure that comes of it."""


def asked_model(model: ModelName) -> dict[str, Attribute]:
    """A model that is asked."""
    provider = _PROVIDERS.get(model.provider, model.provider)
    return {"gen_ai.provider.name": provider, "gen_ai.request.model": model.name}


def asked_how(parameters: Mapping[str, Json]) -> dict[str, Attribute]:
    """How it is asked."""
    return {
        f"gen_ai.request.{name}": value
        for name in _PARAMETERS
        if isinstance(value := parameters.get(name), int | float)
    }


def is_reply(data: object) -> TypeGuard[Mapping[str, Any]]:
    """Whether a model has answered: also a failure may say what its answer took."""
    return isinstance(data, Mapping) and "usage" in data


def model_of(reply: Mapping[str, Any]) -> ModelName | None:
    """The model that was asked in the end; a script has none."""
    return parse(reply["model"]) if "model" in reply else None


def usage(spent: Mapping[str, Any]) -> dict[str, int]:
    """What a request took."""
    return {_USAGE[name]: count for name, count in spent.get("usage", {}).items() if name in _USAGE}


def finish_reason(reply: Mapping[str, Any]) -> str:
    """Why the model stopped that gave an answer."""
    return "tool_call" if reply["message"].get("calls") else "stop"


def stop_reason(kind: str) -> str | None:
    """Why the model stopped whose answer was a failure; None where it gave none."""
    return _STOPPED.get(kind)


def messages(said: Sequence[Mapping[str, Any]], finish: str | None = None) -> str:
    """Messages, as JSON."""
    ends = {} if finish is None else {"finish_reason": finish}
    return encode([{"role": message["role"], "parts": _parts(message), **ends} for message in said])


def _parts(message: Mapping[str, Any]) -> list[Json]:
    if message["role"] == "tool":
        came = message["error"] if "error" in message else message["result"]
        return [{"type": "tool_call_response", "id": message["id"], "response": came}]
    spoken = message.get("text")
    parts: list[Json] = [{"type": "text", "content": spoken}] if spoken else []
    for call in message.get("calls", ()):
        named = {"id": call["id"], "name": call["tool"], "arguments": call["arguments"]}
        parts.append({"type": "tool_call", **named})
    return parts
