"""Walks: pages that are followed as a reader would follow them, from the first block to the last.

A block with the name of a file in its first line (```` ```json tea.json ````) is that file.  A console block
is typed line by line: what stands below a command is what it prints.  All blocks of a page share a folder,
which begins with the examples in it, and a store.

The commands are typed into a real terminal, so a page shows what a reader sees.  A command with the comment
`# kill -9 while NAME works` is killed when that step has begun.  What changes from one time to the next (ids,
times, bars) is no reason to write a page anew.

What is exported stays so for the rest of its page.  Models are asked at a provider on this machine
(`scripts.provider`), whatever key a page exports.
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
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from scripts.emulator import Emulator
from scripts.provider import SERVED, provider

ROOT = Path(__file__).parent.parent
COLUMNS, ROWS = 88, 60
BLOCK = re.compile(r"^```(\w+)(?: (\S+))?\n(.*?)^```$", re.DOTALL | re.MULTILINE)
_KILLED = re.compile(r"(.*?) +# kill -9 while (\S+) works")
_EXPORT = re.compile(r"export (\w+)=(\S+).*")
_MARK = "\0"
_SHOWN = b"\x1b[?2026l"
"""The end of a picture that is drawn live."""
_CHANGES = (
    (r"\b[0-9a-f]{32}\b|\b[0-9a-f]{8}\b", "ID"),
    (r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?Z?)?|\b\d+:\d\d(\.\d+)?\b", "TIME"),
    (r'("duration_ms": |"time": )[\d.]+', r"\1TIME"),
    (r"\b[\d.,]+ ?(ms|s|min)\b( ago)?|just now", "TIME"),
    (r"^ +took: [\d.]+\n", ""),
    (r"\b[\d,]+ tokens/s", "RATE"),
    (r"▇+", ""),
    (r" +", " "),
    (r" $", ""),
)
"""What changes, and what is compared in its place."""


def walked(text: str) -> str:
    """A page with what its commands print now."""
    with tempfile.TemporaryDirectory() as folder, provider().in_thread() as server:
        walk = _Walk(Path(folder, "here"), server.url)
        shutil.copytree(ROOT / "examples", walk.place / "examples")
        return BLOCK.sub(walk.followed, text)


@dataclass(slots=True)
class _Walk:
    """One page, as far as it has been followed."""

    place: Path
    """The folder in which commands are typed."""
    url: str
    """Where the provider is."""
    exported: dict[str, str] = field(default_factory=dict[str, str])

    def followed(self, block: re.Match[str]) -> str:
        """A block with what its commands print now."""
        language, name, text = block.groups()
        if name:
            path = self.place / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text.replace(SERVED, self.url), encoding="utf-8")
        if language != "console":
            return block[0]
        commands = _commands(text)
        for command in commands:
            if found := _EXPORT.fullmatch(command):
                self.exported[found[1]] = found[2]
        typed = "".join(self._typed(commands)).replace(self.url, SERVED)
        typed = f"```console\n{typed}```"
        return block[0] if settled(typed) == settled(block[0]) else typed

    def _typed(self, commands: list[str]) -> Iterator[str]:
        """Each command, and what is to be seen after it."""
        killed = [_KILLED.fullmatch(command) for command in commands]
        if killed[0]:
            assert len(commands) == 1, "a command that is killed has a block of its own"
            seen = _seen(_on_terminal(f"exec {killed[0][1]}", self.place, self._environment, killed[0][2]))
            yield f"$ {commands[0]}\n{seen}Killed\n"
            return
        script = "".join(f"printf '\\0'\n(exit $was)\n{command}\nwas=$?\n" for command in commands)
        told = _on_terminal(f"was=0\n{script}", self.place, self._environment).split(_MARK)[1:]
        yield from (f"$ {command}\n{_seen(one)}" for command, one in zip(commands, told, strict=True))

    @property
    def _environment(self) -> dict[str, str]:
        folder = self.place.parent
        return {
            "NO_COLOR": "1",
            "TERM": "xterm",
            "LANG": "C.UTF-8",
            "PYTHONUTF8": "1",
            "PYTHONDONTWRITEBYTECODE": "1",
            "QUINTET_HOME": str(folder / "home"),
            "HOME": str(folder),
            "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
            "OPENAI_BASE_URL": self.url,
            **self.exported,
        }


def settled(text: str) -> str:
    """A text without what changes each time."""
    for pattern, stand_in in _CHANGES:
        text = re.sub(pattern, stand_in, text, flags=re.MULTILINE)
    return text


def _commands(text: str) -> list[str]:
    return [line.removeprefix("$ ") for line in text.splitlines() if line.startswith("$ ")]


def _seen(told: str) -> str:
    """What is left on the screen."""
    screen = Emulator(400, 400)
    screen.write(told)
    return "".join(f"{line}\n" for line in screen.lines)


def _on_terminal(
    script: str, place: Path, environment: Mapping[str, str], killed_at: str | None = None
) -> str:
    """All that a shell writes to its terminal."""
    ours, theirs = os.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
    with subprocess.Popen(
        ["bash", "-c", script],
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        cwd=place,
        env=environment,
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
