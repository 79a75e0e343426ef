"""Redaction: secrets are taken out by value, at one boundary, before anything is recorded or replayed.

Because the program is given what was recorded, a replay sees exactly the same.  The same walk makes sure
that a value is JSON at all, and is what it will be when it is read back.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import cast

from quintet.engine.failures import Failure
from quintet.engine.values import Json, decode, encode

MASK = "[secret]"
SHORTEST = 4
"""Shorter values are no secrets: taking `on` or `7` out of every text protects nothing and destroys much."""


class Redactor:
    """Takes a set of secret values out of whatever passes."""

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        found = {secret for secret in secrets if len(secret) >= SHORTEST}
        longest_first = sorted(found, key=lambda secret: (-len(secret), secret))
        self._secrets = longest_first  # one may hold another
        self._traces = {form for secret in found for form in (secret, encode(secret)[1:-1])}

    def text(self, text: str) -> str:
        """A text without secrets."""
        for secret in self._secrets:
            text = text.replace(secret, MASK)
        return text

    def value(self, value: object) -> Json:
        """A value as JSON, without secrets.  Raises TypeError or ValueError if it is no JSON."""
        kind = type(value)
        if kind is str:
            return self.text(cast(str, value))
        if value is None or kind is bool or kind is int or kind is float:
            return cast(Json, value)
        return self._open(value)

    def _open(self, value: object) -> Json:
        if isinstance(value, Mapping):
            items = cast("Mapping[object, object]", value).items()
            return {self.text(_key(key)): self.value(item) for key, item in items}
        if isinstance(value, list | tuple):
            return [self.value(item) for item in cast("list[object]", value)]
        return decode(encode(cast(Json, value)))  # subclasses of str, int, …; refuses all else

    def encoded(self, text: str) -> str:
        """JSON text without secrets."""
        if not any(trace in text for trace in self._traces):
            return text
        return encode(self.value(decode(text)))

    def failure(self, failure: Failure) -> Failure:
        """A failure without secrets."""
        return Failure(
            failure.kind, self.text(failure.message), failure.definite, self.value(failure.detail), failure.at
        )


def _key(key: object) -> str:
    if not isinstance(key, str):
        raise TypeError(f"keys of JSON maps are texts, not {key!r}")
    return key
