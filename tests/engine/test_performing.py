"""Performing: what is handed to whoever performs a touch."""

from __future__ import annotations

from quintet.engine.context import Context
from quintet.engine.paths import parse
from quintet.engine.performing import Call
from quintet.engine.values import Json
from tests.engine.desk import Desk


async def program(ctx: Context, arguments: Json) -> Json:
    ctx.branch("a", lambda ctx: ctx.tool("search", {"q": 1}))
    return await ctx.effect("remember", "memory", {"key": "k"})


def test_a_call_is_named_by_the_key_of_its_touch() -> None:
    touch = Desk(program).performing["a/search"]
    assert Call.of("run", touch, "key") == Call("run", parse("a/search"), "tool", "search", {"q": 1}, "key")


def test_the_call_of_an_effect_is_named_by_its_service_and_holds_its_data() -> None:
    touch = Desk(program).performing["remember"]
    assert Call.of("run", touch, "key") == Call(
        "run", parse("remember"), "effect", "memory", {"key": "k"}, "key"
    )
