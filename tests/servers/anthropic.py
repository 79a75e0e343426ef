"""A server that speaks Anthropic's messages, streamed and not."""

from __future__ import annotations

import asyncio
import json
from typing import Any

from tests.servers.fake import Fake, goes_on, main
from tests.servers.replies import Refuses, Replies, Reply, Says, example
from tests.servers.web import Answering, Request

STOPS = {
    "stop": "end_turn",
    "tools": "tool_use",
    "length": "max_tokens",
    "content_filter": "refusal",
    "refused": "refusal",
}

TYPES = {
    400: "invalid_request_error",
    401: "authentication_error",
    403: "permission_error",
    404: "not_found_error",
    429: "rate_limit_error",
    500: "api_error",
    529: "overloaded_error",
}


def fitting(request: Request) -> Reply:
    """A greeting, or an example of what was asked for."""
    match request.body:
        case {"output_config": {"format": {"schema": schema}}}:
            return Says([json.dumps(example(schema))])
        case _:
            return Says()


class FakeAnthropic(Fake):
    """Gives the replies one after the other; without any, it greets."""

    def __init__(self, replies: Replies = fitting) -> None:
        super().__init__(Anthropic(), replies)


class Anthropic:
    """The dialect."""

    event: str | None = "content_block_delta"
    base = ""
    path = "/v1/messages"

    def error(self, refusal: Refuses) -> Any:
        kind = refusal.code or TYPES.get(refusal.status, "api_error")
        return {"type": "error", "error": {"type": kind, "message": refusal.message}}

    def whole(self, request: Request, said: Says) -> Any:
        content = [{"type": "text", "text": said.text}] if said.text else []
        content += [
            {"type": "tool_use", "id": call.id, "name": call.tool, "input": call.arguments}
            for call in said.calls
        ]
        return {**_message(request, said), "content": content, "stop_reason": STOPS[said.why]}

    async def fail(self, answering: Answering, words: str) -> None:
        error = {"type": f"{words}_error", "message": words}
        await answering.event({"type": "error", "error": error}, "error")

    async def stream(self, request: Request, answering: Answering, said: Says) -> None:
        await _event(answering, "message_start", message=_message(request, said))
        await _event(answering, "ping")
        blocks = 0
        if said.thinking:
            await self._block(answering, blocks, *_thought(said.thinking))
            blocks += 1
        if said.pieces:
            await self._text(answering, blocks, said)
            blocks += 1
        for call in said.calls:
            begun: dict[str, Any] = {"type": "tool_use", "id": call.id, "name": call.tool, "input": {}}
            half = len(call.text) // 2
            parts = [call.text[:half], call.text[half:]]
            deltas = [{"type": "input_json_delta", "partial_json": part} for part in parts]
            await self._block(answering, blocks, begun, deltas)
            blocks += 1
        if await goes_on(self, answering, said):
            delta = {"stop_reason": STOPS[said.why], "stop_sequence": None}
            await _event(answering, "message_delta", delta=delta, usage={"output_tokens": said.output})
            await _event(answering, "message_stop")

    async def _text(self, answering: Answering, index: int, said: Says) -> None:
        begun = {"type": "text", "text": ""}
        await _event(answering, "content_block_start", index=index, content_block=begun)
        for piece in said.pieces:
            if isinstance(piece, asyncio.Event):
                await piece.wait()
                continue
            await asyncio.sleep(said.delay)
            delta = {"type": "text_delta", "text": piece}
            await _event(answering, "content_block_delta", index=index, delta=delta)
        await _event(answering, "content_block_stop", index=index)

    async def _block(
        self, answering: Answering, index: int, begun: dict[str, Any], deltas: list[dict[str, Any]]
    ) -> None:
        await _event(answering, "content_block_start", index=index, content_block=begun)
        for delta in deltas:
            await _event(answering, "content_block_delta", index=index, delta=delta)
        await _event(answering, "content_block_stop", index=index)


async def _event(answering: Answering, kind: str, **what: Any) -> None:
    await answering.event({"type": kind, **what}, kind)


def _thought(thinking: str) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    deltas = [
        {"type": "thinking_delta", "thinking": thinking},
        {"type": "signature_delta", "signature": "signed"},
    ]
    return {"type": "thinking", "thinking": "", "signature": ""}, deltas


def _message(request: Request, said: Says) -> dict[str, Any]:
    return {
        "id": "m1",
        "type": "message",
        "role": "assistant",
        "model": said.model or request.body["model"],
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
        "usage": {
            "input_tokens": said.input - said.cached,
            "output_tokens": said.output,
            "cache_read_input_tokens": said.cached,
            "cache_creation_input_tokens": 0,
        },
    }


if __name__ == "__main__":
    main(FakeAnthropic, fitting)
