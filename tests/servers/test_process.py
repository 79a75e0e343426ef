"""The servers run by themselves, too."""

from __future__ import annotations

import json
import subprocess
import sys
import urllib.request

import pytest


@pytest.mark.parametrize(
    ("dialect", "path"), [("openai", "/chat/completions"), ("anthropic", "/v1/messages")]
)
def test_a_server_prints_where_it_is_and_answers(dialect: str, path: str) -> None:
    command = [sys.executable, "-m", f"tests.servers.{dialect}", "--port", "0", "--text", "good tea"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout is not None
            url = server.stdout.readline().strip()
            body = json.dumps({"model": "m", "messages": []}).encode()
            with urllib.request.urlopen(urllib.request.Request(url + path, body)) as answer:
                assert "good tea" in answer.read().decode()
        finally:
            server.terminate()
