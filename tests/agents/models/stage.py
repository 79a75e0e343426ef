"""A stage for ports: a provider that gives replies over a real socket, and what came of asking it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from quintet.agents.messages import user
from quintet.agents.models.names import ModelName
from quintet.agents.models.port import Ask, Said, Trouble
from quintet.agents.models.remote import Connection, Remote, remote
from tests.servers.anthropic import FakeAnthropic
from tests.servers.fake import Fake
from tests.servers.openai import FakeOpenAI
from tests.servers.replies import Replies
from tests.servers.web import Request

KEY = "sk-never-to-be-told"
HELLO = Ask([user("Hello?")])


@dataclass(frozen=True, slots=True)
class Speech:
    """A wire, with who speaks it at both ends."""

    fake: Callable[[Replies], Fake]
    model: ModelName

    @asynccontextmanager
    async def scene(self, replies: Replies) -> AsyncGenerator[tuple[Fake, Remote]]:
        async with self.fake(replies) as server:
            port = remote(Connection(self.model, server.url, KEY, {"x-team": "tea-and-biscuits"}))
            try:
                yield server, port
            finally:
                await port.aclose()

    def play(self, replies: Replies, *asks: Ask) -> Played:
        """Ask one after the other, the same each time unless it is said what."""
        count = 1 if callable(replies) else len(replies)

        async def run() -> Played:
            async with self.scene(replies) as (server, port):
                played = Played()
                for ask in asks or [HELLO] * count:
                    played.outcomes.append(await outcome(port.ask(ask, played.pieces.append)))
                played.requests.extend(server.requests)
                return played

        return asyncio.run(run())


@dataclass(frozen=True, slots=True)
class Played:
    """What came of it."""

    outcomes: list[Said | Trouble] = field(default_factory=list[Said | Trouble])
    pieces: list[str] = field(default_factory=list[str])
    requests: list[Request] = field(default_factory=list[Request])

    @property
    def said(self) -> Said:
        only = self.outcomes[0]
        assert isinstance(only, Said), only
        return only

    @property
    def trouble(self) -> Trouble:
        only = self.outcomes[0]
        assert isinstance(only, Trouble), only
        return only

    @property
    def told(self) -> tuple[str, bool, bool]:
        """What decides what is done about a trouble: its kind, whether it passes, whether it is definite."""
        return self.trouble.kind, self.trouble.passing, self.trouble.definite


async def outcome(asking: Awaitable[Said]) -> Said | Trouble:
    try:
        return await asking
    except Trouble as trouble:
        return trouble


OPENAI = Speech(FakeOpenAI, ModelName("openai-compatible", "fake-1"))
ANTHROPIC = Speech(FakeAnthropic, ModelName("anthropic", "claude-opus-4-5"))
SPEECHES = [OPENAI, ANTHROPIC]
