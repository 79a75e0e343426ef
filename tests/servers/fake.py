"""A fake provider: gives the replies that a test hands it, in the dialect of one provider.

    async with FakeOpenAI([Says(["Hel", "lo"])]) as server:
        connection = Connection(ModelName("openai-compatible", "m"), base_url=server.url)

Each dialect also runs as a process, which prints its address: `python -m tests.servers.openai --port 0`.
"""

from __future__ import annotations

import argparse
import asyncio
from collections.abc import AsyncGenerator, Callable, Generator
from contextlib import asynccontextmanager, contextmanager, suppress
from typing import Any, Protocol, Self

from tests.servers.replies import Hangs, Prompter, Refuses, Replies, Reply, Says, Vanishes
from tests.servers.web import Answering, Gone, Request, Web, in_thread


class Dialect(Protocol):
    """How a provider puts what it says."""

    path: str
    """Where it is asked."""
    base: str
    """What of that belongs to its address."""
    event: str | None
    """The name of an event that is read for certain."""

    def error(self, refusal: Refuses) -> Any: ...

    def whole(self, request: Request, said: Says) -> Any:
        """An answer in one piece."""
        ...

    async def stream(self, request: Request, answering: Answering, said: Says) -> None: ...

    async def fail(self, answering: Answering, words: str) -> None:
        """An error in the middle of a stream."""
        ...


class Fake:
    """A provider under way, and what it has seen."""

    def __init__(self, dialect: Dialect, replies: Replies) -> None:
        self._dialect = dialect
        self._prompter = Prompter(replies)
        self.web = Web(self._handle)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.web.port}{self._dialect.base}"

    @property
    def requests(self) -> list[Request]:
        """The requests for an answer, in their order."""
        return [request for request in self.web.requests if request.method == "POST"]

    @property
    def disconnects(self) -> int:
        """How many clients have gone before their answer was complete."""
        return self.web.disconnects

    async def __aenter__(self) -> Self:
        self._running = self.web.serve()
        await self._running.__aenter__()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._running.__aexit__(None, None, None)

    @asynccontextmanager
    async def on(self, port: int) -> AsyncGenerator[Self]:
        async with self.web.serve(port):
            yield self

    @contextmanager
    def in_thread(self) -> Generator[Self]:
        """The same with a loop of its own, for code that has none."""
        with in_thread(self.web):
            yield self

    async def received(self, count: int) -> None:
        """Wait until so many requests have come."""
        await self.web.until(lambda: len(self.requests) >= count)

    async def left(self, count: int) -> None:
        """Wait until so many clients have gone before their answer was complete."""
        await self.web.until(lambda: self.disconnects >= count)

    async def _handle(self, request: Request, answering: Answering) -> None:
        if request.method == "GET" and request.path.endswith("/models"):
            await answering.send(200, {"object": "list", "data": [{"id": "fake-1", "object": "model"}]})
        elif request.path.partition("?")[0] == self._dialect.path:
            await self._reply(request, answering, self._prompter.next(request))
        else:
            await answering.send(404, {"error": {"message": f"nothing is at {request.path}"}})

    async def _reply(self, request: Request, answering: Answering, reply: Reply) -> None:
        match reply:
            case Vanishes():
                raise Gone
            case Hangs():
                await asyncio.Event().wait()
            case Refuses():
                body = self._dialect.error(reply) if reply.body is None else reply.body
                await answering.send(reply.status, body, reply.headers)
            case Says() if request.body.get("stream"):
                await self._dialect.stream(request, answering, reply)
            case Says():
                await answering.send(200, self._dialect.whole(request, reply))


async def goes_on(dialect: Dialect, answering: Answering, said: Says) -> bool:
    """What may happen in the middle of a stream; whether the stream goes on after it."""
    match said.ending:
        case "complete":
            return True
        case "cut":
            return False
        case "dropped":
            raise Gone
        case "hanging":
            await asyncio.Event().wait()
        case "garbled":
            await answering.event('{"id": "c1", "choi', dialect.event)
        case "failing":
            await dialect.fail(answering, said.error)
    return False


def main(make: Callable[[Replies], Fake], reply: Callable[[Request], Reply]) -> None:
    """Run a fake as a process, until it is ended."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--text", help="what to say; by default a greeting, or an example of the schema")
    parser.add_argument("--delay", type=float, default=0, help="seconds before each word")
    given = parser.parse_args()
    words = [f"{word} " for word in (given.text or "").split(" ")]
    words[-1] = words[-1].rstrip()

    def replies(request: Request) -> Reply:
        return reply(request) if given.text is None else Says(words, delay=given.delay)

    async def run() -> None:
        async with make(replies).on(given.port) as server:
            print(server.url, flush=True)  # noqa: T201 - whoever started it reads where it is
            await asyncio.Event().wait()

    with suppress(KeyboardInterrupt):
        asyncio.run(run())
