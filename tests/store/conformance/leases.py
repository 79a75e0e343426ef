"""Leases: one process works on a run, and a process that is gone keeps nobody from it."""

import asyncio
from dataclasses import replace

import pytest

from quintet.engine.failures import Held, LeaseLost
from quintet.store.holders import this_process
from quintet.store.port import Batch, Lease, Request, Store
from tests.store.conformance.stores import LEASE_SECONDS, Stores, begin, elsewhere, end, events, killed


async def refuses(store: Store, run_id: str = "r1") -> Held:
    """How a run is refused that somebody works on."""
    with pytest.raises(Held) as held:
        await store.claim(run_id)
    return held.value


class Leases:
    async def test_a_run_that_is_held_is_refused_naming_the_holder(self, stores: Stores) -> None:
        mine, other = await stores.open(), await stores.open()
        await begin(mine)
        held = await refuses(other)
        assert held.by == mine.holder.describe()
        assert held.by in str(held)

    async def test_its_very_holder_is_refused_too_however_silent_it_was(self, stores: Stores) -> None:
        unknown = replace(this_process(), started="")  # as where the system does not tell
        for run_id, holder in (("here", this_process()), ("unknown", unknown)):
            store = await stores.open(holder)
            await begin(store, run_id)
            stores.clock.now += 10 * LEASE_SECONDS
            await refuses(store, run_id)
            assert (await store.run(run_id)).alive

    async def test_a_run_that_was_let_go_is_taken_up_with_a_higher_epoch(self, stores: Stores) -> None:
        mine, other = await stores.open(), await stores.open()
        first = await begin(mine)
        await mine.release(first)
        second = await other.claim("r1")
        assert second.epoch > first.epoch
        await other.append(second, Batch(events(3, "step.started")))
        await other.release(second)
        assert (await mine.claim("r1")).epoch > second.epoch

    async def test_whoever_let_a_run_go_cannot_append(self, stores: Stores) -> None:
        store = await stores.open()
        lease = await begin(store)
        await store.release(lease)
        with pytest.raises(LeaseLost):
            await store.append(lease, Batch(events(3, "step.started")))
        await store.claim("r1")
        with pytest.raises(LeaseLost):
            await store.append(lease, Batch(events(3, "step.started")))

    async def test_a_lease_is_no_use_to_another_holder(self, stores: Stores) -> None:
        mine, other = await stores.open(), await stores.open()
        lease = await begin(mine)
        with pytest.raises(LeaseLost):
            await other.append(lease, Batch(events(3, "step.started")))
        await other.release(lease)
        await mine.append(lease, Batch(events(3, "step.started")))

    async def test_a_holder_of_this_machine_whose_process_is_gone_is_replaced_at_once(
        self, stores: Stores
    ) -> None:
        gone, here = await stores.open(killed()), await stores.open()
        lost = await begin(gone)
        assert (await here.run("r1")).shown == "interrupted"
        lease = await here.claim("r1")
        await here.append(lease, Batch(events(3, "step.started")))
        with pytest.raises(LeaseLost):
            await gone.append(lost, Batch(events(4, "step.started")))
        assert len(await here.log("r1")) == 3

    async def test_a_holder_that_is_seen_to_be_gone_is_forgotten_with_all_it_held(
        self, stores: Stores
    ) -> None:
        gone, here = await stores.open(killed()), await stores.open()
        for run_id in ("r1", "r2"):
            await begin(gone, run_id)
        assert (await here.run("r2")).holder == gone.holder
        await here.claim("r1")
        other = await here.run("r2")
        assert (other.holder, other.shown) == (None, "interrupted")
        await here.claim("r2")

    async def test_a_silent_holder_elsewhere_keeps_what_nobody_else_wants(self, stores: Stores) -> None:
        far, here = await stores.open(elsewhere()), await stores.open()
        await begin(far, "r1")
        kept = await begin(far, "r2")
        stores.clock.now += LEASE_SECONDS + 1
        await here.claim("r1")
        await stores.beat(far)
        await refuses(here, "r2")
        await far.append(kept, Batch(events(3, "step.started")))

    async def test_a_holder_from_before_the_machine_was_started_anew_is_replaced_at_once(
        self, stores: Stores
    ) -> None:
        before, here = await stores.open(replace(this_process(), boot="an earlier one")), await stores.open()
        await begin(before)
        assert (await here.claim("r1")).epoch == 2

    async def test_a_process_that_is_there_is_believed_however_silent(self, stores: Stores) -> None:
        mine, other = await stores.open(), await stores.open()
        await begin(mine)
        stores.clock.now += 1000 * LEASE_SECONDS
        await refuses(other)
        assert (await other.run("r1")).shown == "running"

    async def test_a_silent_holder_elsewhere_is_replaced_when_its_lease_runs_out(
        self, stores: Stores
    ) -> None:
        far, here = await stores.open(elsewhere()), await stores.open()
        lost = await begin(far)
        stores.clock.now += LEASE_SECONDS
        await refuses(here)
        assert (await here.run("r1")).alive
        stores.clock.now += 1
        assert (await here.run("r1")).shown == "interrupted"
        await here.claim("r1")
        with pytest.raises(LeaseLost):
            await far.append(lost, Batch(events(3, "step.started")))
        assert await here.log("r1", after=2) == []

    async def test_a_sign_of_life_renews_a_lease(self, stores: Stores) -> None:
        far, here = await stores.open(elsewhere()), await stores.open()
        lease = await begin(far)
        stores.clock.now += LEASE_SECONDS
        await stores.beat(far)
        stores.clock.now += LEASE_SECONDS
        await refuses(here)
        await far.append(lease, Batch(events(3, "step.started")))

    async def test_signs_of_life_come_by_themselves_for_as_long_as_a_run_is_held(
        self, stores: Stores
    ) -> None:
        far, here = await stores.open(elsewhere()), await stores.open()
        lease = await begin(far)
        await far.release(lease)
        stores.clock.now += LEASE_SECONDS + 1
        await here.prune(ended_before=0)  # forgets holders that hold nothing
        await far.claim("r1")
        stores.clock.now += LEASE_SECONDS
        await refuses(here)

    async def test_a_clock_that_was_put_back_keeps_nobody_from_a_run_for_long(self, stores: Stores) -> None:
        far, here = await stores.open(elsewhere()), await stores.open()
        await begin(far)
        stores.clock.now -= 1_000_000
        await refuses(here)
        await stores.beat(here)  # from here on its silence is counted anew
        stores.clock.now += LEASE_SECONDS
        await refuses(here)
        stores.clock.now += 1
        await here.claim("r1")

    async def test_letting_go_of_a_lost_lease_leaves_the_new_holder_in_peace(self, stores: Stores) -> None:
        far, here = await stores.open(elsewhere()), await stores.open()
        lost = await begin(far)
        stores.clock.now += LEASE_SECONDS + 1
        lease = await here.claim("r1")
        await far.release(lost)
        await here.append(lease, Batch(events(3, "step.started")))
        await refuses(far)

    async def test_a_loser_is_told_so_even_if_the_run_has_ended_since(self, stores: Stores) -> None:
        far, here = await stores.open(elsewhere()), await stores.open()
        lost = await begin(far)
        stores.clock.now += LEASE_SECONDS + 1
        await end(here, await here.claim("r1"))
        with pytest.raises(LeaseLost):
            await far.append(lost, Batch(events(3, "step.started")))

    async def test_of_many_who_claim_at_once_one_wins(self, stores: Stores) -> None:
        openers = [await stores.open() for _ in range(4)]
        await openers[0].release(await begin(openers[0]))
        claims = [store.claim("r1") for store in openers for _ in range(5)]
        came = await asyncio.gather(*claims, return_exceptions=True)
        assert [type(one).__name__ for one in came].count("Lease") == 1
        assert [type(one).__name__ for one in came].count("Held") == len(came) - 1

    async def test_a_claim_whose_caller_was_cancelled_is_let_go(self, stores: Stores) -> None:
        store = await stores.open()
        await store.release(await begin(store))
        for turns in range(4):  # cancelled before it is asked, while it is performed, …
            claim = asyncio.create_task(store.claim("r1"))
            for _ in range(turns):
                await asyncio.sleep(0)
            claim.cancel()
            (came,) = await asyncio.gather(claim, return_exceptions=True)
            if isinstance(came, Lease):  # it was too late to cancel
                await store.release(came)
            await self._until_free(store)
            await store.release(await store.claim("r1"))

    async def test_a_run_whose_creator_was_cancelled_is_let_go(self, stores: Stores) -> None:
        store = await stores.open()
        create = asyncio.create_task(begin(store))
        await asyncio.sleep(0)
        create.cancel()
        await asyncio.gather(create, return_exceptions=True)
        await self._until_free(store)
        assert (await store.run("r1")).shown == "interrupted"

    async def test_a_store_that_is_closed_lets_its_runs_go(self, stores: Stores) -> None:
        first, second = await stores.open(elsewhere()), await stores.open()
        for number in range(3):
            await begin(first, f"r{number}")
        await begin(second, "r9")
        await first.close()
        assert [run.shown for run in await second.runs()] == ["running", *["interrupted"] * 3]
        await second.claim("r1")

    async def test_a_holder_that_comes_back_holds_nothing(self, stores: Stores) -> None:
        holder = this_process()
        before = await stores.open(holder)
        lost = await begin(before)
        await before.close()
        again = await stores.open(holder)
        assert (await again.run("r1")).holder is None
        with pytest.raises(LeaseLost):
            await again.append(lost, Batch(events(3, "step.started")))
        await again.claim("r1")

    async def _until_free(self, store: Store) -> None:
        async with asyncio.timeout(30):
            request = await store.request(Request("r1", "cancel"))  # what was asked before is done now
            await store.refuse(request.id)
            while (await store.run("r1")).holder:
                pass
