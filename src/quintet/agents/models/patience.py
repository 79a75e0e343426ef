"""Patience: a model is asked again where that may help, and otherwise not.

These repeats belong to the port: no format sees them, and a format's own policy counts only what was given up
here.  Nobody below repeats by itself.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace

from quintet.agents.models.lanes import Lane
from quintet.agents.models.port import Ask, Port, Said, Tokens, Trouble
from quintet.engine.performing import RESTART, Call

MOST_TRIES = 4
"""So often is a model asked that breaks down."""
LONGEST = 600.0
"""Seconds for which a model is waited for, in all."""
WITH_OTHERS = 15.0
"""The same, where another model can be asked instead."""
SHORTEST_WAIT = 0.5
LONGEST_WAIT = 60.0


@dataclass(slots=True)
class Patience:
    """How much has been borne in one request."""

    longest: float = LONGEST
    tries: int = 0
    waited: float = 0.0

    def wait(self, trouble: Trouble) -> float | None:
        """Seconds after which to ask again; None where it is enough."""
        self.tries += 1
        if not trouble.passing:
            return None
        is_limit = trouble.kind == "rate_limit"
        if not is_limit and self.tries >= MOST_TRIES:
            return None
        steps = min(LONGEST_WAIT, SHORTEST_WAIT * 2 ** (self.tries - 1))
        wait = max(trouble.retry_after or 0.0, steps * random.uniform(0.5, 1.0))
        if self.waited + wait > self.longest:
            return None
        self.waited += wait
        return wait


class Voice:
    """What is shown of an answer while it comes."""

    def __init__(self, call: Call) -> None:
        self._call = call
        self._has_spoken = False

    def say(self, piece: str) -> None:
        if piece:
            self._has_spoken = True
            self._call.say(piece)

    def restart(self) -> None:
        """It begins anew."""
        if self._has_spoken:
            self._has_spoken = False
            self._call.say(RESTART)


async def ask_patiently(
    port: Port, lanes: Sequence[Lane], ask: Ask, call: Call, longest: float = LONGEST
) -> Said:
    """Ask until there is an answer, or no hope of one.  Raises Trouble.

    While a request waits for its turn, no time limit of the workflow runs.
    """
    patience, voice, tokens = Patience(longest), Voice(call), estimate(ask)
    while True:
        async with AsyncExitStack() as inside:
            with call.resting():
                for lane in lanes:
                    await inside.enter_async_context(lane.passage(tokens))
            try:
                said = counted(await port.ask(ask, voice.say), tokens)
            except Trouble as trouble:
                wait = patience.wait(trouble)
                if wait is None:
                    raise
                if trouble.kind == "rate_limit":
                    for lane in lanes:
                        lane.slow_down(wait)
            else:
                taken = said.tokens.input + said.tokens.output
                for lane in lanes:
                    lane.correct(taken - tokens)
                    lane.went_well()
                return said
        voice.restart()
        with call.resting():
            await asyncio.sleep(wait)


def estimate(ask: Ask) -> int:
    """How many tokens a request takes in, about: four characters each."""
    return sum(len(str(message)) for message in ask.messages) // 4 + 1


def counted(said: Said, told: int) -> Said:
    """The same, with what it took about where the provider does not say: no budget is to go by unnoticed."""
    if said.tokens.input or said.tokens.output:
        return said
    return replace(said, tokens=Tokens(told, len(str(said.message)) // 4 + 1, estimated=True))
