"""What all tests share: long campaigns run only when asked for, and no example fails for being slow."""

import os

import pytest
from hypothesis import settings

# Time limits per example measure the machine, not the code: two workers share two cores here.
settings.register_profile("quintet", deadline=None)
settings.load_profile("quintet")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--long", action="store_true", help="also run the slow campaigns (marker: long)")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if config.getoption("--long") or os.environ.get("QUINTET_LONG"):
        return
    skip = pytest.mark.skip(reason="a long campaign: give --long or set QUINTET_LONG")
    for item in items:
        if item.get_closest_marker("long"):
            item.add_marker(skip)
