"""Stand-ins: performers that act out a script where models and tools would be asked.

They stand at the model's place and nowhere else, so all that is around it is real in a test: the turn, its
tool calls, retries, time limits, the log.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Mapping, Sequence

from quintet.agents.acting import Act, Prompts, model_act, tool_act
from quintet.agents.calls import Calls, Read
from quintet.agents.roster import Roster
from quintet.agents.script import Script
from quintet.engine.events import Event
from quintet.engine.failures import Failed
from quintet.engine.performing import Call
from quintet.engine.values import Json, decode

_BEAT = 0.1
"""Seconds from one piece of what is said to the next, at least."""
_WORD = re.compile(r"\s*\S{1,12}|\s+")
"""A word and the space before it; one that is very long, as in languages without spaces, in parts."""


class StandIns:
    """The agents and tools of one run, as its script has them."""

    def __init__(
        self, script: Script, roster: Roster, read: Read, earlier: Mapping[str, int] | None = None
    ) -> None:
        self._script = script
        self._roster = roster
        self._read = read
        self._calls = Calls(read, roster, earlier)
        self._prompts = Prompts()

    def hear(self, events: Sequence[Event]) -> None:
        """What was added to the log of the run."""
        self._calls.hear(events)

    async def model(self, call: Call) -> Json:
        """Answer for an agent."""
        number = await self._calls.number(call)
        act = model_act(self._script, self._roster, call, number, await self._prompt(call))
        await _said(act, call.say)
        if act.said:
            self._prompts.forget(call.path)
        return _given(act)

    async def tool(self, call: Call) -> Json:
        """Give what a tool gives."""
        act = tool_act(self._script, call, await self._calls.number(call))
        await _wait(act.delay)
        return _given(act)

    async def _prompt(self, call: Call) -> str:
        """The user's message of the turn; one that was cut within it has said that in an earlier life."""
        self._prompts.hear(call.path, call.request)
        if self._prompts.of(call.path) is None:
            for event in await self._read(call.run_id):
                if event.kind == "model.requested" and event.path[:-1] == call.path[:-1]:
                    self._prompts.hear(event.path, decode(event.data))
        return self._prompts.of(call.path) or ""


async def _said(act: Act, say: Callable[[str], None]) -> None:
    """Takes its time; whoever looks on can read along, as with a model that streams."""
    pieces = _pieces(act.said, int(act.delay / _BEAT)) if act.said and act.delay > _BEAT else []
    clock = asyncio.get_running_loop().time
    began = clock()
    for number, piece in enumerate(pieces, 1):
        await _wait(began + act.delay * number / len(pieces) - clock())
        say(piece)
    if not pieces:
        await _wait(act.delay)
        if act.said:
            say(act.said)


def _pieces(text: str, most: int) -> list[str]:
    """A text in so many pieces at most, each of whole words."""
    words = _WORD.findall(text)
    size = max(1, -(-len(words) // max(most, 1)))
    return ["".join(words[first : first + size]) for first in range(0, len(words), size)]


async def _wait(seconds: float) -> None:
    if seconds > 0:  # even to sleep for no time takes a turn of the event loop
        await asyncio.sleep(seconds)


def _given(act: Act) -> Json:
    if act.failure is not None:
        raise Failed(act.failure)
    return act.value
