"""Asking: the same question to the same provider, through the client alone, through our port, as turns.

The messages are the ones that a turn sends; the answer is streamed, and read to its end.
"""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Final, TypeAlias

import quintet
from bench.provider import ANSWER
from bench.steps import Durability
from quintet.agents.messages import text, user
from quintet.agents.models.names import ModelName
from quintet.agents.models.port import Ask
from quintet.agents.models.remote import Connection, remote
from quintet.agents.speakers import instructed
from quintet.agents.turn import Agent
from quintet.engine.local.equipment import Audience
from quintet.engine.performing import Say
from quintet.runs.workshop import Workshop

MODEL: Final = ModelName("openai-compatible", "m")
KEY: Final = "a-key-of-the-benchmark"
PROMPT: Final = "Which tea is the best?"
MESSAGES: Final = instructed([user(PROMPT)], Agent("writer"), None)

Once: TypeAlias = Callable[[Say], Awaitable[None]]
Opened: TypeAlias = Callable[[str], AbstractAsyncContextManager[Once]]


@asynccontextmanager
async def bare(url: str) -> AsyncGenerator[Once]:
    """The client of OpenAI, as anybody would use it."""
    from openai import AsyncOpenAI
    from openai.types.chat import ChatCompletionMessageParam

    messages: list[ChatCompletionMessageParam] = [
        {"role": "system", "content": text(MESSAGES[0])},
        {"role": "user", "content": text(MESSAGES[1])},
    ]
    async with AsyncOpenAI(base_url=url, api_key=KEY, max_retries=0) as client:

        async def once(say: Say) -> None:
            pieces: list[str] = []
            stream = await client.chat.completions.create(
                model=MODEL.name, messages=messages, stream=True, stream_options={"include_usage": True}
            )
            async for chunk in stream:
                if chunk.choices and (piece := chunk.choices[0].delta.content):
                    pieces.append(piece)
                    say(piece)
            _expect("".join(pieces))

        yield once


@asynccontextmanager
async def port(url: str) -> AsyncGenerator[Once]:
    """Our port alone: no workflow, no log."""
    asked = remote(Connection(MODEL, url, KEY))

    async def once(say: Say) -> None:
        said = await asked.ask(Ask(MESSAGES, idempotency_key="key"), say)
        _expect(text(said.message))

    yield once
    await asked.aclose()


class Turns:
    """Workflows whose every step is a turn of an agent that the port answers for."""

    def __init__(self, workshop: Workshop, config: Path) -> None:
        self._workshop = workshop
        self._config = config

    @classmethod
    @asynccontextmanager
    async def open(
        cls, url: str, place: Path, durability: Durability, audience: Audience | None = None
    ) -> AsyncGenerator[Turns]:
        config = place / "quintet.toml"
        config.write_text(f'[providers.{MODEL.provider}]\nbase_url = "{url}"\napi_key = "{KEY}"\n')
        store = str(place / "quintet.db")
        async with Workshop.open(store, durability=durability, audience=audience) as workshop:
            yield cls(workshop, config)

    async def run(self, turns: int, *, at_once: bool = False) -> None:
        """So many turns in one run, one after the other or all at once."""
        workflow = quintet.load(_text(turns, at_once=at_once))
        result = await workflow.run("tea", model=str(MODEL), config=self._config, store=self._workshop)
        if result.status != "completed":
            raise RuntimeError(f"the run is {result.status}: {result.error}")
        _expect(str(result.output))


def _text(turns: int, *, at_once: bool) -> str:
    step = {"agent_name": "writer", "prompt": PROMPT, **({"mode": "fan_out"} if at_once else {})}
    return json.dumps(
        {"name": "flow", "steps": [{"name": f"step {number}", **step} for number in range(turns)]}
    )


def _expect(said: str) -> None:
    if said != ANSWER:
        raise RuntimeError(f"the provider has said {said!r}")
