"""Values: what crosses the border between a program and the world.

Whatever a program asks for and whatever it is given is plain JSON.  That makes a run's log readable by
anything, and makes "the same request" a question that any two processes answer alike: `fingerprint` hashes
the text that `encode` writes.  Maps keep the order of their keys, because a program may walk over one and a
model reads a schema from top to bottom: what is read back is what was there, order included.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from hashlib import blake2b
from typing import TypeAlias

Json: TypeAlias = "None | bool | int | float | str | Sequence[Json] | Mapping[str, Json]"

_encoder = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"))
_ascii_encoder = json.JSONEncoder(ensure_ascii=True, allow_nan=False, separators=(",", ":"))
_decoder = json.JSONDecoder()


def encode(value: Json) -> str:
    """The text of a value, without white space.  Raises ValueError or TypeError if it is not JSON."""
    text = _encoder.encode(value)
    if not text.isascii() and not _is_utf8(text):
        return _ascii_encoder.encode(value)
    return text


def _is_utf8(text: str) -> bool:
    """False for half a surrogate pair, which a model may well write: no file or database takes that."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def decode(text: str) -> Json:
    """The value that a text of `encode` stands for."""
    return _decoder.decode(text)


def fingerprint(*texts: str) -> str:
    """A short hash that tells one request from another, the same in every process and release."""
    digest = blake2b(digest_size=16)
    for text in texts:
        digest.update(text.encode("utf-8", "surrogatepass"))
        digest.update(b"\0")
    return digest.hexdigest()
