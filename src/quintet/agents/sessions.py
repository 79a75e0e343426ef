"""Sessions: conversations that a program holds, and lets several turns take part in.

    session = Session("worker")
    await turn(ctx, agent, "Begin.", session=session)
    await turn(ctx, agent, "Go on.", session=session)

A session is the hash of its last message and no more; what was said is in the log.  A turn appends its
messages to the session as that then is: two turns that ran at once both stay, in the order in which they
ended.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from quintet.engine.context import Context
from quintet.engine.values import Json, fingerprint

EARLIER: Final = "sessions"
"""The effect that gives a run the sessions of an earlier one, with all that was said in them."""


@dataclass(frozen=True, slots=True)
class Splice:
    """Messages of one conversation, said again at the end of another."""

    after: str | None
    """The head of the conversation that they come after."""
    start: str | None
    """The message before the first of them."""
    end: str
    """The last of them."""

    @property
    def head(self) -> str:
        """The head that comes of it."""
        return fingerprint("splice", self.after or "", self.start or "", self.end)

    def to_json(self) -> dict[str, Json]:
        return {"after": self.after, "start": self.start, "end": self.end}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Splice:
        return cls(data["after"], data["start"], data["end"])


class Session:
    """A conversation, as far as it has come."""

    def __init__(self, name: str, head: str | None = None, instructions: str | None = None) -> None:
        self.name = name
        """What a run that continues this one finds it by."""
        self.head = head
        self.instructions = instructions
        """What was said last in the role `system`, if anything was."""
        self._splices: list[Splice] = []

    def take_splices(self) -> list[Splice]:
        """How its head came about, as far as no request has told that yet."""
        splices, self._splices = self._splices, []
        return splices

    def extend(self, start: str | None, end: str) -> Splice | None:
        """Append what a turn has said from `start` on; the splice, if others have spoken since."""
        if start == self.head:
            self.head = end
            return None
        splice = Splice(self.head, start, end)
        self.head = splice.head
        self._splices.append(splice)
        return splice


async def continued(ctx: Context, run_id: str) -> dict[str, Session]:
    """The sessions of an earlier run, as it left them, by their names."""
    value: Any = await ctx.effect("sessions", EARLIER, {"run": run_id})
    return {name: _session(name, ended) for name, ended in value[EARLIER].items()}


def _session(name: str, ended: Mapping[str, Any]) -> Session:
    told = [message["text"] for message in ended["messages"] if message["role"] == "system"]
    return Session(name, ended["head"], told[-1] if told else None)
