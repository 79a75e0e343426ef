"""Runs the benchmark: `make bench`, or `python -m bench.run` for a part of it.

The whole of it takes about five minutes and writes `bench/RESULTS.md`; what is less than the whole, or
quick, is printed unless `--output` names a file.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path

from bench import peer, results, surroundings
from bench.plan import Plan
from bench.row import Row
from bench.rows import (
    asked_turns,
    command_line,
    concurrent_runs,
    durable_sequence,
    fan_out,
    floor,
    held_turns,
    long_loop,
    machine_alone,
    replay,
    scripted_steps,
    waiting_runs,
)

RESULTS = Path(__file__).parent / "RESULTS.md"
ROWS: dict[str, Callable[[Plan], Row]] = {
    "machine": machine_alone.measure,
    "sequence-full": durable_sequence.full,
    "sequence-normal": durable_sequence.normal,
    "runs": concurrent_runs.measure,
    "fan-out": fan_out.measure,
    "loop": long_loop.measure,
    "replay": replay.measure,
    "waiting": waiting_runs.measure,
    "scripted": scripted_steps.measure,
    "asked": asked_turns.measure,
    "held": held_turns.measure,
    "command-line": command_line.measure,
    "floor": floor.measure,
}
ROUNDS = 9
QUICK = 100
"""A quick run does so many times less, once: it shows that all is measured, and measures nothing."""


def main(arguments: list[str] | None = None) -> None:
    asked = _parser().parse_args(arguments)
    names: list[str] = asked.only or list(ROWS)
    rounds, divisor = (1, QUICK) if asked.quick else (asked.rounds, 1)
    with (
        tempfile.TemporaryDirectory(prefix=".stores-", dir=asked.folder) as folder,
        nullcontext() if asked.no_peers else peer.peer(Path(folder)) as found,
    ):
        plan = Plan(Path(folder), found, rounds, divisor)
        page = results.page(
            [_measure(name, plan) for name in names], surroundings.look(plan.folder, found), rounds
        )
    is_whole = not (asked.only or asked.quick)
    if output := asked.output or (RESULTS if is_whole else None):
        output.write_text(page)
    else:
        print(page)


def _measure(name: str, plan: Plan) -> Row:
    began = time.perf_counter()
    row = ROWS[name](plan)
    print(f"[{name}] measured in {time.perf_counter() - began:.1f} s", file=sys.stderr, flush=True)
    for claim in row.claims:
        met = {True: "met", False: "NOT MET", None: "not known"}[claim.met]
        print(f"    {claim.measured}; reach: {claim.reach}: {met}", file=sys.stderr, flush=True)
    return row


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m bench.run", description="The engine beside its peers.")
    parser.add_argument("--only", action="append", choices=list(ROWS), help="this row (may be given again)")
    parser.add_argument(
        "--quick", action="store_true", help="a smoke test: everything once, and hardly any of it"
    )
    parser.add_argument("--rounds", type=int, default=ROUNDS, help="how often all contenders take a turn")
    parser.add_argument("--no-peers", action="store_true", help="without peers, even if they are installed")
    parser.add_argument("--output", type=Path, help="where the page is written")
    parser.add_argument(
        "--folder", type=Path, default=RESULTS.parent, help="on the disk to be measured; by default here"
    )
    return parser


if __name__ == "__main__":
    main()
