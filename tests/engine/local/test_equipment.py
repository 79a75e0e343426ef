"""Equipment: who performs what."""

from __future__ import annotations

import pytest

from quintet.engine.context import Context
from quintet.engine.local import Performers
from quintet.engine.local.equipment import Broken, NoPerformer
from quintet.engine.performing import Call
from quintet.engine.values import Json
from tests.engine.local.stage import echo, host_over, memory_store, program
from tests.engine.local.virtual_time import run


async def all_three(ctx: Context, arguments: Json) -> Json:
    return [await ctx.model("m", 1), await ctx.tool("t", 1), await ctx.effect("e", "memory", 1)]


async def other(call: Call) -> Json:
    return f"other {call.name}"


def test_each_touch_is_performed_by_who_was_registered_for_it() -> None:
    async def main() -> None:
        async with memory_store() as store:
            performers = Performers(model=echo, tool=other, effects={"memory": echo})
            host = host_over(store, all_three, performers)
            assert (await (await host.start(program(all_three))).wait()).output == ["m", "other t", "memory"]

    run(main())


@pytest.mark.parametrize(
    ("performers", "what"),
    [
        (Performers(tool=other, effects={"memory": echo}), "the model 'm'"),
        (Performers(model=echo, effects={"memory": echo}), "the tool 't'"),
        (Performers(model=echo, tool=other, effects={"other": echo}), "the effect 'memory'"),
    ],
)
def test_what_nobody_here_performs_stops_the_run_until_somebody_does(
    performers: Performers, what: str
) -> None:
    async def main() -> None:
        async with memory_store() as store:
            host = host_over(store, all_three, performers)
            with pytest.raises(NoPerformer, match=f"nobody here performs {what}"):
                await (await host.start(program(all_three), run_id="run")).wait()
            full = Performers(model=echo, tool=other, effects={"memory": echo})
            work = await host_over(store, all_three, full).resume("run")
            assert (await work.wait()).output == ["m", "other t", "memory"]

    run(main())


def test_timers_need_nobody() -> None:
    async def main() -> None:
        async def body(ctx: Context, arguments: Json) -> Json:
            await ctx.sleep("nap", 0.1)
            return "awake"

        async with memory_store() as store:
            host = host_over(store, body, Performers())
            assert (await (await host.start(program(body))).wait()).output == "awake"

    run(main())


def test_what_broke_says_who_performed_what_and_why() -> None:
    error = ValueError("oops")
    broken = Broken.performing("<tool t>", error)
    assert str(broken) == "performing <tool t>: ValueError: oops"
    assert (broken.__cause__, broken.code) == (error, "performer")
