"""Waiting runs: a run that waits for a person is in the store and nowhere else."""

from __future__ import annotations

import json
import subprocess
import sys

from bench.plan import Plan
from bench.row import Claim, Row

REACH = 64 * 1024
"""Bytes, for all runs together: what the caches of an interpreter come to."""


def measure(plan: Plan) -> Row:
    runs = plan.count(1_000)
    none, first, second = _hold(plan, runs, "allocated")
    resident = _hold(plan, runs, "resident")
    grown = first - none
    claim = Claim(
        f"{_kb(grown)} more allocated than while none waited ({_kb(first)} to {_kb(none)})",
        f"at most {_kb(REACH)} for all of them",
        grown <= REACH,
    )
    remark = (
        f"{runs:,} runs more, which makes {2 * runs:,} that wait: {_kb(second - first)} more allocated."
        f" Resident memory of the process at the same three moments: {', '.join(map(_kb, resident))}. Before"
        f" them, {runs:,} runs at once had ended."
    )
    return Row("waiting", "1,000 runs that wait for a person", (claim,), (), (remark,))


def _hold(plan: Plan, runs: int, what: str) -> list[int]:
    with plan.place() as place:
        command = [sys.executable, "-m", "bench.waiting", str(place), str(runs), what]
        return json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)


def _kb(size: int) -> str:
    return f"{size / 1024:,.0f} kB"
