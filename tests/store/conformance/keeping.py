"""Keeping: runs are forgotten when they are old, and copied while they go on."""

import asyncio
from pathlib import Path

import pytest

from quintet.engine.failures import LeaseLost
from quintet.store.port import Batch, NoSuchRun, Pruned, Request, Store, StoreError
from tests.store.conformance.stores import Stores, begin, end, event, events


async def ended_at(store: Store, run_id: str, time: float) -> None:
    lease = await begin(store, run_id)
    await store.append(lease, Batch([event(3, "run.completed")._replace(time=time)]))


async def left(store: Store) -> list[str]:
    return sorted(run.id for run in await store.runs())


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


class Keeping:
    async def test_only_runs_that_ended_before_a_time_are_forgotten(self, stores: Stores) -> None:
        store = await stores.open()
        await ended_at(store, "old", 2000.0)
        await ended_at(store, "at that time", 3000.0)
        await begin(store, "running")
        paused = await begin(store, "paused")
        await store.append(paused, Batch(events(3, "run.paused")))
        await store.release(paused)
        assert await store.prune(ended_before=3000.0) == Pruned(runs=1, events=3)
        assert await left(store) == ["at that time", "paused", "running"]
        assert await store.prune(ended_before=3000.0) == Pruned()

    async def test_the_oldest_are_forgotten_first(self, stores: Stores) -> None:
        store = await stores.open()
        for run_id, time in (("r1", 30.0), ("r2", 10.0), ("r3", 20.0)):
            await ended_at(store, run_id, time)
        assert (await store.prune(ended_before=100.0, limit=2)).runs == 2
        assert await left(store) == ["r1"]

    async def test_nothing_is_left_of_a_run_that_is_forgotten(self, stores: Stores) -> None:
        store = await stores.open()
        lease = await begin(store)
        taken = await store.request(Request("r1", "answer", "q"))
        await store.append(lease, Batch(taken=[taken.id]))
        await end(store, lease)
        await store.prune(ended_before=1e9)
        for gone in (store.run("r1"), store.log("r1"), store.requests("r1"), store.claim("r1")):
            with pytest.raises(NoSuchRun):
                await gone
        with pytest.raises((NoSuchRun, LeaseLost)):
            await store.append(lease, Batch())
        assert await store.stream() == []
        await begin(store)  # its name is free
        await store.request(Request("r1", "answer", "q"))

    async def test_no_position_is_given_twice_even_when_the_newest_was_forgotten(
        self, stores: Stores
    ) -> None:
        seen: list[int] = []
        for turn in range(3):
            store = await stores.open()
            seen += [one.position for _, one in await store.stream(after=max(seen, default=0))]
            if turn == 1:  # once with something before it, and otherwise all that there is
                await begin(store, "stays")
            await ended_at(store, f"r{turn}", 2000.0)
            seen += [one.position for _, one in await store.stream(after=max(seen, default=0))]
            await store.prune(ended_before=1e9)
            await store.close()
        assert len(seen) == 3 * 3 + 2
        assert seen == sorted(set(seen))

    async def test_one_prune_beside_another_counts_nothing_twice(self, stores: Stores) -> None:
        openers = [await stores.open() for _ in range(2)]
        for number in range(20):
            await ended_at(openers[0], f"r{number}", 2000.0)
        pruned = await asyncio.gather(*(store.prune(ended_before=1e9) for store in openers))
        assert pruned[0] + pruned[1] == Pruned(runs=20, events=60)

    async def test_a_copy_is_made_while_the_store_is_in_use(self, stores: Stores, tmp_path: Path) -> None:
        store = await stores.open()
        lease = await begin(store)
        await store.append(lease, Batch([event(3, "model.answered", f'"{"x" * 5000}"')]))

        async def grow() -> None:
            for seq in range(4, 60):
                await store.append(lease, Batch([event(seq)]))

        growing = asyncio.create_task(grow())
        await store.backup(str(tmp_path / "copy"))
        await growing
        copy = await stores.open_copy(tmp_path / "copy")
        log, copied = await store.log("r1"), await copy.log("r1")
        assert len(copied) >= 3
        assert list(copied) == list(log[: len(copied)])
        assert len(log) == 59

    async def test_nobody_holds_the_runs_of_a_copy(self, stores: Stores, tmp_path: Path) -> None:
        store = await stores.open()
        lease = await begin(store)
        await store.backup(str(tmp_path / "copy"))
        copy = await stores.open_copy(tmp_path / "copy")
        run = await copy.run("r1")
        assert (run.holder, run.shown) == (None, "interrupted")
        taken = await copy.claim("r1")
        await copy.append(taken, Batch(events(3, "run.completed")))
        await store.append(lease, Batch(events(3, "step.started")))
        assert (await store.run("r1")).shown == "running"

    async def test_a_copy_replaces_nothing(self, stores: Stores, tmp_path: Path) -> None:
        store = await stores.open()
        (tmp_path / "precious").write_text("mine")
        with pytest.raises(StoreError, match="precious"):
            await store.backup(str(tmp_path / "precious"))
        for impossible in (tmp_path / "nowhere" / "copy", tmp_path / "precious" / "copy"):
            with pytest.raises(StoreError, match=impossible.parent.name):
                await store.backup(str(impossible))
        assert (tmp_path / "precious").read_text() == "mine"
        assert [name for name in names(tmp_path) if "precious" in name] == ["precious"]
