"""Effects that live in the store: performed in the very transaction that records what they gave."""

from __future__ import annotations

import pytest

from quintet.engine.context import Context
from quintet.engine.failures import Failed, Failure
from quintet.engine.local import Performers
from quintet.engine.local.equipment import Broken
from quintet.engine.memory import Crash, Fault
from quintet.engine.performing import Call
from quintet.engine.redaction import Redactor
from quintet.engine.rules import Rules
from quintet.engine.values import Json
from quintet.store.port import Shelf
from tests.engine.local.faulty_store import FaultyStore
from tests.engine.local.stage import host_over, kinds, memory_store, program
from tests.engine.local.virtual_time import run


async def remember(ctx: Context, arguments: Json) -> Json:
    try:
        return [await ctx.effect("one", "memory", 1), await ctx.effect("two", "memory", 2)]
    except Failed as failed:
        return failed.failure.kind


def count(shelf: Shelf, call: Call) -> Json:
    before = shelf.get("memory", "count")
    assert before is None or isinstance(before, int)
    shelf.put("memory", "count", (before or 0) + 1)
    return before


def test_an_effect_of_the_store_is_in_the_transaction_of_its_outcome() -> None:
    """Effects that live in the store are written in the transaction of their outcome."""

    async def main(append: int, kind: str) -> None:
        async with memory_store() as store:
            faulty = FaultyStore(store, [Fault(kind, append)])  # pyright: ignore[reportArgumentType]
            host = host_over(faulty.face, remember, Performers(shelf={"memory": count}))
            with pytest.raises(Crash):
                await (await host.start(program(remember), run_id="run")).wait()
            report = await (await host.resume("run")).wait()
            assert report.output == [None, 1]  # each happened once, whatever died

    for append in (1, 2):
        for kind in ("crash before", "crash after"):
            run(main(append, kind))


def failing(shelf: Shelf, call: Call) -> Json:
    shelf.put("memory", "count", 100)
    raise Failed(Failure("full", "no"))


def odd(shelf: Shelf, call: Call) -> Json:
    shelf.put("memory", "count", 100)
    return object()  # pyright: ignore[reportReturnType] - that is the point


@pytest.mark.parametrize(("effect", "kind"), [(failing, "full"), (odd, "invalid_result")])
def test_an_effect_of_the_store_that_fails_leaves_nothing_in_it(effect: object, kind: str) -> None:
    shelves: list[Json] = []

    def look(shelf: Shelf, call: Call) -> Json:
        shelves.append(shelf.get("memory", "count"))
        return None

    async def body(ctx: Context, arguments: Json) -> Json:
        first = await remember(ctx, arguments)
        await ctx.effect("look", "look")
        return first

    async def main() -> None:
        async with memory_store() as store:
            performers = Performers(shelf={"memory": effect, "look": look})  # pyright: ignore[reportArgumentType]
            host = host_over(store, body, performers)
            assert (await (await host.start(program(body))).wait()).output == kind

    run(main())
    assert shelves == [None]


def test_an_effect_of_the_store_with_a_bug_breaks_off_and_the_run_can_be_resumed() -> None:
    def buggy(shelf: Shelf, call: Call) -> Json:
        shelf.put("memory", "count", 100)
        raise KeyError("oops")

    async def main() -> None:
        async with memory_store() as store:
            host = host_over(store, remember, Performers(shelf={"memory": buggy}))
            with pytest.raises(Broken, match=r"one.*KeyError.*oops"):
                await (await host.start(program(remember), run_id="run")).wait()
            assert await kinds(store) == []
            mended = host_over(store, remember, Performers(shelf={"memory": count}))
            assert (await (await mended.resume("run")).wait()).output == [None, 1]

    run(main())


def test_what_an_effect_puts_on_the_shelf_is_without_secrets() -> None:
    def keep(shelf: Shelf, call: Call) -> Json:
        shelf.put("memory", "put", call.request)
        assert shelf.put_new("memory", "put new", [call.request])
        assert not shelf.put_new("memory", "put new", 1)
        assert shelf.keys("memory") == ["put", "put new"]
        shelf.put("memory", "gone", 1)
        assert shelf.delete("memory", "gone")
        return [shelf.get("memory", key) for key in shelf.keys("memory")]

    async def body(ctx: Context, arguments: Json) -> Json:
        return await ctx.effect("keep", "keep", "it is sesame")

    async def main() -> None:
        async with memory_store() as store:
            rules = Rules(redactor=Redactor(["sesame"]))
            seen: list[Json] = []

            def spy(shelf: Shelf, call: Call) -> Json:
                seen.append(keep(shelf, call))
                return None

            host = host_over(store, body, Performers(shelf={"keep": spy}), rules=rules)
            assert (await (await host.start(program(body))).wait()).status == "completed"
            assert seen == [["it is [secret]", ["it is [secret]"]]]

    run(main())


def test_an_effect_of_the_store_that_is_cancelled_in_the_queue_never_happens() -> None:
    happened: list[str] = []

    def effect(shelf: Shelf, call: Call) -> Json:
        happened.append(call.name)
        return None

    async def body(ctx: Context, arguments: Json) -> Json:
        first = ctx.branch("first", lambda ctx: ctx.effect("e", "first"))
        second = ctx.branch("second", lambda ctx: ctx.effect("e", "second"))
        await first
        second.cancel()
        return "done"

    async def main() -> None:
        async with memory_store() as store:
            host = host_over(store, body, Performers(shelf={"first": effect, "second": effect}))
            assert (await (await host.start(program(body))).wait()).output == "done"

    run(main())
    assert happened == ["first"]
