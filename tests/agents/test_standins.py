"""A stand-in takes the time its script says, and talks all the while."""

from __future__ import annotations

import asyncio

import pytest

from quintet.agents import standins
from quintet.agents.acting import Act

TEXT = "Steam over a cup.\nThe window is gone.  余ったパンを計る秤を置く。毎晩の数字がグラフになる。"


def said(act: Act, monkeypatch: pytest.MonkeyPatch) -> list[tuple[float, str]]:
    """Each piece, and how long it was waited for."""
    heard: list[tuple[float, str]] = []
    waits: list[float] = []

    async def sleep(seconds: float) -> None:
        waits.append(seconds)

    monkeypatch.setattr(asyncio, "sleep", sleep)

    def say(piece: str) -> None:
        heard.append((sum(waits[-1:]), piece))

    asyncio.run(standins._said(act, say))  # pyright: ignore[reportPrivateUsage]: without a run around it
    assert sum(waits[-1:]) == pytest.approx(act.delay, abs=0.05), "the last wait is until the end"
    return heard


def test_what_is_said_comes_in_pieces_and_is_complete(monkeypatch: pytest.MonkeyPatch) -> None:
    heard = said(Act(1.0, said=TEXT), monkeypatch)
    assert "".join(piece for _, piece in heard) == TEXT
    assert 5 <= len(heard) <= 10
    assert all(piece.strip() for _, piece in heard)
    assert [wait for wait, _ in heard] == sorted(wait for wait, _ in heard)


def test_what_takes_no_time_comes_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    assert [piece for _, piece in said(Act(0.0, said=TEXT), monkeypatch)] == [TEXT]


def test_who_says_nothing_takes_time_too(monkeypatch: pytest.MonkeyPatch) -> None:
    assert said(Act(3.0), monkeypatch) == []
