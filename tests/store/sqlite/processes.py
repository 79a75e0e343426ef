"""Other processes at work on the store of a test."""

import os
import signal
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

_CHILD = Path(__file__).with_name("child.py")
_LOCKER = """
import apsw, sys
connection = apsw.Connection(sys.argv[1])
connection.execute("BEGIN IMMEDIATE")
print("locked", flush=True)
sys.stdin.readline()
connection.execute("ROLLBACK")
print("let go", flush=True)
"""


class Process:
    """One that answers each line with a line."""

    def __init__(self, *arguments: str) -> None:
        self._process = subprocess.Popen(
            [sys.executable, *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self.said = self._read()

    @property
    def pid(self) -> int:
        return self._process.pid

    def tell(self, *words: str | int | Path) -> str:
        self._write(" ".join(map(str, words)))
        return self._read()

    def freeze(self) -> None:
        """Stop it where it is, and see that it has stopped."""
        os.kill(self.pid, signal.SIGSTOP)
        os.waitid(os.P_PID, self.pid, os.WSTOPPED | os.WNOWAIT)

    def thaw(self) -> None:
        os.kill(self.pid, signal.SIGCONT)

    def kill(self) -> None:
        """Kill it, and see that it is dead; it stays a zombie until it is buried."""
        os.kill(self.pid, signal.SIGKILL)
        os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOWAIT)

    def bury(self) -> None:
        self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe:
                pipe.close()

    def _write(self, line: str) -> None:
        assert self._process.stdin
        self._process.stdin.write(f"{line}\n")
        self._process.stdin.flush()

    def _read(self) -> str:
        assert self._process.stdout
        return self._process.stdout.readline().strip()


@contextmanager
def child(place: Path, machine: str = "") -> Generator[Process]:
    """A process with the store open."""
    process = Process(str(_CHILD), str(place), machine)
    try:
        assert process.said == "open"
        yield process
    finally:
        process.bury()


@contextmanager
def locker(place: Path) -> Generator[Process]:
    """A process that keeps the file locked until it is told to let go."""
    process = Process("-c", _LOCKER, str(place))
    try:
        assert process.said == "locked"
        yield process
    finally:
        process.bury()
