"""Speech: what a step is saying right now, as its last lines."""

from __future__ import annotations

from quintet.display.rows import shown
from quintet.drawing.cells import wrapped
from quintet.engine.performing import RESTART

MOST = 4000
"""So many characters of a text are kept, at least; it may be much longer."""
_BLANK = 1000


def latest_lines(text: str, room: int, most: int) -> list[str]:
    """The last lines of a text, wrapped from its first on, so that they do not jump while it grows."""
    found: list[str] = []
    for line in reversed(text.splitlines()[-most * 3 :]):
        if line.strip():
            found[:0] = wrapped(shown(line), room, _BLANK)[-most:]
        if len(found) >= most:
            break
    return found[-most:] if most else []


def kept(text: str, piece: str) -> str:
    """A text that goes on, without a beginning that nobody will see; it is cut seldom, so that lines stay."""
    if piece == RESTART:
        return ""
    text += piece
    return text[len(text) - MOST :] if len(text) > 2 * MOST else text
