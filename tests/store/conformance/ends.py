"""Ends: nothing follows the end of a run, and nothing but its line and its log is left of its holder."""

import asyncio

import pytest

from quintet.engine.events import Event
from quintet.store.port import Batch, Request, RunEnded, RunFilter, Shelf, StoreClosed
from tests.store.conformance.stores import Stores, begin, beginning, end, event, events, new_run

ENDS = ["run.completed", "run.failed", "run.cancelled"]


class Ends:
    @pytest.mark.parametrize("kind", ENDS)
    async def test_a_run_that_ended_refuses_everything(self, stores: Stores, kind: str) -> None:
        store = await stores.open()
        lease = await begin(store)
        await end(store, lease, kind=kind)

        def never(shelf: Shelf) -> Event:
            raise AssertionError("nothing is performed for a run that ended")

        for refused in (
            store.append(lease, Batch(events(4, "step.started"))),
            store.append(lease, Batch()),
            store.append(lease, Batch(settle=never)),
            store.claim("r1"),
            store.request(Request("r1", "answer", "approve")),
            store.request(Request("r1", "cancel")),
        ):
            with pytest.raises(RunEnded, match=kind.removeprefix("run.")):
                await refused
        assert len(await store.log("r1")) == 3

    async def test_nothing_follows_the_end_within_its_batch(self, stores: Stores) -> None:
        store = await stores.open()
        lease = await begin(store)
        with pytest.raises(RunEnded):
            await store.append(lease, Batch(events(3, "run.completed", "step.started")))
        with pytest.raises(RunEnded):
            await store.append(lease, Batch(events(3, "run.completed"), settle=lambda _: event(4)))
        assert (await store.run("r1")).status == "running"

    async def test_a_run_that_ended_is_held_by_nobody(self, stores: Stores) -> None:
        store = await stores.open()
        lease = await begin(store)
        await end(store, lease)
        run = await store.run("r1")
        assert (run.holder, run.alive, run.shown) == (None, False, "completed")
        await store.release(lease)

    async def test_requests_that_waited_for_a_run_that_ended_wait_no_more(self, stores: Stores) -> None:
        store = await stores.open()
        lease = await begin(store)
        taken = await store.request(Request("r1", "cancel"))
        await store.request(Request("r1", "answer", "approve"))
        await store.append(lease, Batch(events(3, "run.cancelled"), taken=[taken.id]))
        assert await store.requests("r1") == []
        assert await store.inbox() == []

    async def test_what_was_asked_before_it_is_closed_is_done(self, stores: Stores) -> None:
        store = await stores.open()
        creates = [asyncio.create_task(begin(store, f"r{number}")) for number in range(20)]
        await asyncio.sleep(0)  # each has asked
        await store.close()
        assert [lease.run_id for lease in await asyncio.gather(*creates)] == [f"r{n}" for n in range(20)]

    async def test_a_closed_store_says_so(self, stores: Stores) -> None:
        store = await stores.open()
        lease = await begin(store)
        await asyncio.gather(store.close(), store.close())
        await store.close()
        for refused in (
            store.create(new_run("r2"), beginning()),
            store.claim("r1"),
            store.release(lease),
            store.append(lease, Batch(events(3, "step.started"))),
            store.log("r1"),
            store.last("r1"),
            store.unfinished("r1"),
            store.stream(),
            store.run("r1"),
            store.runs(RunFilter()),
            store.request(Request("r1", "cancel")),
            store.requests("r1"),
            store.answer_to("r1", "approve"),
            store.refuse(1),
            store.inbox(),
            store.prune(ended_before=0),
            store.backup("never made"),
        ):
            with pytest.raises(StoreClosed):
                await refused
