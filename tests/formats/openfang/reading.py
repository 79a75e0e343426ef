"""The guide read once more: what a workflow comes to, as the simplest code that follows the prose.

It knows no log, no branches and no clock; members of a group are looked at one after the other, by how long
each takes.  Whatever the engine does, it comes to the same.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any, NamedTuple, TypeAlias

Step: TypeAlias = Mapping[str, Any]
Result: TypeAlias = tuple[str, str]
"""A step result: its name, and what was said."""


class Ending(NamedTuple):
    """What a run comes to."""

    output: str | None
    error: str | None
    results: list[Result]


class Said(NamedTuple):
    """What comes of one attempt."""

    text: str
    """The answer, or what is told of the failure."""
    well: bool
    after: float
    """Seconds that it took."""


class Failed(Exception):
    """The workflow fails."""


@dataclass
class Reader:
    """A run, as a reader of the guide follows it."""

    agents: Mapping[str, Sequence[Step]]
    input: str
    variables: dict[str, str] = field(default_factory=dict[str, str])
    results: list[Result] = field(default_factory=list[Result])
    group: list[str] = field(default_factory=list[str])
    calls: Counter[str] = field(default_factory=Counter[str])

    def ending(self, steps: Sequence[Step]) -> Ending:
        try:
            for block in _blocks(steps):
                self.block(block)
        except Failed as failed:
            return Ending(None, str(failed), self.results)
        return Ending(self.input, None, self.results)

    def block(self, steps: Sequence[Step]) -> None:
        step = steps[0]
        match step["mode"]:
            case "fan_out":
                self.fan_out(steps)
            case "collect":
                self.hand_on(step, "\n\n---\n\n".join(self.group))
            case "loop":
                self.loop(step)
            case "conditional" if step["condition"].lower() not in self.input.lower():
                pass
            case _:
                said = self.one(step, step["name"])
                if said is not None:
                    self.hand_on(step, said)

    def fan_out(self, steps: Sequence[Step]) -> None:
        members = [(step, self.attempt(step, self.prompt(step))) for step in steps]
        bad = [(said.after, number) for number, (_, said) in enumerate(members) if not said.well]
        end = min(bad, default=(float("inf"), 0))
        done = [one for number, one in enumerate(members) if one[1].well and (one[1].after, number) < end]
        self.results += [(step["name"], said.text) for step, said in done]
        if bad:
            step, said = members[end[1]]
            raise Failed(f"FanOut step '{step['name']}' {said.text}")
        for step, said in members:
            self.hand_on(step, said.text)
        self.group = [said.text for _, said in members]

    def loop(self, step: Step) -> None:
        for number in range(1, step["max_iterations"] + 1):
            said = self.one(step, f"{step['name']} (iter {number})")
            if said is None:
                break
            self.input = said
            if step["until"].lower() in said.lower():
                break
        self.hand_on(step, self.input)

    def one(self, step: Step, name: str) -> str | None:
        """A step with its retries; None if it is skipped."""
        prompt = self.prompt(step)
        retries = step["max_retries"] if step["error_mode"] == "retry" else 0
        said = self.attempt(step, prompt)
        for _ in range(retries):
            said = said if said.well else self.attempt(step, prompt)
        if said.well:
            self.results.append((name, said.text))
            return said.text
        if step["error_mode"] == "skip":
            return None
        if step["error_mode"] == "retry":
            last = said.text.removeprefix("failed: ")
            raise Failed(f"Step '{step['name']}' failed after {retries} retries: {last}")
        raise Failed(f"Step '{step['name']}' {said.text}")

    def attempt(self, step: Step, prompt: str) -> Said:
        agent, limit = step["agent_name"], step["timeout_secs"]
        self.calls[agent] += 1
        entries = self.agents[agent]
        entry = entries[min(self.calls[agent], len(entries)) - 1]
        took = entry.get("delay", 0.0)
        if took > limit:
            return Said(f"timed out after {limit}s", well=False, after=limit)
        if "error" in entry:
            return Said(f"failed: {entry['error']}", well=False, after=took)
        return Said(entry["reply"].replace("{{prompt}}", prompt), well=True, after=took)

    def prompt(self, step: Step) -> str:
        text = step["prompt"].replace("{{input}}", self.input)
        return re.sub(r"\{\{(\w+)\}\}", lambda found: self.variables.get(found[1], found[0]), text)

    def hand_on(self, step: Step, output: str) -> None:
        self.input = output
        if "output_var" in step:
            self.variables[step["output_var"]] = output


def _blocks(steps: Sequence[Step]) -> Iterator[list[Step]]:
    """ "The engine collects all consecutive `fan_out` steps." """
    for parallel, some in groupby(steps, lambda step: step["mode"] == "fan_out"):
        block = list(some)
        yield from [block] if parallel else [[step] for step in block]
