"""Parameters: what is said of how a model is to answer, as the settings of pydantic-ai.

Nothing is dropped in silence: what nobody knows is refused, and so is what the model asked cannot be told.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, cast

from pydantic_ai.settings import ModelSettings

from quintet.agents.models.clients import AnyModel
from quintet.agents.models.port import Ask, Trouble
from quintet.agents.models.providers import Provider
from quintet.engine.values import Json

SILENCE: Final = 120.0
"""So many seconds may pass without a byte, unless the parameter `timeout` says otherwise."""

LONGEST: Final = 600.0
"""So many seconds may an answer take in all."""

KEY_HEADER: Final = "Idempotency-Key"

_NUMBERS: Final = ("temperature", "top_p", "presence_penalty", "frequency_penalty")
_WHOLE: Final = ("max_tokens", "top_k", "seed")
_EFFORTS: Final = ("minimal", "low", "medium", "high", "xhigh", "max")


def silence_in(parameters: Mapping[str, Json]) -> float:
    """How long nothing may come.  Raises Trouble."""
    given = parameters.get("timeout")
    if given is None:
        return SILENCE
    seconds = _number("timeout", given)
    if seconds <= 0:
        raise _wrong("timeout", "a number of seconds")
    return seconds


def settings_for(model: AnyModel, known: Provider, ask: Ask, headers: Mapping[str, str]) -> ModelSettings:
    """The settings of a request.  Raises Trouble for a parameter that cannot be passed on."""
    given = {name: value for name, value in ask.parameters.items() if name != "timeout" and value is not None}
    settings = dict(_setting(name, value) for name, value in given.items())
    if known.is_open and "top_k" in settings:  # OpenAI has no such thing, but most other servers have
        body = cast("dict[str, object]", settings.get("extra_body", {}))
        settings["extra_body"] = {"top_k": settings.pop("top_k"), **body}
    if headers:
        settings["extra_headers"] = dict(headers)
    _refuse_untellable(model, settings)
    if ask.idempotency_key and "extra_headers" not in model.unsupported_settings:
        settings["extra_headers"] = {**headers, KEY_HEADER: ask.idempotency_key}
    silence = silence_in(ask.parameters)
    settings["first_event_timeout" if "timeout" in model.unsupported_settings else "timeout"] = silence
    if known.package not in ("openai", "anthropic") and "max_retries" not in model.unsupported_settings:
        settings["max_retries"] = 0
    return cast(ModelSettings, settings)


def _refuse_untellable(model: AnyModel, settings: Mapping[str, object]) -> None:
    """pydantic-ai would leave these out, with a warning or without."""
    unknown = {*model.unsupported_settings, *model.profile.get("openai_unsupported_model_settings", ())}
    for name in settings:
        if name in unknown:
            raise Trouble(
                "rejected", f"{model.model_id} cannot be told `{_OURS.get(name, name)}`", definite=True
            )
    thinks = model.profile.get("supports_thinking") or model.profile.get("thinking_always_enabled")
    if settings.get("thinking") and not thinks:
        words = (
            f"{model.model_id} is not known to think: leave `thinking` out, or say it its own way in `extra`"
        )
        raise Trouble("rejected", words, definite=True)


_OURS: Final = {"stop_sequences": "stop", "extra_body": "extra", "extra_headers": "headers"}


def _setting(name: str, value: Json) -> tuple[str, object]:
    """One parameter, as pydantic-ai calls it."""
    match name:
        case "stop":
            return "stop_sequences", _texts(value)
        case "thinking" if isinstance(value, bool) or value in _EFFORTS:
            return name, value
        case "thinking":
            raise _wrong(name, f"true, false, or one of {', '.join(_EFFORTS)}")
        case "parallel_tool_calls" if isinstance(value, bool):
            return name, value
        case "parallel_tool_calls":
            raise _wrong(name, "true or false")
        case "extra" if isinstance(value, Mapping):
            return "extra_body", dict(value)
        case "extra":
            raise _wrong(name, "a map")
        case _ if name in _NUMBERS:
            return name, _number(name, value)
        case _ if name in _WHOLE:
            number = _number(name, value)
            if number != int(number):
                raise _wrong(name, "a whole number")
            return name, int(number)
        case _:
            raise Trouble("rejected", f"models have no parameter `{name}`", definite=True)


def _number(name: str, value: Json) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise _wrong(name, "a number")
    return value


def _texts(value: Json) -> list[str]:
    if isinstance(value, str):
        return [value]
    if isinstance(value, Sequence) and all(isinstance(text, str) for text in value):
        return [cast(str, text) for text in value]
    raise _wrong("stop", "a text or a list of texts")


def _wrong(name: str, what: str) -> Trouble:
    return Trouble("rejected", f"the parameter `{name}` is {what}", definite=True)
