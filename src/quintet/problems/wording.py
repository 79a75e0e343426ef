"""Wording: how problems speak of what a file says.

Whatever comes from a file is shown with care.  A name may be a megabyte long, and characters that move the
cursor or turn the direction of writing would make a terminal lie about the file.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence
from itertools import islice

LONGEST = 60
_CANDIDATES = 100
_UNSEEN = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
_JOINER = "\u200d"  # holds emoji together


def visible(text: str) -> str:
    """The text with a replacement character for each that cannot be seen or would disturb the rest."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(
        "\ufffd" if unicodedata.category(char) in _UNSEEN and char != _JOINER else char for char in text
    )


def visible_lines(text: str) -> str:
    """The same of a text that may have several lines."""
    return "\n".join(map(visible, text.split("\n")))


def quoted(text: str) -> str:
    """A name from a file, in quotes, cut where it is long."""
    if len(text) > LONGEST:
        text = text[: LONGEST - 1] + "…"
    return f"'{visible(text)}'"


def one_of(names: Sequence[str]) -> str:
    """`a, b or c`."""
    *most, last = names
    return f"{', '.join(most)} or {last}" if most else last


def counted(count: int, noun: str, plural: str | None = None) -> str:
    """`1 error`, `2 errors`, `12,000 errors`."""
    return f"{count:,} {noun if count == 1 else plural or noun + 's'}"


def nearest(name: str, known: Iterable[str]) -> str | None:
    """The known name that was probably meant, if any is near."""
    if len(name) > LONGEST:
        return None
    folded: dict[str, str] = {}
    for candidate in islice(known, _CANDIDATES):
        folded.setdefault(_folded(candidate), candidate)
    from difflib import get_close_matches  # only files with mistakes need it

    found = get_close_matches(_folded(name), folded, n=1, cutoff=0.6)
    return folded[found[0]] if found else None


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """The hint `did you mean '…'?`, or nothing."""
    found = nearest(name, known)
    return "" if found is None else f"did you mean {quoted(found)}?"


def _folded(name: str) -> str:
    """What names are compared by: writers mix up `camelCase`, `kebab-case` and `snake_case`."""
    return name.strip().casefold().replace("-", "_").replace(" ", "_")
