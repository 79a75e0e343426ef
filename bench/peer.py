"""The peer: LangGraph, in a process and an environment of its own, asked for one measurement at a time."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal, TypeAlias

from bench.rounds import Sample

_PEERS = Path(__file__).parent / "peers"
_PYTHON = _PEERS / ".venv" / "bin" / "python"

Saver: TypeAlias = Literal["none", "normal", "full"]
"""No checkpointer, or its SQLite one with this `synchronous`."""


class Peer:
    """A process that measures when it is told to, and waits in between."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process
        self.versions: dict[str, str] = self._read()

    def runs(self, runs: int, steps: int, saver: Saver, *, units: int) -> Sample:
        """So many runs of so many steps at once; what each of so many units took."""
        assert self._process.stdin is not None
        print(
            json.dumps({"runs": runs, "steps": steps, "saver": saver}), file=self._process.stdin, flush=True
        )
        took = self._read()
        return Sample(took["seconds"] / units, took["cpu"] / units)

    def _read(self) -> Any:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise RuntimeError("the peer has ended; what it said is above")
        return json.loads(line)


@contextmanager
def peer(folder: Path) -> Generator[Peer | None]:
    """The peer, working in a folder; None if its environment was not made."""
    if not _PYTHON.exists():
        yield None
        return
    command = [str(_PYTHON), str(_PEERS / "langgraph_peer.py"), str(folder)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield Peer(process)
        finally:
            process.terminate()
