"""A provider that answers at once, in OpenAI's words: what a request takes without any model.

    python -m bench.provider [--hold]

It prints its address.  Every answer is the same stream of a few pieces, made beforehand, so that it takes as
little time as a server can; with `--hold` a stream stops behind its first piece and stays open.  What it has
used of the processor so far is the answer to any GET.
"""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import time
from collections.abc import Generator
from contextlib import contextmanager
from typing import Final
from urllib.request import urlopen

PIECES: Final = ("Green", " tea", " is", " the", " best", " tea.")
ANSWER: Final = "".join(PIECES)
USAGE: Final = {"prompt_tokens": 20, "completion_tokens": 6, "total_tokens": 26}
_HEAD: Final = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"


def _event(choices: list[object], **more: object) -> bytes:
    known = {"id": "c1", "created": 1, "model": "m", "object": "chat.completion.chunk"}
    return _chunk(f"data: {json.dumps({**known, 'choices': choices, **more})}\n\n")


def _chunk(text: str) -> bytes:
    raw = text.encode()
    return b"%x\r\n%b\r\n" % (len(raw), raw)


def _delta(piece: str) -> bytes:
    return _event([{"index": 0, "delta": {"role": "assistant", "content": piece}, "finish_reason": None}])


_SAID: Final = [_delta(piece) for piece in PIECES]
_SAID[0] = _HEAD + _SAID[0]
_END: Final = (
    _event([{"index": 0, "delta": {}, "finish_reason": "stop"}])
    + _event([], usage=USAGE)
    + _chunk("data: [DONE]\n\n")
    + b"0\r\n\r\n"
)


class _Client(asyncio.Protocol):
    """One connection; it reads as much of HTTP as the clients here write."""

    def __init__(self, holds: bool) -> None:
        self._holds = holds
        self._read = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        self._read += data
        head, end, body = self._read.partition(b"\r\n\r\n")
        if end and len(body) >= _length(head):
            self._read = b""
            self._answer(is_question=head.startswith(b"POST"))

    def _answer(self, *, is_question: bool) -> None:
        if not is_question:
            used = b"%f" % time.process_time()
            self._transport.write(b"HTTP/1.1 200 OK\r\ncontent-length: %d\r\n\r\n%b" % (len(used), used))
            return
        for said in _SAID[:1] if self._holds else _SAID:
            self._transport.write(said)
        if not self._holds:
            self._transport.write(_END)


def _length(head: bytes) -> int:
    _, found, rest = head.lower().partition(b"content-length:")
    return int(rest.partition(b"\r\n")[0]) if found else 0


async def _serve(holds: bool) -> None:
    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: _Client(holds), "127.0.0.1", backlog=1024)
    print(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1", flush=True)
    await server.serve_forever()


@contextmanager
def provider(*flags: str) -> Generator[str]:
    """A provider in a process of its own; gives its address."""
    command = [sys.executable, "-m", "bench.provider", *flags]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield process.stdout.readline().strip()
        finally:
            process.terminate()


def used(url: str) -> float:
    """Seconds of the processor that a provider has used."""
    with urlopen(url) as answer:
        return float(answer.read())


if __name__ == "__main__":
    asyncio.run(_serve("--hold" in sys.argv))
