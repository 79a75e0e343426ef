"""Ctrl-C and its like: once suspends a run, twice lets it go at once; nothing finished is lost."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from pathlib import Path

import pytest

from tests.cli.calling import COMMAND, called
from tests.cli.files import written
from tests.cli.processes import Working
from tests.cli.runs import flow, script, shown

SLOW = {"reply": "late", "delay": 60}


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_once_suspends_and_prints_how_to_go_on(workplace: Path, number: signal.Signals) -> None:
    with Working(workplace, one="first", two=SLOW) as working:
        code, out, err = working.told(number)
    assert (code, out) == (130, "")
    assert err.splitlines()[0].startswith("interrupted after 1 of 2 steps")
    assert err.splitlines()[-1] == "  quintet resume r   goes on"
    assert shown()["status"] == "interrupted"
    again = written(workplace, "again.json", script(two="done"))
    assert called("resume", "r", "--script", again).out == "done\n"


def test_json_tells_of_an_interrupted_run_too(workplace: Path) -> None:
    with Working(workplace, "--json", "--durability", "normal", one="first", two=SLOW) as working:
        code, out, _ = working.told(signal.SIGTERM)
    assert (code, json.loads(out)["status"]) == (130, "interrupted")


def test_twice_lets_the_run_go_at_once(workplace: Path) -> None:
    with Working(workplace, one="first", two=SLOW) as working:
        code, _, err = working.told(signal.SIGINT, signal.SIGTERM)
    assert code == 130
    assert "quintet resume r" in err
    assert shown()["status"] == "interrupted"


def test_in_a_pipe_that_nobody_reads_any_more_the_run_is_suspended(workplace: Path) -> None:
    says = written(workplace, "script.json", script(one="first", two=SLOW))
    path = written(workplace, "flow.json", flow("one", "two"))
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run(
        [*COMMAND, "run", path, "--script", says, "--events", "--run-id", "r"],
        stdout=write,
        stderr=subprocess.PIPE,
        text=True,
        timeout=30,
        check=False,
    )
    os.close(write)
    assert done.returncode == 130
    assert "quintet resume r" in done.stderr


def test_a_signal_that_was_ignored_from_the_start_stays_ignored(workplace: Path) -> None:
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)  # as nohup does
    try:
        with Working(workplace, one="first", two={"reply": "done", "delay": 0.2}) as working:
            assert working.told(signal.SIGHUP)[:2] == (0, "done\n")
    finally:
        signal.signal(signal.SIGHUP, before)
