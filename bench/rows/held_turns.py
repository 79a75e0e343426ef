"""Held turns: what the memory of so many turns is whose answers are just coming, beside bare streams."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass

from bench.plan import Plan
from bench.provider import provider
from bench.row import Claim, Row, at_most

REACH = 3


@dataclass(frozen=True, slots=True)
class _Held:
    count: int
    before: int
    after: int

    @property
    def each(self) -> float:
        """Bytes; one page in all at the least, where so few are held that nothing shows."""
        return max(self.after - self.before, 4096) / self.count

    def over(self, other: _Held) -> float:
        return self.each / other.each


def measure(plan: Plan) -> Row:
    count = plan.count(500)
    with provider("--hold") as url:
        streams, turns, runs = (_hold(plan, url, count, what) for what in ("bare", "turns", "runs"))
    claims = (
        _claim("turns of one run", turns, streams),
        _claim("runs of one turn each", runs, streams),
    )
    remark = (
        f"Resident memory of a process of its own, at the moment when the first piece of each of {count}"
        " answers has come and none has ended, less what it was with one; all of it:"
        f" {_mb(streams.after)} with bare streams of the client of OpenAI, {_mb(turns.after)} with turns,"
        f" {_mb(runs.after)} with runs. Before: {_mb(streams.before)}, {_mb(turns.before)},"
        f" {_mb(runs.before)}."
    )
    return Row("held", "500 turns of a real model at once", claims, (), (remark,))


def _claim(what: str, ours: _Held, streams: _Held) -> Claim:
    sizes = f"{ours.each / 1024:,.0f} kB to {streams.each / 1024:,.0f} kB each"
    return at_most(f"the memory of bare streams, {what} ({sizes})", ours.over(streams), REACH)


def _hold(plan: Plan, url: str, count: int, what: str) -> _Held:
    with plan.place() as place:
        command = [sys.executable, "-m", "bench.holding", url, str(place), str(count), what]
        told = subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout
        return _Held(count, *json.loads(told))


def _mb(size: int) -> str:
    return f"{size / 1024**2:,.0f} MB"
