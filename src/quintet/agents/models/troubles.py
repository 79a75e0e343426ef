"""Troubles: every way in which a provider or the network fails, told as one of a few kinds.

pydantic-ai sorts what the providers' own libraries raise; what escapes it, a stream that breaks off for one,
is sorted here.  The words of the provider are kept, for they are mostly right; secrets never are.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, cast

import httpx2
from pydantic_ai.exceptions import (
    ModelAPIError,
    ModelAuthenticationError,
    ModelConnectionError,
    ModelContextWindowExceededError,
    ModelHTTPError,
    ModelQuotaExceededError,
    ModelRateLimitError,
    ModelRequestRejectedError,
    ModelRequestTimeout,
    ModelTimeoutError,
    UserError,
)

from quintet.agents.models.port import Trouble

# How servers that have no code for it say that a conversation has become too long.
_TOO_LONG: Final = (
    "context length",
    "context size",
    "context window",
    "maximum context",
    "prompt is too long",
    "too many tokens",
)


def trouble_of(error: BaseException, silence: float) -> Trouble:
    """What an error means for whoever asked, and was ready to wait so many seconds for the next byte."""
    match error:
        case Trouble():
            return error
        case ModelAPIError():
            return _told(error, silence)
        case httpx2.TimeoutException():
            return _silent(silence, isinstance(error, httpx2.ConnectTimeout | httpx2.PoolTimeout))
        case httpx2.ConnectError():
            return Trouble("provider", f"cannot be reached: {_words(error)}", passing=True, definite=True)
        case httpx2.TransportError():
            return Trouble("provider", f"the connection broke off: {_words(error)}", passing=True)
        case UserError():
            return Trouble("rejected", _words(error), definite=True)
        case _:
            # Whatever else a library stumbles over in an answer: text that is no JSON, JSON of another shape.
            return Trouble("provider", f"not understood: {_words(error)}", passing=True)


def unaskable(error: Exception) -> Trouble:
    """What an error means that came up before anything was sent: asking again would not help."""
    return error if isinstance(error, Trouble) else Trouble("rejected", _words(error), definite=True)


def _told(error: ModelAPIError, silence: float) -> Trouble:
    """An error that the provider has told, or that kept it from telling anything."""
    words, at_once = _provider_words(error), not error.in_stream
    match error:
        case ModelRateLimitError():
            return Trouble("rate_limit", words, passing=True, definite=at_once, retry_after=error.retry_after)
        case ModelQuotaExceededError():
            return Trouble("rejected", words, definite=at_once)
        case ModelAuthenticationError():
            return Trouble("auth", words, definite=at_once)
        case ModelContextWindowExceededError():
            return Trouble("context_length", words, definite=at_once)
        case ModelRequestRejectedError():
            is_long = any(phrase in words.lower() for phrase in _TOO_LONG)
            return Trouble("context_length" if is_long else "rejected", words, definite=at_once)
        case ModelRequestTimeout() | ModelTimeoutError():
            is_unsent = isinstance(error, ModelTimeoutError) and error.phase in ("connect", "pool")
            return _silent(silence, is_unsent)
        case ModelConnectionError():
            return _unconnected(error)
        case ModelHTTPError() if 400 <= error.status_code < 500 and error.status_code not in (408, 409, 425):
            return Trouble("rejected", words, definite=at_once)
        case _:
            return Trouble("provider", words, passing=True, retry_after=error.retry_after)


def _silent(seconds: float, is_unsent: bool) -> Trouble:
    words = "cannot be reached in time" if is_unsent else f"nothing came for {seconds:g} seconds"
    return Trouble("timeout", words, passing=True, definite=is_unsent)


def _unconnected(error: ModelConnectionError) -> Trouble:
    cause = _words(error.__cause__.__cause__ or error.__cause__) if error.__cause__ else error.message
    if error.phase in ("connect", "pool"):
        return Trouble("provider", f"cannot be reached: {cause}", passing=True, definite=True)
    return Trouble("provider", f"the connection broke off: {cause}", passing=True)


def _provider_words(error: ModelAPIError) -> str:
    """What the provider says, without what its libraries wrap around it."""
    inner = _message_in(error.body) or error.message
    if isinstance(error, ModelHTTPError) and not error.in_stream:
        return f"{inner} (status {error.status_code})"
    return inner


def _message_in(body: object) -> str | None:
    match body:
        case {"error": {"message": str(message)}} | {"message": str(message)} | {"error": str(message)}:
            return message
        case {"detail": str(message)}:
            return message
        case str(message) if message.strip():
            return message.strip()[:500]
        case Mapping():
            return str(cast("Mapping[str, object]", body))[:500]
        case _:
            return None


def _words(error: BaseException) -> str:
    """Some errors of the network have no words."""
    return str(error) or type(error).__name__
