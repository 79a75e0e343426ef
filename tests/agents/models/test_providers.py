"""What is known of providers without their libraries is what the libraries know."""

from __future__ import annotations

import asyncio
import inspect
from typing import Any, get_args

import pytest
from pydantic_ai.models import OpenAIChatCompatibleProvider
from pydantic_ai.providers import infer_provider_class

from quintet.agents.messages import user
from quintet.agents.models.names import ModelName
from quintet.agents.models.port import Ask, Trouble
from quintet.agents.models.providers import PROVIDERS, Provider, missing
from quintet.agents.models.remote import Connection, remote
from quintet.engine.performing import unheard
from tests.servers.openai import FakeOpenAI
from tests.servers.replies import Says

OURS = {name: known for name, known in PROVIDERS.items() if known.is_open}
THEIRS = PROVIDERS.keys() - OURS


def source_of(name: str) -> str | None:
    """What makes the provider; None where its library is not installed."""
    try:
        return inspect.getsource(inspect.getmodule(infer_provider_class(name)) or inspect)
    except ImportError:
        return None


@pytest.mark.parametrize("name", sorted(THEIRS))
def test_each_provider_is_known_to_the_library_with_its_variables(name: str) -> None:
    known = PROVIDERS[name]
    source = source_of(known.kind or name)
    assert (source is None) == (missing(name, "http://x", "k") is not None)
    for variable in known.keys if source is not None else ():
        assert variable in str(source)


def test_none_that_speaks_chat_completions_is_left_out() -> None:
    theirs: Any = OpenAIChatCompatibleProvider.__value__
    retired = {"github"}
    assert set(get_args(theirs)) - retired <= PROVIDERS.keys()


SELF_HOSTED = [
    name
    for name, known in sorted(PROVIDERS.items())
    if known.package == "openai" and (known.keys or known.is_open or known.url) and known.kind is None
]


@pytest.mark.parametrize("name", [name for name in SELF_HOSTED if name not in ("openai-responses", "meta")])
def test_any_provider_like_openai_is_asked_where_a_connection_says(name: str) -> None:
    async def run() -> None:
        async with FakeOpenAI([Says()]) as server:
            url = server.url if name != "heroku" else server.url.removesuffix("/v1")
            port = remote(Connection(ModelName(name, "vendor/some-model"), url, "k"))
            try:
                said = await port.ask(Ask([user("hi")]), unheard)
            finally:
                await port.aclose()
            assert said.message["text"] == "Hello."
            assert server.requests[0].headers["authorization"] == "Bearer k"

    asyncio.run(run())


def test_where_more_than_a_key_is_missing_the_first_question_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in ("AZURE_OPENAI_ENDPOINT", "AZURE_OPENAI_API_KEY", "OPENAI_API_VERSION"):
        monkeypatch.delenv(variable, raising=False)
    port = remote(Connection(ModelName("azure", "gpt-5")))
    with pytest.raises(Trouble, match="AZURE_OPENAI_ENDPOINT") as raised:
        asyncio.run(port.ask(Ask([user("hi")]), unheard))
    assert (raised.value.kind, raised.value.definite) == ("rejected", True)


@pytest.mark.parametrize(
    ("name", "url", "words"),
    [
        ("opanai", None, "no provider is called `opanai`; did you mean `openai`?"),
        ("qqq", None, "no provider is called `qqq`; known are alibaba, anthropic"),
        ("openai", None, "`openai` needs a key: set OPENAI_API_KEY in the environment"),
        ("google", None, "`google` needs a library: pip install 'pydantic-ai-slim[google]'"),
        ("openai-compatible", None, "say where it is with `base_url`"),
    ],
)
def test_what_is_missing_is_said_in_words(
    name: str, url: str | None, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    assert words in (missing(name, url, None) or "")


def test_a_server_of_ones_own_needs_no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    assert missing("openai", "http://127.0.0.1:1/v1", None) is None
    assert missing("ollama", None, None) is None
    assert missing("lmstudio", None, None) is None
    assert Provider(is_open=True).needs_url
