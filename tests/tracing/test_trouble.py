"""Tracing never troubles a run; what is asked for and cannot be done is said before anything runs."""

from __future__ import annotations

import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from quintet.tracing.sending import PATIENCE
from tests.cli.calling import Answer
from tests.cli.files import written
from tests.servers.collector import Collector
from tests.tracing.runs import SIMPLE, ran

SAYS = {"agents": {"one": [{"reply": "said"}]}}
STARTING = 5.0
"""Seconds that starting and running take at most on a busy machine."""


@pytest.fixture
def nobody() -> Iterator[str]:
    """An address at which nobody listens."""
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        yield f"http://127.0.0.1:{held.getsockname()[1]}"


def one(folder: Path, **environment: str) -> Answer:
    return ran(folder, environment=environment, workflow=SIMPLE, says=SAYS)


def check_one_line(answer: Answer, place: str) -> None:
    assert (answer.code, answer.out) == (0, "said\n")
    assert [line for line in answer.err.splitlines() if "traces" in line] == [
        f"not all traces have reached {place}"
    ]
    for word in ("Traceback", "opentelemetry", "urllib3", "Transient", "Failed to export"):
        assert word not in answer.err


def test_a_collector_that_is_gone_costs_a_few_seconds_and_one_line(tmp_path: Path, nobody: str) -> None:
    began = time.monotonic()
    answer = one(tmp_path, OTEL_EXPORTER_OTLP_ENDPOINT=nobody)
    assert time.monotonic() - began < PATIENCE + STARTING
    check_one_line(answer, nobody)


def test_a_collector_that_never_answers_costs_no_more(tmp_path: Path, collector: Collector) -> None:
    collector.is_silent = True
    began = time.monotonic()
    answer = one(tmp_path, OTEL_EXPORTER_OTLP_ENDPOINT=collector.url)
    assert time.monotonic() - began < PATIENCE + STARTING
    check_one_line(answer, collector.url)


def test_a_collector_that_refuses_is_told_of_without_the_secrets_it_was_asked_with(
    tmp_path: Path, collector: Collector
) -> None:
    collector.status = 401
    address = collector.url.replace("://", "://user:word-in-address@")
    answer = one(
        tmp_path, OTEL_EXPORTER_OTLP_ENDPOINT=address, OTEL_EXPORTER_OTLP_HEADERS="x-key=planted-env-header"
    )
    check_one_line(answer, collector.url)
    assert "planted" not in answer.err
    assert "word-in-address" not in answer.err


@pytest.mark.parametrize(
    "environment",
    [
        {},
        {"OTEL_SERVICE_NAME": "named"},
        {"OTEL_SDK_DISABLED": "true", "OTEL_EXPORTER_OTLP_ENDPOINT": "URL"},
        {
            "OTEL_EXPORTER_OTLP_ENDPOINT": "URL",
            "OTEL_TRACES_EXPORTER": "none",
            "OTEL_METRICS_EXPORTER": "none",
        },
    ],
    ids=["nothing", "only a name", "disabled", "no exporter"],
)
def test_where_nothing_asks_for_it_nothing_is_imported_and_nobody_is_told(
    environment: dict[str, str], tmp_path: Path, collector: Collector
) -> None:
    path = written(
        tmp_path,
        "flow.json",
        '{"name": "flow", "steps": [{"name": "one", "agent_name": "one"}]}',
    )
    says = written(tmp_path, "script.json", '{"agents": {"one": [{"reply": "said"}]}}')
    listing = (
        "import sys; from quintet.cli.app import call; call(sys.argv[1:]);"
        "print(*[name for name in sys.modules if name.startswith('opentelemetry')], file=sys.stderr)"
    )
    given = {name: collector.url if text == "URL" else text for name, text in environment.items()}
    done = subprocess.run(
        [sys.executable, "-c", listing, "run", path, "in", "--script", says, "--store", ":memory:"],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env={"PYTHONUTF8": "1", **given},
        check=True,
    )
    assert done.stdout == "said\n"
    assert done.stderr.splitlines()[-1] == ""
    assert not collector.bodies


def test_without_the_library_the_run_is_refused_and_says_what_to_install(tmp_path: Path) -> None:
    path = written(tmp_path, "flow.json", '{"name": "flow", "steps": [{"name": "one", "agent_name": "one"}]}')
    says = written(tmp_path, "script.json", '{"agents": {"one": [{"reply": "said"}]}}')
    written(tmp_path, "quintet.toml", '[tracing]\nendpoint = "http://127.0.0.1:4318"\n')
    missing = (
        "import sys; sys.modules['opentelemetry.sdk'] = None;"
        "from quintet.cli.app import call; sys.exit(call(sys.argv[1:]))"
    )
    done = subprocess.run(
        [sys.executable, "-c", missing, "run", path, "--script", says, "--store", ":memory:"],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env={"PYTHONUTF8": "1"},
        check=False,
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert "pip install 'quintet[tracing]'" in done.stderr


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ('endpoint = "collector:4318"', "is no address"),
        ('endpoint = "http://c"\nheaders = {a = 1}', "must be a text"),
        ('endpont = "http://c"', "endpoint"),
        ('endpoint = "http://c"\ncontent = "yes"', "true or false"),
        ('endpoint = "http://c"\nheaders = {a = "env:NOT_SET_HERE"}', "NOT_SET_HERE, which is not set"),
    ],
)
def test_settings_that_are_wrong_are_refused_before_anything_runs(
    table: str, said: str, tmp_path: Path
) -> None:
    answer = ran(tmp_path, toml=f"[tracing]\n{table}\n", workflow=SIMPLE, says=SAYS)
    assert (answer.code, answer.out) == (2, "")
    assert said in answer.err


def test_another_protocol_is_refused(tmp_path: Path, nobody: str) -> None:
    answer = one(tmp_path, OTEL_EXPORTER_OTLP_ENDPOINT=nobody, OTEL_EXPORTER_OTLP_PROTOCOL="grpc")
    assert answer.code == 2
    assert "http/protobuf, not as grpc" in answer.err
