"""Fan-out: branches of one run at once, then their join; they share the price of a commit, too."""

from __future__ import annotations

from functools import partial

from bench.plan import Plan
from bench.raw import tasks
from bench.rounds import Contender, Sample, in_rounds
from bench.row import Row, at_most, duration
from bench.steps import FAN_OUT, SEQUENCE, measured, run

GROWTH = 1.5
"""Ten times as many may cost so many times ten: beyond the processor's caches everything is dearer."""


def measure(plan: Plan) -> Row:
    small, large = plan.count(1_000), plan.count(10_000)

    def ours(branches: int) -> Sample:
        return measured(plan, "full", branches, lambda host: run(host, FAN_OUT, branches))

    def steps() -> Sample:
        return measured(plan, "full", small, lambda host: run(host, SEQUENCE, small))

    contenders: dict[str, Contender] = {
        f"fan-out of {small:,}, per branch": partial(ours, small),
        f"fan-out of {large:,}, per branch": partial(ours, large),
        f"sequence of {small:,}, per step": steps,
        "bare tasks, gathered": partial(tasks, small),
    }
    few, many, sequence, bare = in_rounds(plan.rounds, "branch", contenders).values()
    each = f"{duration(few.wall)} to {duration(sequence.wall)}"
    return Row(
        "fan-out",
        "fan-out of 1,000, then join, `full`",
        (
            at_most(f"a step of the durable sequence, per branch ({each})", few.over(sequence), 0.5),
            at_most(f"a branch of {small:,} in a fan-out of {large:,}", many.over(few), GROWTH),
        ),
        (few, many, sequence, bare),
    )
