"""What can be asked from here is found without a word about keys, and without waiting for anybody."""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Generator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from quintet.agents.models.providers import FAVOURITES, PROVIDERS
from quintet.agents.models.surroundings import Found, Server, keys_present, local_servers, serving


def test_a_key_that_is_there_offers_a_model_and_is_not_told() -> None:
    environment = {"MISTRAL_API_KEY": "secret", "GEMINI_API_KEY": "secret", "OPENAI_API_KEY": " "}
    found = keys_present(environment)
    assert found == [
        Found("google", "gemini-2.5-flash", "GEMINI_API_KEY"),
        Found("mistral", "mistral-small-latest", "MISTRAL_API_KEY"),
    ]
    assert "secret" not in repr(found)
    assert str(found[0]) == "google:gemini-2.5-flash"


def test_every_provider_is_found_by_each_of_its_variables() -> None:
    for name in FAVOURITES:
        for variable in PROVIDERS[name].keys:
            assert keys_present({variable: "k"}) == [Found(name, str(PROVIDERS[name].small), variable)]


@contextmanager
def answering(status: int, body: bytes) -> Generator[int]:
    """A server that gives one answer to everything; gives its port."""

    class Handler(BaseHTTPRequestHandler):
        wbufsize = -1

        def do_GET(self) -> None:
            self.send_response(status)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None: ...  # noqa: A002  as http.server has it

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield server.server_port
        finally:
            server.shutdown()
            thread.join()


def test_each_model_of_a_server_on_this_machine_is_found_with_its_address() -> None:
    body = {"data": [{"id": "qwen3"}, {"id": "nomic-embed-text"}, {"id": "llama"}, {"name": "none"}, 1]}
    with answering(200, json.dumps(body).encode()) as port:
        found = local_servers([Server("Ollama", "ollama", port)])
        because, base_url = f"Ollama at 127.0.0.1:{port}", f"http://127.0.0.1:{port}/v1"
    assert found == [Found("ollama", name, because, base_url) for name in ("qwen3", "llama")]


@pytest.mark.parametrize(
    ("status", "body"),
    [
        (404, b"{}"),
        (200, b"<html>"),
        (200, b"[]"),
        (200, b'{"data": {}}'),
        (200, b"[" * 100_000),
        (200, b"\xff"),
    ],
)
def test_whatever_else_answers_is_no_server_of_models(status: int, body: bytes) -> None:
    with answering(status, body) as port:
        assert serving([Server("vLLM", "vllm", port)]) == []


def test_a_server_without_a_model_answers_and_offers_none() -> None:
    with answering(200, b'{"data": []}') as port:
        server = Server("Ollama", "ollama", port)
        assert serving([server]) == [(server, [])]
        assert local_servers([server]) == []


def test_nobody_is_waited_for() -> None:
    with _silent() as port:
        began = time.monotonic()
        assert serving([Server(name, name, port) for name in "abcd"]) == []
        assert time.monotonic() - began < 2


@contextmanager
def _silent() -> Generator[int]:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        yield listener.getsockname()[1]
