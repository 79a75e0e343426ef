"""Short ways to call the command line: in this process, and as users do."""

from __future__ import annotations

import io
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from unittest.mock import patch

from quintet.cli.app import call

COMMAND = [sys.executable, "-c", "from quintet.cli.app import main; main()"]


@dataclass(frozen=True, slots=True)
class Answer:
    code: int
    out: str
    err: str


def called(*arguments: str, stdin: str = "") -> Answer:
    """What a call gives, in this process: fast, and without a terminal."""
    out, err = _Stream(io.BytesIO(), encoding="utf-8"), _Stream(io.BytesIO(), encoding="utf-8")
    given = io.TextIOWrapper(io.BytesIO(stdin.encode()), encoding="utf-8")
    with (
        patch.object(sys, "stdout", out),
        patch.object(sys, "stderr", err),
        patch.object(sys, "stdin", given),
    ):
        code = call(arguments)
    return Answer(code, out.text(), err.text())


def run(*arguments: str, stdin: str = "", environment: Mapping[str, str] | None = None, cwd: Path) -> Answer:
    """The same as a process of its own."""
    done = subprocess.run(
        [*COMMAND, *arguments],
        input=stdin.encode(),
        capture_output=True,
        cwd=cwd,
        env={"PATH": "", "PYTHONUTF8": "1", **(environment or {})},
        timeout=30,
        check=False,
    )
    return Answer(done.returncode, done.stdout.decode(), done.stderr.decode())


class _Stream(io.TextIOWrapper):
    def text(self) -> str:
        self.flush()
        self.seek(0)
        return self.read()
