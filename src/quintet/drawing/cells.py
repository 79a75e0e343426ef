"""Cells: how much room a text takes on a terminal.

A terminal has cells, not characters: a Chinese character fills two, an accent none.  Where terminals differ,
as with emoji made of several, the larger number is taken: too narrow a line is only short, too wide a one
breaks the picture.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterator

_UNSEEN = frozenset({"Mn", "Me", "Cf"})
_EMOJI_PRESENTATION = "\ufe0f"
_JOINTS = "-_/.・"
_CLOSING = "、。，．！？）」』】,.!?)"


def width(text: str) -> int:
    """How many cells a text fills, at most."""
    return len(text) if text.isascii() else sum(map(char_width, text))


def char_width(char: str) -> int:
    if char == _EMOJI_PRESENTATION:
        return 1  # it makes a narrow character before it wide
    if unicodedata.category(char) in _UNSEEN:
        return 0
    return 2 if unicodedata.east_asian_width(char) in {"W", "F"} else 1


def wrapped(text: str, room: int, most: int = 4) -> list[str]:
    """A text in lines of at most `room` cells: broken at spaces, or within a word that fills a line alone,
    there behind a hyphen if it has one.

    What does not fit into `most` lines is left out, and the last line says so.
    """
    lines: list[str] = []
    for line in _lines(text, room):
        if len(lines) == most:
            lines[-1] = cut(lines[-1] + " …", room) if width(lines[-1]) + 2 > room else lines[-1] + " …"
            break
        lines.append(line)
    return lines or [""]


def cut(text: str, room: int) -> str:
    """The beginning of a text, with an ellipsis where the rest is missing."""
    if width(text) <= room:
        return text
    begin = next(_pieces(text, room - 1, _anywhere))
    return (begin if width(begin) < room else "") + "…"


def _lines(text: str, room: int) -> Iterator[str]:
    line = ""
    for word in text.split():
        if line and width(line) + 1 + width(word) <= room:
            line += " " + word
            continue
        if line:
            yield line
        *whole, line = _pieces(word, room, _well)
        yield from whole
    if line:
        yield line


def _pieces(word: str, room: int, end: Callable[[str, str], int]) -> Iterator[str]:
    """A word in pieces that fit; `end` says how much of a piece is kept, given the character after it."""
    piece, taken = "", 0
    for char in word:
        needed = char_width(char)
        if piece and taken + needed > room:
            kept = end(piece, char)
            if width(piece[kept:]) + needed > room:
                kept = len(piece)
            yield piece[:kept]
            piece = piece[kept:]
            taken = width(piece)
        piece += char
        taken += needed
    yield piece


def _anywhere(piece: str, after: str) -> int:
    return len(piece)


def _well(piece: str, after: str) -> int:
    """Behind a hyphen or its like that is not far back, and not before what closes a sentence."""
    joint = max(piece.rfind(mark) for mark in _JOINTS) + 1
    if len(piece) // 2 < joint < len(piece):
        return joint
    return len(piece) - 1 if after in _CLOSING and len(piece) > 1 else len(piece)
