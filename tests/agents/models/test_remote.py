"""Remote: what holds of every provider, whichever wire it speaks; here over OpenAI's."""

from __future__ import annotations

import asyncio
import subprocess
import sys

import pytest

from quintet.agents.messages import user
from quintet.agents.models.names import ModelName
from quintet.agents.models.port import Ask
from quintet.agents.models.remote import Connection, Unusable, check, remote
from quintet.engine.performing import unheard
from tests.servers.openai import FakeOpenAI
from tests.servers.replies import Says


def test_nothing_of_a_provider_is_imported_before_the_first_question() -> None:
    program = """
import sys, quintet
from quintet.agents.models.names import ModelName
from quintet.agents.models.remote import Connection, check, remote
connection = Connection(ModelName("openai", "m"), api_key="k")
assert check(connection) is None
remote(connection)
print(*sorted({"pydantic_ai", "openai", "anthropic", "httpx2", "pydantic"} & sys.modules.keys()))
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []


def test_one_port_serves_several_event_loops_one_after_the_other() -> None:
    async def once(server: FakeOpenAI) -> str:
        said = await port.ask(Ask([user("hi")]), unheard)
        await port.aclose()
        return str(said.message["text"])

    server = FakeOpenAI(lambda _: Says(["hello"]))
    with server.in_thread():
        port = remote(Connection(ModelName("openai-compatible", "m"), base_url=server.url))
        assert [asyncio.run(once(server)) for _ in range(3)] == ["hello"] * 3


def test_who_is_asked_without_what_it_needs_is_told_so_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    connection = Connection(ModelName("anthropic", "claude"))
    assert check(connection) == "`anthropic` needs a key: set ANTHROPIC_API_KEY in the environment"
    with pytest.raises(Unusable, match="anthropic:claude: `anthropic` needs a key"):
        remote(connection)


def test_a_key_that_is_not_where_the_settings_say_is_missed_and_no_other_goes_in_its_place(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-for-openai-alone")
    house = Connection(ModelName("openai", "m"), "http://127.0.0.1:1/v1", unset=("HOUSE_KEY",))
    assert "set HOUSE_KEY" in (check(house) or "")
