"""Translation: our messages as those of pydantic-ai, and its response as one of ours."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final, cast

from pydantic_ai.messages import (
    ModelMessage,
    ModelRequest,
    ModelRequestPart,
    ModelResponse,
    ModelResponsePart,
    SystemPromptPart,
    TextPart,
    ThinkingPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)
from pydantic_ai.models import ModelRequestParameters
from pydantic_ai.output import OutputObjectDefinition
from pydantic_ai.tools import ToolDefinition

from quintet.agents.messages import Message, ToolCall, all_whole, assistant, calls, text, whole
from quintet.agents.models.clients import AnyModel
from quintet.agents.models.port import Ask, Finish, Said, Tokens, Trouble
from quintet.engine.values import Json, decode, encode

_ONLY_JSON: Final = "Answer with JSON alone, without a word around it. It has to satisfy this JSON Schema:\n"

_FINISHES: Final[Mapping[str, Finish]] = {
    "stop": "stop",
    "length": "length",
    "content_filter": "content_filter",
    "tool_call": "tools",
}


def history(ask: Ask, model: AnyModel) -> list[ModelMessage]:
    """The conversation.  Of several messages of the system the last one counts; it comes first."""
    told = [whole(text(message)) for message in ask.messages if message["role"] == "system"][-1:]
    if ask.schema is not None and not _is_native(model, ask.schema):
        told.append(_ONLY_JSON + encode(ask.schema))
    parts: list[ModelRequestPart] = [SystemPromptPart("\n\n".join(told))] if told else []
    conversation: list[ModelMessage] = []
    for message in ask.messages:
        match message["role"]:
            case "system":
                pass
            case "assistant":
                conversation += [ModelRequest(parts)] if parts else []
                conversation.append(_said(message))
                parts = []
            case _:
                parts.append(_told(message))
    return [*conversation, ModelRequest(parts)] if parts else conversation


def request_of(ask: Ask, model: AnyModel) -> ModelRequestParameters:
    """The tools on offer, and the form that the answer must have where the provider can be held to it."""
    tools = [
        ToolDefinition(
            name=tool.name,
            description=tool.description,
            parameters_json_schema=cast("dict[str, object]", tool.parameters),
        )
        for tool in ask.tools
    ]
    if ask.schema is None or not _is_native(model, ask.schema):
        return ModelRequestParameters(function_tools=tools)
    form = OutputObjectDefinition(cast("dict[str, object]", ask.schema), name="answer")
    return ModelRequestParameters(function_tools=tools, output_mode="native", output_object=form)


def answered(response: ModelResponse) -> Said:
    """What a model has said.  Raises Trouble where it says that it could not."""
    details = response.provider_details or {}
    wanted = [
        ToolCall(part.tool_call_id, part.tool_name, _arguments(part.args))
        for part in response.parts
        if isinstance(part, ToolCallPart)
    ]
    said = "".join(part.content for part in response.parts if isinstance(part, TextPart))
    if response.finish_reason == "error":
        raise Trouble("provider", said or "the model broke off with an error", passing=True)
    finish = _FINISHES.get(response.finish_reason or "", "stop")
    refusal = details.get("refusal")
    if isinstance(refusal, str) or details.get("finish_reason") == "refusal":
        finish, said = "refused", said or str(refusal or "")
    if finish in ("stop", "tools"):
        finish = "tools" if wanted else "stop"  # servers differ in which of the two they say
    usage = response.usage
    tokens = Tokens(
        usage.input_tokens, usage.output_tokens, usage.cache_read_tokens, usage.cache_write_tokens
    )
    message = {**assistant(said, wanted), **(_kept(response) if wanted else {})}
    return Said(message, finish, tokens, response.model_name or "")


def _arguments(given: object) -> Json:
    """What a model gives a tool; text that is no JSON stays text, for whoever checks arguments to say so."""
    if not isinstance(given, str):
        return cast("Mapping[str, Json]", given or {})
    try:
        value = decode(given or "{}")
        encode(value)  # NaN is none of ours
    except (ValueError, RecursionError):
        return given
    return value


def _kept(response: ModelResponse) -> Mapping[str, Json]:
    """What the provider wants back, unread, with the results of the tools: its thoughts, mostly signed."""
    thoughts = [part for part in response.parts if isinstance(part, ThinkingPart)]
    thinking = [
        _present(text=part.content, signature=part.signature, id=part.id, details=part.provider_details)
        for part in thoughts
    ]
    details = {
        part.tool_call_id: _json(part.provider_details)
        for part in response.parts
        if isinstance(part, ToolCallPart) and part.provider_details
    }
    if not thinking and not details:
        return {}
    by = _present(provider=response.provider_name, system=response.canonical_system)
    return {"kept": {**by, **_present(thinking=thinking, calls=details)}}


def _present(**values: object) -> dict[str, Json]:
    return {name: _json(value) for name, value in values.items() if value}


def _json(value: object) -> Json:
    """Of what a provider adds, what can be written down."""
    return decode(json.dumps(value, default=str))


def _said(message: Message) -> ModelResponse:
    kept = cast("Mapping[str, Any]", message.get("kept", {}))
    provider: str | None = kept.get("provider")
    parts: list[ModelResponsePart] = [
        ThinkingPart(
            whole(thought.get("text", "")),
            id=thought.get("id"),
            signature=thought.get("signature"),
            provider_name=provider,
            provider_details=thought.get("details"),
        )
        for thought in kept.get("thinking", ())
    ]
    if said := whole(text(message)):
        parts.append(TextPart(said))
    for call in calls(message):
        details = kept.get("calls", {}).get(call.id)
        parts.append(
            ToolCallPart(
                whole(call.tool),
                _sent(call.arguments),
                whole(call.id),
                provider_name=provider if details else None,
                provider_details=details,
            )
        )
    return ModelResponse(parts, provider_name=provider, canonical_system=kept.get("system"))


def _sent(arguments: Json) -> dict[str, Any] | str:
    if isinstance(arguments, Mapping):
        return cast("dict[str, Any]", all_whole(arguments))
    return whole(arguments) if isinstance(arguments, str) else encode(arguments)


def _told(message: Message) -> ModelRequestPart:
    """What is told to a model: a person's words, or what a tool gave."""
    if message["role"] == "user":
        return UserPromptPart(whole(text(message)))
    tool, call = whole(cast(str, message["tool"])), whole(cast(str, message["id"]))
    if "error" in message:
        return ToolReturnPart(tool, whole(cast(str, message["error"])), call, outcome="failed")
    given = message["result"]
    return ToolReturnPart(tool, whole(given) if isinstance(given, str) else encode(given), call)


def _is_native(model: AnyModel, schema: Mapping[str, Json]) -> bool:
    """Whether the provider itself sees to it that an answer has the form."""
    if not model.profile.get("supports_json_schema_output", False):
        return False
    # Anthropic closes every object: one that may have any key would always be empty.
    return model.system != "anthropic" or not _has_open_map(schema)


def _has_open_map(schema: Json) -> bool:
    match schema:
        case {"additionalProperties": more} if more is not False:
            return True
        case {"type": "object"} if "properties" not in schema:
            return True
        case Mapping():
            return any(_has_open_map(inner) for inner in schema.values())
        case list():
            return any(_has_open_map(inner) for inner in schema)
        case _:
            return False
