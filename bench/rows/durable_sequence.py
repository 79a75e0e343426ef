"""The durable sequence: one step after the other, each on the disk before the next begins."""

from __future__ import annotations

from functools import partial

from bench.plan import Plan
from bench.raw import coroutines, inserts
from bench.rounds import Contender, in_rounds
from bench.row import Row, at_least, at_most, duration, not_measured
from bench.steps import SEQUENCE, Durability, measured, run

_PEER = "LangGraph + SQLite, NORMAL"
_AS_IT_COMES = "LangGraph + SQLite as it comes"


def full(plan: Plan) -> Row:
    contenders = _ours(plan, "full")
    ours, raw, bare = in_rounds(plan.rounds, "step", contenders).values()
    claim = at_most(f"raw SQLite WAL/FULL ({_each(ours.wall, raw.wall)})", ours.over(raw), 1.5)
    return Row("sequence-full", "durable sequence of 1,000, `full`", (claim,), (ours, raw, bare))


def normal(plan: Plan) -> Row:
    contenders = _ours(plan, "normal")
    if (peer := plan.peer) is not None:
        steps = plan.count(500)
        contenders[_PEER] = partial(peer.runs, 1, steps, "normal", units=steps)
        contenders[_AS_IT_COMES] = partial(peer.runs, 1, steps, "full", units=steps)
        contenders["LangGraph without"] = partial(peer.runs, 1, steps, "none", units=steps)
    ours, raw, *rest = in_rounds(plan.rounds, "step", contenders).values()
    claims = [at_most(f"raw SQLite WAL/NORMAL ({_each(ours.wall, raw.wall)})", ours.over(raw), 15)]
    if plan.peer is not None:
        claims += [
            at_least(f"as fast as {name} ({duration(theirs.wall)})", theirs.over(ours), 12)
            for name, theirs in zip((_PEER, _AS_IT_COMES), rest[1:3], strict=True)
        ]
    else:
        claims.append(not_measured("LangGraph", "at least 12 ×"))
    remark = (
        "LangGraph takes 500 steps.  Its checkpoints are in WAL, with `synchronous=NORMAL` to be like ours, "
        "and with `FULL`, which is what its checkpointer comes with."
    )
    work = "durable sequence of 1,000, `normal`"
    return Row("sequence-normal", work, tuple(claims), (ours, raw, *rest), (remark,))


def _ours(plan: Plan, durability: Durability) -> dict[str, Contender]:
    steps = plan.count(1_000)
    return {
        f"Quintet, `{durability}`": lambda: measured(
            plan, durability, steps, lambda host: run(host, SEQUENCE, steps)
        ),
        f"raw SQLite WAL/{durability.upper()}": partial(inserts, plan, durability, steps),
        "bare coroutines": partial(coroutines, steps),
    }


def _each(ours: float, theirs: float) -> str:
    return f"{duration(ours)} to {duration(theirs)}"
