"""What `docs/how-to/tracing.md` says is so."""

from __future__ import annotations

import re
from pathlib import Path

from quintet.project import parse_settings
from quintet.tracing.destination import INSTALL, destination
from quintet.tracing.measures import HISTOGRAMS
from quintet.tracing.sending import PATIENCE

PAGE = (Path(__file__).parents[2] / "docs" / "how-to" / "tracing.md").read_text(encoding="utf-8")


def test_the_settings_on_the_page_are_settings() -> None:
    (table,) = re.findall(r"```toml\n(.*?)```", PAGE, re.DOTALL)
    tracing = parse_settings(table).tracing
    assert tracing.headers == {"authorization": "env:OTLP_TOKEN"}
    assert (tracing.service_name, tracing.content) == ("newsroom", False)


def test_the_page_names_every_measure_and_how_to_install() -> None:
    assert all(one.name in PAGE or f"`.{one.name.rpartition('.')[2]}`" in PAGE for one in HISTOGRAMS)
    assert INSTALL in PAGE
    assert PATIENCE == 3
    assert destination(parse_settings("").tracing, {}) is None
