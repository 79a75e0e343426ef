"""What all tests share: long campaigns run only when asked for, and no example fails for being slow."""

import os
import time
from collections.abc import Iterator
from itertools import count

import pytest
from hypothesis import settings

from quintet.agents.models import surroundings
from quintet.agents.models.providers import PROVIDERS

IS_LONG = bool(os.environ.get("QUINTET_LONG"))

# Time limits per example measure the machine, not the code: two workers share two cores here.  What is tried
# is the same each time, so that a change is not blamed for what another one broke; campaigns try new things.
settings.register_profile("quintet", deadline=None, derandomize=not IS_LONG)
settings.load_profile("quintet")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--long", action="store_true", help="also run the slow campaigns (marker: long)")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if config.getoption("--long") or IS_LONG:
        return
    skip = pytest.mark.skip(reason="a long campaign: give --long or set QUINTET_LONG")
    for item in items:
        if item.get_closest_marker("long"):
            item.add_marker(skip)


@pytest.fixture(autouse=True)
def _no_models_here(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tests find no model by chance: no key, no server, and none that is installed."""
    for provider in PROVIDERS.values():
        for variable in provider.keys:
            monkeypatch.delenv(variable, raising=False)
    monkeypatch.setattr(surroundings, "SERVERS", ())


@pytest.fixture
def seeds(request: pytest.FixtureRequest) -> Iterator[int]:
    """Seeds for a campaign, for as long as its share of QUINTET_BUDGET seconds lasts; new ones every time."""
    campaigns = sum("seeds" in getattr(item, "fixturenames", ()) for item in request.session.items)
    workers = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
    end = time.monotonic() + float(os.environ.get("QUINTET_BUDGET", "60")) * workers / campaigns
    first = int(time.time()) * 1000
    return iter(_until(end, first))


def _until(end: float, first: int) -> Iterator[int]:
    for seed in count(first):
        if time.monotonic() >= end:
            return
        yield seed
