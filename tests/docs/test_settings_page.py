"""The page on settings: its example is read as settings are, and leaves no key out."""

from __future__ import annotations

import tomllib
from typing import Any

from quintet.agents.models.settings import Budget
from quintet.project import parse_settings
from scripts import draw
from scripts.tables import DAEMON, sections
from tests.docs.pages import blocks

PAGE = draw.DOCS / "reference" / "settings.md"


def _example() -> str:
    (block,) = [block for block in blocks() if block.page == PAGE and block.language == "toml"]
    return block.text


def test_the_example_is_read() -> None:
    settings = parse_settings(_example())
    assert settings.models.default == "fast"
    assert settings.models.agent_budgets == {"writer": Budget(0.2, 50000)}
    assert set(settings.agents) == {"writer", "critic"}
    assert settings.tracing.service_name == "newsroom"


def test_the_example_leaves_no_key_out() -> None:
    example = tomllib.loads(_example())
    for section in sections().values():
        said = [key for table in _tables(example, section.heading) for key in table]
        keys = [key.name for key in section.shape.keys if key.about != DAEMON]
        assert [key for key in keys if key not in said] == [], section.heading


def _tables(example: dict[str, Any], heading: str) -> list[dict[str, Any]]:
    """All tables of a heading, of which parts may stand for any name."""
    found = [example]
    for part in filter(None, heading.split(".")):
        found = [one for table in found for one in (table.values() if part == "NAME" else [table.get(part)])]
        found = [one for one in found if one is not None]
    return found
