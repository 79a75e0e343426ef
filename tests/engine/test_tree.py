"""The tree of scopes: whom an outcome is for, and who waits for whom where nobody can go on."""

from __future__ import annotations

from collections.abc import Awaitable
from typing import Any

import pytest

from quintet.engine.combinators import deadline
from quintet.engine.context import Context
from quintet.engine.failures import Diverged, ProgramError
from quintet.engine.machine import Machine
from quintet.engine.paths import parse
from quintet.engine.scopes import Branch
from quintet.engine.values import Json
from tests.engine.play import Play, ask


def _limited(ctx: Context) -> Awaitable[Json]:
    return deadline(ctx, "limit", 5, ask())


async def _asks(ctx: Context) -> None:
    await ctx.branch("a", ask())
    await ctx.model("ask", "?")


@pytest.mark.parametrize(
    ("path", "kind", "difference"),
    [
        ("a/ask", "tool", "a model"),
        ("a/ask#2", "model", "asks for <model a/ask>"),
        ("a/other", "model", "asks for <model a/ask>"),
        ("b/ask", "model", "does not ask for that here"),
        ("ask", "model", "does not ask for that here"),
        ("a", "model", "a branch"),
        ("a", "deadline", "a branch"),
        ("~a/ask", "model", "a branch of another sort"),
        ("a/ask/deeper", "model", "a model"),
        ("", "model", "a branch"),
    ],
)
def test_an_outcome_that_nothing_waits_for_and_never_did_is_a_divergence(
    path: str, kind: Any, difference: str
) -> None:
    """Points 4 and 7: only what once was there may be late; the run stops and names path and difference."""
    play = Play(_asks)
    with pytest.raises(Diverged) as caught:
        play.offer(path, kind)
    assert caught.value.path == parse(path)
    assert difference in caught.value.difference
    with pytest.raises(Diverged):
        play.give("a/ask")


def test_an_outcome_of_another_request_is_a_divergence() -> None:
    play = Play(_asks)
    with pytest.raises(Diverged, match='at a/ask: it now asks "\\?"'):
        play.offer("a/ask", "model", "0" * 32)


def test_an_outcome_of_the_same_request_is_none() -> None:
    play = Play(_asks)
    assert play.offer("a/ask", "model", play.open["a/ask"].fingerprint)


def test_an_open_touch_is_found_by_its_path_and_kind_only() -> None:
    async def program(ctx: Context) -> None:
        ctx.branch("a", _limited)
        await ctx.model("ask", "?")

    machine = Machine(program)
    limited, alarm, root = parse("a/~limit/ask"), parse("a/~limit"), parse("ask")
    assert machine.find(limited, "model") is not None
    assert machine.find(alarm, "deadline") is not None
    assert machine.find(root, "model") is not None
    for path, kind in (
        (limited, "tool"), (alarm, "model"), (root, "deadline"), ((), "model"), ((), "deadline"),
        (parse("b/ask"), "model"), (parse("ask#2"), "model"),
    ):  # fmt: skip
        assert machine.find(path, kind) is None  # pyright: ignore[reportArgumentType]
    machine.close()


def test_nothing_to_wait_for_is_a_program_error_that_names_the_cycle() -> None:
    """Point 3: no open touch and an unfinished root is a `ProgramError` that names the cycle."""
    handles: dict[str, Branch[None]] = {}

    async def wait(ctx: Context, name: str) -> None:
        await handles[name]

    async def program(ctx: Context) -> None:
        for name, other in (("a", "b"), ("b", "c"), ("c", "b")):
            handles[name] = ctx.branch(name, lambda ctx, other=other: wait(ctx, other))
        await handles["a"]

    with pytest.raises(ProgramError, match=r"nothing can ever go on here: b waits for c waits for b$"):
        Machine(program)


def test_a_time_limit_does_not_hide_a_cycle() -> None:
    """Its clock never runs: nothing under it is performed."""

    async def program(ctx: Context) -> None:
        handles: list[Branch[None]] = []

        async def stuck(ctx: Context) -> None:
            await handles[0]

        handles.append(ctx.branch("limited", lambda ctx: deadline(ctx, "limit", 5, stuck)))

    with pytest.raises(ProgramError, match=r"limited waits for limited/~limit waits for limited$"):
        Machine(program)


def test_a_branch_that_awaits_itself_is_named() -> None:
    async def program(ctx: Context) -> None:
        handles: list[Branch[None]] = []

        async def body(ctx: Context) -> None:
            await handles[0]

        handles.append(ctx.branch("me", body))

    with pytest.raises(ProgramError, match=r"me waits for me$"):
        Machine(program)
