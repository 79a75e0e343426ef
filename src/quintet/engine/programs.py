"""Programs and their versions.

A run is recorded by one version of its program, and a later release must either behave as that version did
or say that it cannot.  So each part whose behaviour can change, a format's program or the turn that all
formats share, carries a version; new runs record the current ones, and `ctx.version` tells a program which
it is replaying.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from quintet.engine.context import Context
from quintet.engine.failures import EngineError
from quintet.engine.values import Json

ProgramBody: TypeAlias = Callable[[Context, Json], Awaitable[Json]]


class Unsupported(EngineError):
    """This release cannot replay what another has recorded."""

    code = "unsupported"


@dataclass(frozen=True, slots=True)
class Version:
    """The versions of one part of a program."""

    part: str
    current: int = 1
    oldest: int = 1
    """The oldest version that this release still replays."""
    last_releases: Mapping[int, str] = field(default_factory=dict[int, str])
    """For a version that is not: the last release that does."""

    def check(self, recorded: int) -> None:
        """Raises Unsupported unless this release can replay a recorded version."""
        if recorded > self.current:
            raise Unsupported(
                f"recorded by version {recorded} of {self.part!r}, which is newer than this release"
            )
        if recorded < self.oldest:
            release = self.last_releases.get(recorded, "an older release")
            raise Unsupported(
                f"recorded by version {recorded} of {self.part!r}, which this release no longer replays; "
                f"the last one that does is {release}"
            )


@dataclass(frozen=True, slots=True)
class Program:
    """What running a workflow means: a body over a Context, and the versions it understands."""

    name: str
    body: ProgramBody
    versions: tuple[Version, ...] = ()

    @property
    def recorded(self) -> dict[str, int]:
        """What a new run records."""
        return {version.part: version.current for version in self.versions}

    def check(self, name: str, recorded: Mapping[str, int]) -> None:
        """Raises Unsupported unless this program can replay a run recorded by `name` in these versions."""
        if name != self.name:
            raise Unsupported(f"recorded by the program {name!r}; it cannot go on under {self.name!r}")
        known = {version.part: version for version in self.versions}
        for part, number in recorded.items():
            if part not in known:
                raise Unsupported(f"recorded with {part!r}, which this release does not have")
            known[part].check(number)
