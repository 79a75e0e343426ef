"""Walks: pages that are followed as a reader would follow them, from the first block to the last.

A block with the name of a file in its first line (```` ```json tea.json ````) is that file.  A console block
is typed line by line: what stands below a command is what it prints.  All blocks of a page share a folder,
which begins with the examples in it, and a store.

The commands are typed into a real terminal, so a page shows what a reader sees.  A command with the comment
`# kill -9 while NAME works` is killed when that step has begun.  What changes from one time to the next (ids,
times, bars) is no reason to write a page anew.
"""

from __future__ import annotations

import fcntl
import os
import re
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import termios
from collections.abc import Iterator
from pathlib import Path

from scripts.emulator import Emulator

ROOT = Path(__file__).parent.parent
COLUMNS, ROWS = 88, 60
BLOCK = re.compile(r"^```(\w+)(?: (\S+))?\n(.*?)^```$", re.DOTALL | re.MULTILINE)
_KILLED = re.compile(r"(.*?) +# kill -9 while (\S+) works")
_MARK = "\0"
_SHOWN = b"\x1b[?2026l"
"""The end of a picture that is drawn live."""
_CHANGES = (
    (r"\b[0-9a-f]{32}\b|\b[0-9a-f]{8}\b", "ID"),
    (r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?Z?)?|\b\d+:\d\d(\.\d+)?\b", "TIME"),
    (r'("duration_ms": |"time": )[\d.]+', r"\1TIME"),
    (r"\b[\d.,]+ ?(ms|s|min)\b( ago)?|just now", "TIME"),
    (r"^ +took: [\d.]+\n", ""),
    (r"▇+", ""),
    (r" +", " "),
    (r" $", ""),
)
"""What changes, and what is compared in its place."""


def walked(text: str) -> str:
    """A page with what its commands print now."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder, "here")
        shutil.copytree(ROOT / "examples", place / "examples")
        return BLOCK.sub(lambda block: _followed(block, place), text)


def _followed(block: re.Match[str], place: Path) -> str:
    language, name, text = block.groups()
    if name:
        path = place / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    if language != "console":
        return block[0]
    typed = f"```console\n{''.join(_typed(_commands(text), place))}```"
    return block[0] if settled(typed) == settled(block[0]) else typed


def settled(text: str) -> str:
    """A text without what changes each time."""
    for pattern, stand_in in _CHANGES:
        text = re.sub(pattern, stand_in, text, flags=re.MULTILINE)
    return text


def _commands(text: str) -> list[str]:
    return [line.removeprefix("$ ") for line in text.splitlines() if line.startswith("$ ")]


def _typed(commands: list[str], place: Path) -> Iterator[str]:
    """Each command, and what is to be seen after it."""
    killed = [_KILLED.fullmatch(command) for command in commands]
    if killed[0]:
        assert len(commands) == 1, "a command that is killed has a block of its own"
        seen = _seen(_on_terminal(f"exec {killed[0][1]}", place, killed[0][2]))
        yield f"$ {commands[0]}\n{seen}Killed\n"
        return
    script = "".join(f"printf '\\0'\n(exit $was)\n{command}\nwas=$?\n" for command in commands)
    told = _on_terminal(f"was=0\n{script}", place).split(_MARK)[1:]
    yield from (f"$ {command}\n{_seen(one)}" for command, one in zip(commands, told, strict=True))


def _seen(told: str) -> str:
    """What is left on the screen."""
    screen = Emulator(400, 400)
    screen.write(told)
    return "".join(f"{line}\n" for line in screen.lines)


def _on_terminal(script: str, place: Path, killed_at: str | None = None) -> str:
    """All that a shell writes to its terminal."""
    ours, theirs = os.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
    with subprocess.Popen(
        ["bash", "-c", script],
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        cwd=place,
        env=_environment(place.parent),
        start_new_session=True,
    ) as shell:
        os.close(theirs)
        told = b""
        for piece in _pieces(ours):
            told += piece
            if killed_at and _SHOWN in told.partition(f"● {killed_at}".encode())[2]:
                shell.send_signal(signal.SIGKILL)
                break
        os.close(ours)
    return told.decode()


def _pieces(terminal: int) -> Iterator[bytes]:
    while True:
        try:
            piece = os.read(terminal, 65536)
        except OSError:  # nobody has the other end any more
            return
        if not piece:
            return
        yield piece


def _environment(folder: Path) -> dict[str, str]:
    return {
        "NO_COLOR": "1",
        "TERM": "xterm",
        "LANG": "C.UTF-8",
        "PYTHONUTF8": "1",
        "PYTHONDONTWRITEBYTECODE": "1",
        "QUINTET_HOME": str(folder / "home"),
        "HOME": str(folder),
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
    }
