"""UUIDs as texts: OpenFang's agents and stored workflows have one each.

The same UUID is written in small or capital letters, with hyphens or without; `canonical` gives one text for
all of them, so that two texts name the same agent exactly if they are equal.
"""

from __future__ import annotations

import re

_UUID = re.compile(
    r"[0-9a-f]{8}(-?)[0-9a-f]{4}\1[0-9a-f]{4}\1[0-9a-f]{4}\1[0-9a-f]{12}", re.ASCII | re.IGNORECASE
)


def is_uuid(text: str) -> bool:
    return _UUID.fullmatch(text) is not None


def canonical(text: str) -> str:
    """A UUID as it is usually written; a text that is none stays as it is."""
    if not is_uuid(text):
        return text
    digits = text.replace("-", "").lower()
    return "-".join((digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]))
