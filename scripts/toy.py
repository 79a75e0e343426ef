"""The toy program of docs/architecture.md: taken from the page, and run.

It is run in two ways.  In memory, watched, for the pictures; and as a reader would run it, in a process of
its own, killed in the middle and started again.
"""

from __future__ import annotations

import asyncio
import os
import re
import runpy
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO

from quintet.engine.events import Event, family
from quintet.engine.programs import ProgramBody
from quintet.store.sqlite import SqliteStore

PAGE = Path(__file__).parent.parent / "docs" / "architecture.md"
NAME = "trip.py"
RUN = "paris"
DAY = "the museum first, then the soup"
ANSWERS = {
    "What is there to see in Paris?": "the Louvre",
    "What do people eat in Paris?": "onion soup",
    "A day with the Louvre and onion soup?": DAY,
}
"""What the reader, who plays the model, types."""


def source() -> str:
    """The code block of the page."""
    found = re.search(rf"```python\n(# {NAME}\n.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    assert found, f"{PAGE.name} holds no code block that begins with '# {NAME}'"
    return found[1]


def program() -> ProgramBody:
    """The workflow in it."""
    with TemporaryDirectory() as folder:
        path = Path(folder, NAME)
        path.write_text(source(), encoding="utf-8")
        return runpy.run_path(str(path))["trip"]


@dataclass(frozen=True, slots=True)
class Told:
    """What happened when the toy was run in a terminal, killed and run again."""

    terminal: str
    """What was there to read."""
    log: Sequence[Event]
    """What a replay reads of the log."""


def kill_and_resume() -> Told:
    """Run the toy, kill it while it waits for the plan, and run it again."""
    with TemporaryDirectory() as folder:
        Path(folder, NAME).write_text(source(), encoding="utf-8")
        *known, planned = ANSWERS.items()
        first = _live(folder, dict(known), killed_at=planned[0])
        second = _live(folder, dict([planned]))
        return Told(first + second, asyncio.run(_log(Path(folder, "trip.db"))))


def _live(folder: str, answers: dict[str, str], killed_at: str = "") -> str:
    """One process, from its start to its end; gives what its terminal shows."""
    command = [sys.executable, "-W", "error", NAME]
    with subprocess.Popen(
        command, cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    ) as child:
        assert child.stdin
        assert child.stdout
        try:
            shown = f"$ python {NAME}\n"
            for asked, answer in answers.items():
                shown += f"{_until(child.stdout, asked)}{answer}\n"
                child.stdin.write(f"{answer}\n".encode())
                child.stdin.flush()
            if killed_at:
                shown += f"{_until(child.stdout, killed_at)}Killed\n"
            else:
                shown += child.stdout.read().decode()
        finally:
            if killed_at or sys.exc_info()[0]:
                child.kill()
    assert child.returncode == (-9 if killed_at else 0), shown
    return shown


def _until(stdout: IO[bytes], prompt: str) -> str:
    """Read up to a prompt, which has to be the next thing to come."""
    wanted, read = f"{prompt} ".encode(), b""
    while read != wanted:
        read += os.read(stdout.fileno(), len(wanted) - len(read)) or b" (the end)"
        assert wanted.startswith(read), f"{read.decode()!r} came where {prompt!r} should"
    return prompt + " "


async def _log(path: Path) -> list[Event]:
    store = await SqliteStore.open(path)
    try:
        return [event for event in await store.log(RUN) if family(event.kind) in ("outcome", "host")]
    finally:
        await store.close()
