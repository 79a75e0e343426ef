"""A small HTTP/1.1 server over real sockets, which also does what no proper one does: vanish, hang, babble.

It runs in the test's own event loop, so that a test decides with `asyncio.Event`s when a piece of an answer
comes, and knows without sleeping when a client has gone.
"""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator, Mapping
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

REASONS = {200: "OK", 400: "Bad Request", 404: "Not Found", 429: "Too Many Requests", 500: "Server Error"}


@dataclass(frozen=True, slots=True)
class Request:
    """What a client has sent."""

    method: str
    path: str
    headers: Mapping[str, str]
    """Their names in lower case."""
    body: Any
    """JSON, read."""


class Gone(Exception):
    """Raised by whoever answers, to drop the connection at this very point."""


@dataclass(slots=True)
class Answering:
    """The client's end of one request, as whoever answers it sees it."""

    writer: asyncio.StreamWriter
    streaming: bool = False

    async def send(self, status: int, body: object, headers: Mapping[str, str] | None = None) -> None:
        """A whole answer; what is no text is sent as JSON."""
        text = body if isinstance(body, str) else json.dumps(body)
        given = {
            "content-type": "application/json",
            "content-length": str(len(text.encode())),
            **(headers or {}),
        }
        await self._write(_head(status, given) + text.encode())

    async def event(self, data: object, name: str | None = None) -> None:
        """One server-sent event; the first one opens the answer."""
        text = data if isinstance(data, str) else json.dumps(data, separators=(",", ":"))
        await self.piece((f"event: {name}\n" if name else "") + f"data: {text}\n\n")

    async def piece(self, text: str) -> None:
        """A piece of a stream, as it stands."""
        raw = text.encode()
        chunk = b"%x\r\n%b\r\n" % (len(raw), raw)
        if not self.streaming:
            self.streaming = True
            headers = {"content-type": "text/event-stream", "transfer-encoding": "chunked"}
            chunk = _head(200, headers) + chunk
        await self._write(chunk)

    async def close(self) -> None:
        """The end of a stream, properly."""
        if self.streaming:
            await self._write(b"0\r\n\r\n")

    async def _write(self, raw: bytes) -> None:
        self.writer.write(raw)
        await self.writer.drain()


Handler = Callable[[Request, Answering], Awaitable[None]]


def _head(status: int, headers: Mapping[str, str]) -> bytes:
    lines = [
        f"HTTP/1.1 {status} {REASONS.get(status, 'Unknown')}",
        *(f"{k}: {v}" for k, v in headers.items()),
    ]
    return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")


@dataclass(slots=True)
class Web:
    """A server under way; `handle` answers each request."""

    handle: Handler
    requests: list[Request] = field(default_factory=list[Request])
    disconnects: int = 0
    """How many clients have gone before their answer was complete."""
    connections: int = 0
    """How many have been opened."""
    port: int = 0
    _changed: asyncio.Event = field(default_factory=asyncio.Event)
    _clients: set[asyncio.Task[None]] = field(default_factory=set[asyncio.Task[None]])

    @asynccontextmanager
    async def serve(self, port: int = 0) -> AsyncGenerator[Web]:
        server = await asyncio.start_server(self._client, "127.0.0.1", port, backlog=1024)
        self.port = server.sockets[0].getsockname()[1]
        try:
            yield self
        finally:
            server.close()
            for client in self._clients:
                client.cancel()
            await asyncio.gather(*self._clients, return_exceptions=True)

    async def until(self, condition: Callable[[], bool]) -> None:
        """Wait until something is true of what this server has seen."""
        while not condition():
            self._changed.clear()
            await self._changed.wait()

    def _note(self) -> None:
        self._changed.set()

    async def _client(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._clients.add(task)
        self.connections += 1
        self._note()
        try:
            while (request := await _read(reader)) is not None:
                self.requests.append(request)
                self._note()
                if not await self._answer(request, reader, writer):
                    break
        except (ConnectionError, asyncio.CancelledError):
            pass
        finally:
            self._clients.discard(task)
            # What was written before goes out first; the client sees the end at once all the same.
            writer.close()

    async def _answer(
        self, request: Request, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> bool:
        """Whether the connection goes on."""
        answering = Answering(writer)
        work = asyncio.ensure_future(self.handle(request, answering))
        # Nobody sends another request before the answer, so whatever comes now is the end.
        gone = asyncio.ensure_future(reader.read(1))
        try:
            await asyncio.wait([work, gone], return_when=asyncio.FIRST_COMPLETED)
            if not work.done():
                self.disconnects += 1
                self._note()
                return False
            try:
                work.result()
                await answering.close()
            except (Gone, ConnectionError):
                return False
            return True
        finally:
            for task in (work, gone):
                task.cancel()
            with suppress(ConnectionError, asyncio.CancelledError):
                await gone


async def _read(reader: asyncio.StreamReader) -> Request | None:
    try:
        head = await reader.readuntil(b"\r\n\r\n")
    except asyncio.IncompleteReadError:
        return None
    first, *lines = head.decode("latin-1").rstrip("\r\n").split("\r\n")
    method, path, _ = first.split(" ")
    headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
    body = await reader.readexactly(int(headers.get("content-length", "0")))
    return Request(method, path, headers, json.loads(body) if body else None)


@contextmanager
def in_thread(web: Web) -> Generator[Web]:
    """The same server in a thread and a loop of its own, for code that has no loop."""
    started, loop = threading.Event(), asyncio.new_event_loop()
    stop = asyncio.Event()

    async def run() -> None:
        async with web.serve():
            started.set()
            await stop.wait()

    thread = threading.Thread(target=lambda: loop.run_until_complete(run()), daemon=True)
    thread.start()
    started.wait()
    try:
        yield web
    finally:
        loop.call_soon_threadsafe(stop.set)
        thread.join()
        loop.close()
