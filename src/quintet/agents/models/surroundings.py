"""Surroundings: which models can be reached from here, by a key in the environment or on this machine.

That a key is there is all that is ever said of it.
"""

from __future__ import annotations

import http.client
import json
import threading
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, cast

from quintet.agents.models.providers import FAVOURITES, PROVIDERS, key_of

LOOPBACK: Final = "127.0.0.1"
_TIMEOUT: Final = 0.2
_PATIENCE: Final = 0.6
"""So many seconds in all: a server may answer slowly, one byte at a time."""
_MOST_BYTES: Final = 1 << 20


@dataclass(frozen=True, slots=True)
class Found:
    """A model that can be asked."""

    provider: str
    model: str
    because: str
    """Why it is thought so: `OPENAI_API_KEY`, or `Ollama at 127.0.0.1:11434`."""
    base_url: str | None = None
    """Where it is asked, where that does not follow from the provider."""

    def __str__(self) -> str:
        return f"{self.provider}:{self.model}"


def keys_present(environment: Mapping[str, str]) -> Sequence[Found]:
    """A model of each provider whose key is there, the first to be taken first."""
    keys = ((name, key_of(name, environment)) for name in FAVOURITES)
    return [Found(name, str(PROVIDERS[name].small), key) for name, key in keys if key is not None]


@dataclass(frozen=True, slots=True)
class Server:
    """A program that serves models on this machine, in the words of OpenAI."""

    title: str
    provider: str
    port: int

    @property
    def address(self) -> str:
        return f"{LOOPBACK}:{self.port}"

    @property
    def base_url(self) -> str:
        return f"http://{self.address}/v1"

    def models(self) -> Sequence[str] | None:
        """What it serves; None where nothing of the kind answers."""
        connection = http.client.HTTPConnection(LOOPBACK, self.port, timeout=_TIMEOUT)
        try:
            connection.request("GET", "/v1/models")
            response = connection.getresponse()
            text = response.read(_MOST_BYTES)
            return _ids(json.loads(text)) if response.status == 200 else None
        except (OSError, http.client.HTTPException, ValueError, RecursionError):
            return None
        finally:
            connection.close()


def _ids(answer: Any) -> Sequence[str] | None:
    """The models that answer, as OpenAI lists them; what makes vectors of texts is none."""
    listed = cast("dict[str, Any]", answer).get("data") if isinstance(answer, dict) else None
    if not isinstance(listed, list):
        return None
    maps = (cast("dict[str, Any]", one) for one in cast("list[Any]", listed) if isinstance(one, dict))
    names = [name for one in maps if isinstance(name := one.get("id"), str) and name]
    return [name for name in names if "embed" not in name.lower()]


SERVERS: Final = (
    Server("Ollama", "ollama", 11434),
    Server("LM Studio", "lmstudio", 1234),
    Server("llama.cpp", "llamacpp", 8080),
    Server("vLLM", "vllm", 8000),
)


def serving(servers: Iterable[Server] | None = None) -> Sequence[tuple[Server, Sequence[str]]]:
    """The servers that answer, and the models of each; all are asked at once."""
    servers = SERVERS if servers is None else tuple(servers)
    answers: dict[Server, Sequence[str] | None] = {}

    def look(server: Server) -> None:
        answers[server] = server.models()

    threads = [threading.Thread(target=look, args=(server,), daemon=True) for server in servers]
    for thread in threads:
        thread.start()
    end = time.monotonic() + _PATIENCE
    for thread in threads:
        thread.join(max(end - time.monotonic(), 0))
    told = [(server, answers.get(server)) for server in servers]
    return [(server, models) for server, models in told if models is not None]


def local_servers(servers: Iterable[Server] | None = None) -> Sequence[Found]:
    """Every model that a server on this machine offers, the first to be taken first."""
    return [
        Found(server.provider, model, f"{server.title} at {server.address}", server.base_url)
        for server, models in serving(servers)
        for model in models
    ]
