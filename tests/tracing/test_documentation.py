"""What `docs/how-to/tracing.md` says is so: each of its blocks."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

from quintet.project import parse_settings
from quintet.tracing.destination import INSTALL
from quintet.tracing.measures import HISTOGRAMS
from quintet.tracing.sending import PATIENCE
from tests.cli.files import written
from tests.servers.collector import Collector
from tests.tracing.runs import SIMPLE, TREE

PAGE = (Path(__file__).parents[2] / "docs" / "how-to" / "tracing.md").read_text(encoding="utf-8")
BLOCKS = dict(re.findall(r"```(\w+)\n(.*?)```", PAGE, re.DOTALL))


def test_every_block_is_tested_here() -> None:
    assert set(BLOCKS) == {"sh", "toml", "text", "python"}
    assert PAGE.count("```") == 2 * len(BLOCKS)


def test_what_is_to_be_installed_is_what_a_refusal_says() -> None:
    assert BLOCKS["sh"].strip() == INSTALL


def test_the_settings_are_settings() -> None:
    tracing = parse_settings(BLOCKS["toml"]).tracing
    assert tracing.headers == {"authorization": "env:OTLP_TOKEN"}
    assert (tracing.service_name, tracing.content) == ("newsroom", False)


def test_the_tree_is_how_the_trace_of_a_run_begins() -> None:
    shown = [re.sub(r"(?<=\S) {3,}.*", "", line) for line in BLOCKS["text"].splitlines()]
    begins = TREE.replace("news: refused", "news").replace("chat script", "chat gpt-5-mini")
    assert shown == begins.splitlines()[: len(shown)]


def test_the_application_runs(tmp_path: Path, collector: Collector) -> None:
    written(tmp_path, "news.json", json.dumps(SIMPLE))
    written(tmp_path, "news.script.yaml", "agents: {one: [{reply: said}]}")
    environment = {"QUINTET_HOME": str(tmp_path), "OTEL_EXPORTER_OTLP_ENDPOINT": collector.url}
    code = [sys.executable, "-W", "error", "-c", BLOCKS["python"]]
    subprocess.run(code, cwd=tmp_path, env=environment, check=True)
    assert len(collector.spans) == 3


def test_the_page_names_every_measure_and_how_long_a_collector_is_waited_for() -> None:
    assert all(one.name in PAGE or f"`.{one.name.rpartition('.')[2]}`" in PAGE for one in HISTOGRAMS)
    assert PATIENCE == 3
    assert "three seconds" in PAGE
