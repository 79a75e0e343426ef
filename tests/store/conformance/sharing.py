"""Sharing: several objects over one store, as several processes have them, see one log each run."""

import asyncio

import pytest

from quintet.engine.events import Event
from quintet.store.port import AlreadyDecided, Batch, Lease, Request, RunExists, Shelf, Store
from tests.store.conformance.stores import Stores, begin, elsewhere, event, events, killed


class Sharing:
    async def test_what_append_has_returned_is_seen_by_all(self, stores: Stores) -> None:
        mine, other = await stores.open(), await stores.open()
        lease = await begin(mine)
        for seq in range(3, 8):
            (kept,) = await mine.append(lease, Batch([event(seq)]))
            assert list(await other.log("r1", after=seq - 1)) == [kept]

    async def test_of_many_who_create_a_run_one_wins(self, stores: Stores) -> None:
        openers = [await stores.open() for _ in range(4)]
        came = await asyncio.gather(*map(begin, openers), return_exceptions=True)
        assert [type(one) for one in came].count(RunExists) == 3
        assert len(await openers[0].log("r1")) == 2

    async def test_of_answers_from_anywhere_one_wins(self, stores: Stores) -> None:
        openers = [await stores.open() for _ in range(4)]
        await begin(openers[0])
        answers = [store.request(Request("r1", "answer", "q", by=str(n))) for n, store in enumerate(openers)]
        came = await asyncio.gather(*answers, return_exceptions=True)
        (winner,) = [one for one in came if isinstance(one, Request)]
        assert [one.first for one in came if isinstance(one, AlreadyDecided)] == [winner] * 3
        assert await openers[0].inbox() == [winner]

    async def test_a_request_goes_to_whoever_holds_the_run_then(self, stores: Stores) -> None:
        gone, here, other = await stores.open(killed()), await stores.open(), await stores.open()
        await begin(gone)
        request = await other.request(Request("r1", "cancel"))
        assert await here.inbox() == []
        lease = await here.claim("r1")
        assert await here.inbox() == [request]
        assert await gone.inbox() == []
        assert await other.inbox() == []
        await here.append(lease, Batch(events(3, "run.cancelled"), taken=[request.id]))
        assert await other.requests("r1") == []

    async def test_of_many_effects_on_one_name_one_comes_first(self, stores: Stores) -> None:
        openers = [await stores.open() for _ in range(4)]
        leases = [await begin(store, f"r{n}") for n, store in enumerate(openers)]

        def first(shelf: Shelf) -> Event:
            return event(3, "effect.done", "1" if shelf.put_new("dedup", "k", None) else "0")

        came = await asyncio.gather(
            *(store.append(lease, Batch(settle=first)) for store, lease in zip(openers, leases, strict=True))
        )
        assert sorted(kept.data for (kept,) in came) == ["0", "0", "0", "1"]

    async def test_who_follows_the_stream_misses_nothing_and_sees_nothing_twice(self, stores: Stores) -> None:
        writers = [await stores.open(elsewhere(str(n))) for n in range(3)]
        reader = await stores.open()
        runs, steps = 4, 10
        total = len(writers) * runs * (steps + 2)

        async def grow(store: Store, lease: Lease) -> None:
            for seq in range(3, 3 + steps):
                await store.append(lease, Batch([event(seq)]))

        async def follow() -> list[tuple[str, Event]]:
            seen: list[tuple[str, Event]] = []
            async with asyncio.timeout(60):
                while len(seen) < total:
                    seen += await reader.stream(after=seen[-1][1].position if seen else 0, limit=50)
            return seen

        following = asyncio.create_task(follow())
        leases = [
            (store, await begin(store, f"r{n}-{m}")) for n, store in enumerate(writers) for m in range(runs)
        ]
        await asyncio.gather(*(grow(*one) for one in leases))
        seen = await following
        assert len(seen) == total
        assert seen == list(await reader.stream())
        for _, lease in leases:
            assert [one.seq for run_id, one in seen if run_id == lease.run_id] == [*range(1, steps + 3)]

    async def test_what_a_process_kept_is_there_for_the_next(self, stores: Stores) -> None:
        first = await stores.open()
        lease = await begin(first)
        kept = await first.append(lease, Batch(events(3, "step.started")))
        await first.close()
        second = await stores.open()
        assert list(await second.log("r1", after=2)) == list(kept)
        with pytest.raises(RunExists):
            await begin(second)
