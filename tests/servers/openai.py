"""A server that speaks OpenAI's chat completions, streamed and not."""

from __future__ import annotations

import asyncio
import json
from typing import Any

from tests.servers.fake import Fake, goes_on, main
from tests.servers.replies import Refuses, Replies, Reply, Says, example
from tests.servers.web import Answering, Request

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


class FakeOpenAI(Fake):
    """Gives the replies one after the other; without any, it greets."""

    def __init__(self, replies: Replies = fitting) -> None:
        super().__init__(OpenAI(), replies)


class OpenAI:
    """The dialect."""

    event: str | None = None
    base = "/v1"
    path = "/v1/chat/completions"

    def error(self, refusal: Refuses) -> Any:
        return {"error": {"message": refusal.message, "type": "error", "param": None, "code": refusal.code}}

    def whole(self, request: Request, said: Says) -> Any:
        message = {"role": "assistant", "content": said.text or None, "tool_calls": _calls(said) or None}
        return {
            "id": "c1",
            "created": 1,
            "model": said.model or request.body["model"],
            "object": "chat.completion",
            "choices": [{"index": 0, "message": message, "finish_reason": FINISHES[said.why]}],
            "usage": _usage(said),
        }

    async def fail(self, answering: Answering, words: str) -> None:
        await answering.event({"error": {"message": words, "type": words, "code": words}})

    async def stream(self, request: Request, answering: Answering, said: Says) -> None:
        model = said.model or request.body["model"]
        if said.thinking:
            await answering.event(_delta(model, reasoning_content=said.thinking))
        for piece in said.pieces:
            if isinstance(piece, asyncio.Event):
                await piece.wait()
                continue
            await asyncio.sleep(said.delay)
            key = "refusal" if said.why == "refused" else "content"
            await answering.event(_delta(model, role="assistant", **{key: piece}))
        for call in _calls(said):
            await self._call(answering, model, call)
        if await goes_on(self, answering, said):
            await answering.event(_delta(model, FINISHES[said.why]))
            await answering.event(_chunk(model, [], usage=_usage(said)))
            await answering.event("[DONE]")

    async def _call(self, answering: Answering, model: str, call: dict[str, Any]) -> None:
        """The name first, then the arguments in two halves."""
        arguments = call["function"]["arguments"]
        begun = {**call, "function": {**call["function"], "arguments": ""}}
        await answering.event(_delta(model, tool_calls=[begun]))
        half = len(arguments) // 2
        for part in (arguments[:half], arguments[half:]):
            rest = {"index": call["index"], "function": {"arguments": part}}
            await answering.event(_delta(model, tool_calls=[rest]))


def _chunk(model: str, choices: list[dict[str, Any]], **more: Any) -> dict[str, Any]:
    known = {"id": "c1", "created": 1, "model": model, "object": "chat.completion.chunk"}
    return {**known, "choices": choices, **more}


def _delta(model: str, finish: str | None = None, **what: Any) -> dict[str, Any]:
    return _chunk(model, [{"index": 0, "delta": what, "finish_reason": finish}])


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
            "function": {"name": call.tool, "arguments": call.text},
        }
        for index, call in enumerate(said.calls)
    ]


if __name__ == "__main__":
    main(FakeOpenAI, fitting)
