"""A server that speaks OpenAI's chat completions, streamed and not.

    async with FakeOpenAI([Says(["Hel", "lo"])]) as server:
        connection = Connection(ModelName("openai-compatible", "m"), base_url=server.url)

By itself it also runs as a process: `python -m tests.servers.openai --port 0` prints its address.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, Generator, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from typing import Any

from tests.servers.replies import Hangs, Prompter, Refuses, Replies, Reply, Says, Vanishes, example
from tests.servers.web import Answering, Gone, Request, Web, in_thread

FINISHES = {
    "stop": "stop",
    "tools": "tool_calls",
    "length": "length",
    "content_filter": "content_filter",
    "refused": "stop",
}


def fitting(request: Request) -> Reply:
    """A greeting, or an example of what was asked for."""
    match request.body:
        case {"response_format": {"json_schema": {"schema": schema}}}:
            return Says([json.dumps(example(schema))])
        case _:
            return Says()


class FakeOpenAI:
    """What a test may look at."""

    def __init__(self, replies: Replies = fitting) -> None:
        self.prompter = Prompter(replies)
        self.web = Web(self._handle)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.web.port}/v1"

    @property
    def requests(self) -> list[Request]:
        """The requests for an answer, in their order."""
        return [request for request in self.web.requests if request.method == "POST"]

    @property
    def disconnects(self) -> int:
        return self.web.disconnects

    async def __aenter__(self) -> FakeOpenAI:
        self._running = self.web.serve()
        await self._running.__aenter__()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._running.__aexit__(None, None, None)

    @contextmanager
    def in_thread(self) -> Generator[FakeOpenAI]:
        with in_thread(self.web):
            yield self

    @asynccontextmanager
    async def on(self, port: int) -> AsyncGenerator[FakeOpenAI]:
        async with self.web.serve(port):
            yield self

    async def received(self, count: int) -> None:
        """Wait until so many requests have come."""
        await self.web.until(lambda: len(self.requests) >= count)

    async def left(self, count: int) -> None:
        """Wait until so many clients have gone before their answer was complete."""
        await self.web.until(lambda: self.web.disconnects >= count)

    async def _handle(self, request: Request, answering: Answering) -> None:
        if request.method == "GET" and request.path.endswith("/models"):
            await answering.send(200, {"object": "list", "data": [{"id": "fake-1", "object": "model"}]})
            return
        if not request.path.endswith("/chat/completions"):
            await answering.send(404, {"error": {"message": f"nothing is at {request.path}"}})
            return
        match self.prompter.next(request):
            case Vanishes():
                raise Gone
            case Hangs():
                await asyncio.Event().wait()
            case Refuses() as refusal:
                await answering.send(refusal.status, refusal.body or _error(refusal), refusal.headers)
            case Says() as said if request.body.get("stream"):
                await _stream(request, answering, said)
            case Says() as said:
                await answering.send(200, _whole(request, said))


def _error(refusal: Refuses) -> dict[str, Any]:
    return {"error": {"message": refusal.message, "type": "error", "param": None, "code": refusal.code}}


def _usage(said: Says) -> dict[str, Any]:
    return {
        "prompt_tokens": said.input,
        "completion_tokens": said.output,
        "total_tokens": said.input + said.output,
        "prompt_tokens_details": {"cached_tokens": said.cached},
    }


def _calls(said: Says) -> list[dict[str, Any]]:
    return [
        {
            "index": index,
            "id": call.id,
            "type": "function",
            "function": {
                "name": call.tool,
                "arguments": call.arguments
                if isinstance(call.arguments, str)
                else json.dumps(call.arguments),
            },
        }
        for index, call in enumerate(said.calls)
    ]


def _whole(request: Request, said: Says) -> dict[str, Any]:
    message = {"role": "assistant", "content": said.text or None, "tool_calls": _calls(said) or None}
    return {
        "id": "c1",
        "created": 1,
        "model": said.model or request.body["model"],
        "object": "chat.completion",
        "choices": [{"index": 0, "message": message, "finish_reason": FINISHES[said.why]}],
        "usage": _usage(said),
    }


async def _stream(request: Request, answering: Answering, said: Says) -> None:
    def chunk(choices: list[dict[str, Any]], **more: Any) -> dict[str, Any]:
        model = said.model or request.body["model"]
        return {"id": "c1", "created": 1, "model": model, "object": "chat.completion.chunk"} | {
            "choices": choices,
            **more,
        }

    def delta(finish: str | None = None, **what: Any) -> dict[str, Any]:
        return chunk([{"index": 0, "delta": what, "finish_reason": finish}])

    if said.thinking:
        await answering.event(delta(reasoning_content=said.thinking))
    for piece in said.pieces:
        if isinstance(piece, asyncio.Event):
            await piece.wait()
        else:
            await asyncio.sleep(said.delay)
            key = "refusal" if said.why == "refused" else "content"
            await answering.event(delta(role="assistant", **{key: piece}))
    for call in _calls(said):
        arguments = call["function"]["arguments"]
        begun = {**call, "function": {**call["function"], "arguments": ""}}
        await answering.event(delta(tool_calls=[begun]))
        half = len(arguments) // 2
        for part in (arguments[:half], arguments[half:]):
            rest = {"index": call["index"], "function": {"arguments": part}}
            await answering.event(delta(tool_calls=[rest]))
    if not await goes_on(answering, said):
        return
    await answering.event(delta(FINISHES[said.why]))
    await answering.event(chunk([], usage=_usage(said)))
    await answering.event("[DONE]")


async def goes_on(answering: Answering, said: Says) -> bool:
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
            await answering.event('{"id": "c1", "choi')
        case "failing":
            error = {"message": said.error, "type": said.error, "code": said.error}
            await answering.event({"error": error})
    return False


def main() -> None:
    import argparse

    parser = argparse.ArgumentParser(prog="tests.servers.openai")
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--text", help="what to say; by default a greeting, or an example of the schema")
    parser.add_argument("--delay", type=float, default=0, help="seconds before each word")
    given = parser.parse_args()

    def reply(request: Request) -> Reply:
        if given.text is None:
            return fitting(request)
        words = given.text.split(" ")
        return Says([word if last else f"{word} " for word, last in _with_last(words)], delay=given.delay)

    async def run() -> None:
        server = FakeOpenAI(reply)
        async with server.on(given.port):
            print(server.url, flush=True)  # noqa: T201 - whoever started it reads where it is
            await asyncio.Event().wait()

    with suppress(KeyboardInterrupt):
        asyncio.run(run())


def _with_last(words: list[str]) -> Iterator[tuple[str, bool]]:
    for index, word in enumerate(words):
        yield word, index == len(words) - 1


if __name__ == "__main__":
    main()
