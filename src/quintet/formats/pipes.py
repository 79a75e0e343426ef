"""Pipes given as files: `quintet check <(generate)`, or one that has a name.

A pipe can be read only once, and one that nobody writes to would be waited for without end.
"""

from __future__ import annotations

import os
import select
from functools import lru_cache
from pathlib import Path

PATIENCE = 500
"""Milliseconds in which somebody has to open the other end."""


@lru_cache(maxsize=16)
def read_pipe(path: Path, most: int) -> bytes:
    """What a pipe gives, up to so many bytes; the same for whoever asks again.  Raises OSError."""
    pipe = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    try:
        pieces = [_begun(pipe)]
        os.set_blocking(pipe, True)
        left = most - len(pieces[0])
        while left > 0 and (piece := os.read(pipe, left)):
            pieces.append(piece)
            left -= len(piece)
        return b"".join(pieces)
    finally:
        os.close(pipe)


def _begun(pipe: int) -> bytes:
    """The first that comes, or nothing of a writer who takes his time."""
    found = select.poll()
    found.register(pipe, select.POLLIN)
    something = found.poll(PATIENCE)
    try:
        first = os.read(pipe, 1)
    except BlockingIOError:
        return b""
    if not first and not something:
        raise OSError(0, "nobody writes to this pipe")
    return first
