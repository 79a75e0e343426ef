"""On a terminal a run is a live tree; when the terminal goes away the run is suspended."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tests.cli.calling import called
from tests.cli.files import written
from tests.cli.runs import flow, script, shown

IN_TERMINAL = """
import fcntl, termios
fcntl.ioctl(0, termios.TIOCSCTTY, 0)
from quintet.cli.app import main
main()
"""
"""The command, with its standard streams as the terminal that its signals come from."""


class Terminal:
    """A run on a terminal of its own."""

    def __init__(self, *arguments: str) -> None:
        self._ours, theirs = os.openpty()
        self._process = subprocess.Popen(
            [sys.executable, "-c", IN_TERMINAL, *arguments],
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            start_new_session=True,
            env={**os.environ, "TERM": "xterm", "PYTHONUTF8": "1", "COLUMNS": "80"},
        )
        os.close(theirs)

    def read(self, until: str = "") -> str:
        """What it shows, up to some text or to its end."""
        seen = b""
        while not until or until.encode() not in seen:
            try:
                piece = os.read(self._ours, 65536)
            except OSError:  # nobody has the other end any more
                break
            if not piece:
                break
            seen += piece
        return seen.decode(errors="replace")

    def close(self) -> None:
        os.close(self._ours)

    def wait(self) -> int:
        return self._process.wait(timeout=30)


def test_the_final_tree_stays_and_the_output_follows(workplace: Path) -> None:
    path, says = (
        written(workplace, "f.json", flow("one")),
        written(workplace, "s.json", script(one="a\x1b[2Jb")),
    )
    terminal = Terminal("run", path, "in", "--script", says, "--run-id", "r")
    seen = terminal.read()
    assert terminal.wait() == 0
    terminal.close()
    tree, _, rest = seen.rpartition("\x1b[?25h")
    assert "Ctrl-C suspends" in tree
    assert rest.splitlines()[:3] == ["", "a\ufffd[2Jb", ""], "what an agent says moves no cursor"
    assert "quintet show r" in rest


def test_a_terminal_that_goes_away_suspends_the_run(workplace: Path) -> None:
    says = written(workplace, "s.json", script(one="1", two={"reply": "late", "delay": 60}))
    path = written(workplace, "f.json", flow("one", "two"))
    terminal = Terminal("run", path, "in", "--script", says, "--run-id", "r")
    terminal.read("●")
    terminal.close()
    assert terminal.wait() == 130
    assert shown()["status"] == "interrupted"
    again = written(workplace, "again.json", script(one="1", two="done"))
    assert called("resume", "r", "--script", again).out == "done\n"
