"""A run in a process of its own, to be killed, watched and cancelled while it works."""

from __future__ import annotations

import os
import signal
import subprocess
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from tests.cli.calling import COMMAND
from tests.cli.files import written
from tests.cli.runs import flow, script


class Working:
    """`quintet run`, entered when its last step has begun; it is killed in the end."""

    def __init__(self, folder: Path, *options: str, run_id: str = "r", **agents: Any) -> None:
        path = written(folder, "flow.json", flow(*agents))
        says = written(folder, "script.json", script(**agents))
        self._last = [*agents][-1]
        self._process = subprocess.Popen(
            [*COMMAND, "run", path, "in", "--script", says, "--run-id", run_id, *options],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=folder,
            env={**os.environ, "PYTHONUTF8": "1"},
            text=True,
        )

    @property
    def pid(self) -> int:
        return self._process.pid

    def __enter__(self) -> Self:
        assert self._process.stderr is not None
        for line in self._process.stderr:
            if f"● {self._last} started" in line:
                return self
        raise AssertionError(f"it ended: {self._process.wait()}")

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.kill()

    def kill(self) -> None:
        if self._process.poll() is None:
            self._process.kill()
        with self._process:  # closes its pipes
            pass

    def told(self, *signals: signal.Signals) -> tuple[int, str, str]:
        """Its exit code and the rest of what it wrote, after these signals."""
        for number in signals:
            self._process.send_signal(number)
        out, err = self._process.communicate(timeout=30)
        return self._process.returncode, out, err
