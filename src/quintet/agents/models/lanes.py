"""Lanes: how much may be asked of a provider or a model at a time, in this whole process.

A lane lets so many requests in at once, and so many requests and tokens a minute.  When a provider says that
it is too much, the lane closes for as long as it is told, and then lets fewer in; each request that goes well
opens it a little again.  Nothing is lost: whoever comes waits.
"""

from __future__ import annotations

import asyncio
import math
from collections import deque
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager

from quintet.agents.models.settings import Pace

MINUTE = 60.0


class Minute:
    """So much in any minute: what is taken comes back when a minute has passed, and more takes longer."""

    def __init__(self, most: int | None) -> None:
        self._most = math.inf if most is None else float(most)
        self._taken: deque[tuple[float, float]] = deque()
        """When it comes back, and how much; in order."""
        self._sum = 0.0

    def wait(self, amount: float, now: float) -> float:
        """Seconds until so much can be taken; what is more than a minute's worth waits until all is back."""
        while self._taken and self._taken[0][0] <= now:
            self._sum -= self._taken.popleft()[1]
        missing, back = self._sum + min(amount, self._most) - self._most, now
        for then, taken in self._taken:
            if missing <= 0:
                break
            missing, back = missing - taken, then
        return back - now

    def take(self, amount: float, now: float) -> None:
        """Take it, or give back what was not needed after all; a debt is waited off before anything else."""
        if amount and math.isfinite(self._most):
            back = now + MINUTE * max(1.0, amount / self._most)
            self._taken.append((max(back, self._taken[-1][0]) if self._taken else back, amount))
            self._sum += amount


class Lane:
    """Requests to one provider or model, in the order in which they come."""

    def __init__(self, pace: Pace, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._most = math.inf if pace.concurrent is None else float(pace.concurrent)
        self._allowed = self._most
        """How many are let in at present."""
        self._inside = 0
        self._queue: deque[asyncio.Future[None]] = deque()
        self._requests = Minute(pace.requests_per_minute)
        self._tokens = Minute(pace.tokens_per_minute)
        self._closed_until = 0.0
        self._gate = asyncio.Lock()

    @asynccontextmanager
    async def passage(self, tokens: int) -> AsyncGenerator[None]:
        """Wait for one's turn; `tokens` is what the request will take, as far as one can tell."""
        await self._enter()
        try:
            async with self._gate:  # one after the other, in the order in which they came
                await self._open(tokens)
                now = self._clock()
                self._requests.take(1, now)
                self._tokens.take(tokens, now)
            yield
        finally:
            self._inside -= 1
            self._let_in()

    def correct(self, tokens: int) -> None:
        """It took so many tokens more than was thought."""
        self._tokens.take(tokens, self._clock())

    def slow_down(self, seconds: float) -> None:
        """It was too much: let nobody in for so long, and fewer at a time from then on.

        Those who were inside when it closed find out one after the other: that is one finding, not many.
        """
        now = self._clock()
        if self._closed_until <= now:
            self._allowed = max(1.0, self._inside / 2)
        self._closed_until = max(self._closed_until, now + seconds)

    def went_well(self) -> None:
        """Let a little more in again."""
        if self._allowed < self._most:
            self._allowed = min(self._most, self._allowed + 1 / self._allowed)
            self._let_in()

    async def _enter(self) -> None:
        if self._inside < self._allowed and not self._queue:
            self._inside += 1
            return
        place: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._queue.append(place)
        try:
            await place
        except asyncio.CancelledError:
            if place.done() and not place.cancelled():  # let in at this very moment
                self._inside -= 1
                self._let_in()
            else:
                self._queue.remove(place)
            raise

    async def _open(self, tokens: int) -> None:
        """Until so much may be asked; meanwhile the lane may close once more."""
        wait = self._wait(tokens)
        while wait > 0:
            await asyncio.sleep(wait)
            wait = self._wait(tokens)

    def _let_in(self) -> None:
        while self._queue and self._inside < self._allowed:
            place = self._queue.popleft()
            if not place.done():
                self._inside += 1
                place.set_result(None)

    def _wait(self, tokens: int) -> float:
        now = self._clock()
        buckets = (self._requests.wait(1, now), self._tokens.wait(tokens, now))
        return max(self._closed_until - now, *buckets)
