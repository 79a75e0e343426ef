"""The provider that the pages ask: a server on this machine that speaks as OpenAI does.

It says the same each time, so that a page can show what a run with a real model looks like.  For a reader it
is OpenAI where a page sets OPENAI_API_KEY, and a server of one's own at `SERVED`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, cast

from tests.servers.openai import FakeOpenAI
from tests.servers.replies import Refuses, Reply, Says
from tests.servers.web import Request

SERVED = "http://127.0.0.1:8000/v1"
"""Where a server is on a page; in its place the real address is taken."""

POEM = "Steam over a cup.\nThe window is gone."
JUDGEMENT = "Good. I see the cup and not the poet."


def provider() -> FakeOpenAI:
    return FakeOpenAI(_reply)


def _reply(request: Request) -> Reply:
    messages = cast("Sequence[Mapping[str, Any]]", request.body["messages"])
    asked = [str(message["content"]) for message in messages if message["role"] == "user"]
    if request.body["model"] == "gpt-99":
        return Refuses(404, "The model `gpt-99` does not exist or you do not have access to it.")
    text = _answer(asked)
    told = sum(len(str(message["content"])) for message in messages)
    return Says(re.findall(r"\S+\s*", text), input=told // 4, output=len(text) // 4, delay=0.01)


def _answer(asked: Sequence[str]) -> str:
    if "before" in asked[-1]:
        earlier = " and ".join(f"“{one.strip()}”" for one in asked[:-1])
        return f"You have asked me {earlier}." if earlier else "You have asked me nothing."
    return JUDGEMENT if "any good" in asked[-1] else POEM
