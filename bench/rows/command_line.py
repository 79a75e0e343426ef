"""The command line: what a call takes from its beginning to its end, beside a Python that does nothing."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

from bench.plan import Plan
from bench.rounds import Contender, Sample, in_rounds
from bench.row import Row, at_most, duration

_QUINTET = str(Path(sys.executable).parent / "quintet")
_STEPS = 50


def measure(plan: Plan) -> Row:
    calls = plan.count(5)
    with plan.place() as place:
        _write(place, "one.json", _flow(1))
        _write(place, "fifty.json", _flow(_STEPS))
        _write(place, "script.json", {"agents": {"writer": [{"reply": "done"}]}})
        run = ("run", "one.json", "tea", "--script", "script.json", "--json")
        contenders: dict[str, Contender] = {
            "`python -c pass`": partial(_calls, place, calls, sys.executable, "-c", "pass"),
            "`quintet --help`": partial(_calls, place, calls, _QUINTET, "--help"),
            f"`quintet check`, {_STEPS} steps": partial(
                _calls, place, calls, _QUINTET, "check", "fifty.json"
            ),
            "`quintet run --json`, one scripted step": partial(_calls, place, calls, _QUINTET, *run),
        }
        for contender in contenders.values():
            contender()  # now there is bytecode, as there is for whoever has installed it
        python, *ours = series = tuple(in_rounds(plan.rounds, "call", contenders).values())
    claims = tuple(
        at_most(f"`python -c pass`, {one.name} ({duration(one.wall)})", one.over(python), limit)
        for one, limit in zip(ours, (10, 20, 30), strict=True)
    )
    return Row("command-line", "the command line, a call", claims, series)


def _flow(steps: int) -> object:
    agent = {"agent_name": "writer", "prompt": "Write about {{input}}"}
    return {"name": "flow", "steps": [{"name": f"step {number}", **agent} for number in range(steps)]}


def _write(place: Path, name: str, content: object) -> None:
    (place / name).write_text(json.dumps(content), encoding="utf-8")


def _calls(place: Path, calls: int, *command: str) -> Sample:
    told = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    wall, cpu = time.perf_counter(), _of_children()
    for _ in range(calls):
        subprocess.run(
            command,
            cwd=place,
            env={**told, "QUINTET_HOME": str(place / "home")},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            check=True,
        )
    return Sample((time.perf_counter() - wall) / calls, (_of_children() - cpu) / calls)


def _of_children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
