"""Nothing of the machine's own tracing reaches the tests."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.servers.collector import Collector


@pytest.fixture(autouse=True)
def alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in list(os.environ):
        if name.startswith(("OTEL_", "OPENAI_", "ANTHROPIC_")):
            monkeypatch.delenv(name)
    monkeypatch.setenv("QUINTET_HOME", str(tmp_path / "home"))


@pytest.fixture
def collector() -> Iterator[Collector]:
    with Collector().running() as running:
        yield running
