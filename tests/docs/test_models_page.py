"""The page on models names every way to fail, and what it says of numbers is what the code does."""

from __future__ import annotations

import re
from typing import get_args

from quintet.agents.models import offline, parameters, patience
from quintet.agents.models.port import TroubleKind
from quintet.agents.models.surroundings import SERVERS
from quintet.agents.models.tuning import NAMES
from quintet.agents.speakers import STOPPED
from quintet.agents.turn import NOT_FOUND, Limits
from scripts import draw

PAGE = (draw.DOCS / "models.md").read_text(encoding="utf-8")
OF_TURNS = {"empty", "invalid_answer", "limit"}


def _section(title: str) -> str:
    return PAGE.partition(f"\n## {title}\n")[2].partition("\n## ")[0]


def test_every_kind_of_failure_is_in_the_table() -> None:
    rows = re.findall(r"^\| `(\w+)` \|", _section("When a model does not answer"), re.MULTILINE)
    stopped = {kind for kind, _ in STOPPED.values()}
    assert set(rows) == {*get_args(TroubleKind), *stopped, *OF_TURNS, NOT_FOUND}
    assert len(rows) == 13
    assert set(rows[:6]) == set(get_args(TroubleKind)), "the first six come from the provider"


def test_every_parameter_is_named() -> None:
    assert set(re.findall(r"`(\w+)`", _section("Parameters").partition("What the workflow")[0])) == NAMES


def test_the_numbers_are_those_of_the_code() -> None:
    assert (patience.MOST_TRIES, patience.LONGEST, parameters.SILENCE, parameters.LONGEST) == (
        4,
        600,
        120,
        600,
    )
    assert Limits() == Limits(requests=100, same=5, repairs=2)
    assert f"after {offline.LONG_ENOUGH} tokens" in _section("The offline model")
    assert {str(server.port) for server in SERVERS} <= set(re.findall(r"\d+", _section("Ways to get one")))
