"""Order: what follows from which step depends on which."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

Needs = Mapping[str, Sequence[str]]
"""What each step depends on."""


def circle(needs: Needs) -> Sequence[str] | None:
    """A circle of steps, each depending on the next; None where there is none."""
    over: set[str] = set()
    for start in needs:
        way: dict[str, Iterator[str]] = {}
        at: str | None = start
        while at is not None:
            if at not in over and at not in way:
                way[at] = iter(needs[at])
            at = _next(way, over, needs)
            if at is not None and at in way:
                names = list(way)
                return names[names.index(at) :]
    return None


def _next(way: dict[str, Iterator[str]], over: set[str], needs: Needs) -> str | None:
    """The next step to look at; those that lead no further are over."""
    while way:
        name, rest = next(reversed(way.items()))
        for needed in rest:
            if needed in needs and needed not in over:
                return needed
        over.add(name)
        del way[name]
    return None


class Ancestry:
    """Which steps come before which, worked out when somebody asks."""

    def __init__(self, needs: Needs) -> None:
        self._needs = needs
        self._bits = {name: 1 << number for number, name in enumerate(needs)}
        self._before: dict[str, int] = {}

    def comes_before(self, name: str, step: str) -> bool:
        """Whether a step has completed, for certain, when another begins."""
        return bool(self._all_before(step) & self._bits.get(name, 0))

    def _all_before(self, step: str) -> int:
        if step not in self._before:
            self._work_out(step)
        return self._before[step]

    def _work_out(self, step: str) -> None:
        waiting, begun = [step], set[str]()
        while waiting:
            name = waiting[-1]
            missing = [one for one in self._known(name) if one not in self._before and one not in begun]
            begun.add(name)
            if missing:
                waiting += missing
                continue
            waiting.pop()
            self._before[name] = 0
            for one in self._known(name):
                self._before[name] |= self._bits[one] | self._before.get(one, 0)

    def _known(self, name: str) -> Iterator[str]:
        return (one for one in self._needs.get(name, ()) if one in self._needs)
