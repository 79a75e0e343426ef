"""Redaction: secrets are taken out by value, at one boundary, before anything is recorded or replayed.

Because the program is given what was recorded, a replay sees exactly the same.  The same walk makes sure
that a value is JSON at all, and is what it will be when it is read back.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from math import isfinite
from typing import cast

from quintet.engine.failures import Failure
from quintet.engine.values import Json, decode, encode

MASK = "[secret]"
SHORTEST = 4
"""Shorter values are no secrets: taking `on` or `7` out of every text protects nothing and destroys much."""


class Redactor:
    """Takes a set of secret values out of whatever passes."""

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        found = {secret for secret in secrets if len(secret) >= SHORTEST and secret not in MASK}
        longest_first = sorted(found, key=lambda secret: (-len(secret), secret))  # one may hold another
        self._secrets = found
        self._pattern = re.compile("|".join(map(re.escape, longest_first)) or "(?!)")
        self._traces = {
            form for secret in found for form in (secret, encode(secret)[1:-1], json.dumps(secret)[1:-1])
        }

    def text(self, text: str) -> str:
        """A text without secrets."""
        return self._pattern.sub(MASK, text) if self._secrets else text

    def certain(self, text: str) -> int:
        """How much of a text, from its start, can hold no part of a secret that only ends behind it."""
        if not self._secrets:
            return len(text)
        end = min(len(text) - _overlap(text, secret) for secret in self._secrets)
        for found in self._pattern.finditer(text):
            if found.start() < end < found.end():
                return found.start()
        return end

    def value(self, value: object) -> Json:
        """A value as JSON, without secrets.  Raises TypeError or ValueError if it is no JSON."""
        kind = type(value)
        if kind is str:
            return self.text(cast(str, value))
        if value is None or kind is bool:
            return cast(Json, value)
        if kind is int or kind is float:
            return self._number(cast(float, value))
        return self._open(value)

    def _number(self, number: float) -> Json:
        if isinstance(number, float) and not isfinite(number):
            raise ValueError(f"JSON has no {number}")
        if self._secrets and encode(number) in self._secrets:
            return MASK
        return number

    def _open(self, value: object) -> Json:
        if isinstance(value, Mapping):
            return self._map(cast("Mapping[object, object]", value))
        if isinstance(value, list | tuple):
            return [self.value(item) for item in cast("list[object]", value)]
        return self.value(decode(encode(cast(Json, value))))  # subclasses of str, int, …; refuses all else

    def _map(self, value: Mapping[object, object]) -> Json:
        clean: dict[str, Json] = {}
        for key, item in value.items():
            name = label = self.text(_key(key))
            count = 1
            while label in clean:  # two secrets were keys: neither entry may go
                count += 1
                label = f"{name} #{count}"
            clean[label] = self.value(item)
        return clean

    def encoded(self, text: str) -> str:
        """JSON text without secrets."""
        if not self._traces or not any(trace in text for trace in self._traces):
            return text
        return encode(self.value(decode(text)))

    def failure(self, failure: Failure) -> Failure:
        """A failure without secrets."""
        return Failure(
            failure.kind, self.text(failure.message), failure.definite, self.value(failure.detail), failure.at
        )


def _overlap(text: str, secret: str) -> int:
    """How many characters at the end of a text may be the beginning of a secret."""
    start = text.find(secret[0], max(0, len(text) - len(secret) + 1))
    while start >= 0:
        if secret.startswith(text[start:]):
            return len(text) - start
        start = text.find(secret[0], start + 1)
    return 0


def _key(key: object) -> str:
    if not isinstance(key, str):
        raise TypeError(f"keys of JSON maps are texts, not {key!r}")
    return key


class Veil:
    """Takes secrets out of a text that comes piece by piece; what may begin one is held back."""

    def __init__(self, redactor: Redactor) -> None:
        self._redactor = redactor
        self._held = ""

    def piece(self, piece: str) -> str:
        """As much of the text as can be shown now."""
        text = self._held + piece
        safe = self._redactor.certain(text)
        self._held = text[safe:]
        return self._redactor.text(text[:safe])

    def rest(self) -> str:
        """What was held back: the text has ended, and it began no secret."""
        held, self._held = self._held, ""
        return self._redactor.text(held)
