"""Terminal sessions for the pages: commands of `quintet`, and what they really print.

What is shown does not hang on the machine: no colours, a fixed width, a store of its own.  Of a run only the
result is shown, since times differ.
"""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parent.parent
QUINTET = Path(sys.executable).parent / "quintet"
MISTAKEN = """{
  "name": "review",
  "steps": [
    {"name": "write", "agent_name": "writer", "output_var": "summary"},
    {"name": "shorten", "agentname": "editor", "prompt": "Shorten: {{sumary}}"},
    {"name": "gather", "mode": "collect"}
  ]
}
"""


def session(*commands: str, folder: Path = ROOT, with_errors: bool = False) -> str:
    """What somebody sees who types these commands in a folder."""
    return "".join(f"$ {command}\n{_printed(command, folder, with_errors)}" for command in commands)


def mistake() -> str:
    """A file with three mistakes, checked."""
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "review.json").write_text(MISTAKEN, encoding="utf-8")
        return session("quintet check review.json", folder=Path(folder), with_errors=True)


def _printed(command: str, folder: Path, with_errors: bool) -> str:
    program, *arguments = shlex.split(command)
    assert program == "quintet"
    with tempfile.TemporaryDirectory() as home:
        told = {"NO_COLOR": "1", "COLUMNS": "88", "PYTHONIOENCODING": "utf-8", "QUINTET_HOME": home}
        done = subprocess.run(
            [QUINTET, *arguments],
            cwd=folder,
            env={**os.environ, **told},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT if with_errors else subprocess.DEVNULL,
            encoding="utf-8",
            check=False,
        )
    return done.stdout
