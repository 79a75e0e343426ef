"""Requests: anybody may hand one in; the holder takes it exactly once, with the events that it becomes."""

import asyncio
from dataclasses import replace

import pytest

from quintet.engine.states import IllegalMove
from quintet.store.port import AlreadyDecided, Batch, NoSuchRun, Request, RunEnded, StoreError
from tests.store.conformance.stores import Stores, begin, events

YES = Request("r1", "answer", "approve", {"ok": True, "why": "\ud800\0"}, by="ann")
NO = Request("r1", "answer", "approve", {"ok": False}, by="bob")
CANCEL = Request("r1", "cancel", by="bob")


class Requests:
    async def test_a_request_waits_as_it_was_handed_in(self, stores: Stores) -> None:
        store = await stores.open()
        await begin(store)
        kept = await store.request(YES)
        assert kept == replace(YES, id=kept.id)
        assert kept.id > 0
        assert await store.requests("r1") == [kept]
        assert await store.inbox() == [kept]

    async def test_of_two_answers_one_wins_and_the_other_is_told(self, stores: Stores) -> None:
        store = await stores.open()
        await begin(store)
        first, second = await asyncio.gather(
            store.request(YES), store.request(NO), return_exceptions=True
        )  # in the order in which they were handed in
        assert isinstance(first, Request)
        assert isinstance(second, AlreadyDecided)
        assert second.first == first
        assert await store.requests("r1") == [first]

    async def test_a_run_is_cancelled_once(self, stores: Stores) -> None:
        store = await stores.open()
        await begin(store)
        first = await store.request(CANCEL)
        with pytest.raises(AlreadyDecided, match="bob"):
            await store.request(replace(CANCEL, target="somewhere", by="eve"))
        assert await store.requests("r1") == [first]

    async def test_different_questions_and_runs_do_not_meet(self, stores: Stores) -> None:
        store = await stores.open()
        await begin(store, "r1")
        await begin(store, "r2")
        asked = [YES, CANCEL, replace(YES, target="approve#2"), replace(YES, run_id="r2")]
        kept = [await store.request(one) for one in asked]
        assert list(await store.requests("r1")) == kept[:3]
        assert list(await store.requests("r2")) == kept[3:]
        assert list(await store.inbox()) == kept

    async def test_a_request_is_taken_in_the_transaction_of_its_events(self, stores: Stores) -> None:
        store = await stores.open()
        lease = await begin(store)
        request = await store.request(YES)
        with pytest.raises(IllegalMove):
            await store.append(
                lease, Batch(events(3, "question.answered", "run.created"), taken=[request.id])
            )
        assert await store.requests("r1") == [request]
        await store.append(lease, Batch(events(3, "question.answered"), taken=[request.id]))
        assert await store.requests("r1") == []
        assert await store.inbox() == []

    async def test_a_request_is_taken_once(self, stores: Stores) -> None:
        store = await stores.open()
        lease = await begin(store)
        request = await store.request(YES)
        await store.append(lease, Batch(events(3, "question.answered"), taken=[request.id]))
        for again in ([request.id], [request.id + 1000]):
            with pytest.raises(StoreError):
                await store.append(lease, Batch(events(4, "question.answered"), taken=again))
        assert await store.log("r1", after=3) == []

    async def test_a_request_is_taken_by_its_own_run_only(self, stores: Stores) -> None:
        store = await stores.open()
        mine, other = await begin(store, "r1"), await begin(store, "r2")
        for request, lease in (
            (await store.request(YES), other),
            (await store.request(replace(YES, run_id="r2")), mine),
        ):
            with pytest.raises(StoreError):
                await store.append(lease, Batch(taken=[request.id]))
            assert await store.requests(request.run_id) == [request]

    async def test_what_was_taken_stays_decided(self, stores: Stores) -> None:
        store = await stores.open()
        lease = await begin(store)
        first = await store.request(YES)
        await store.append(lease, Batch(events(3, "question.answered"), taken=[first.id]))
        with pytest.raises(AlreadyDecided) as raised:
            await store.request(NO)
        assert raised.value.first == first

    async def test_whose_answer_was_taken_is_told_even_when_the_run_has_ended(self, stores: Stores) -> None:
        store = await stores.open()
        lease = await begin(store)
        first, cancel = await store.request(YES), await store.request(CANCEL)
        await store.append(lease, Batch(events(3, "question.answered"), taken=[first.id]))
        await store.append(lease, Batch(events(4, "run.cancelled"), taken=[cancel.id]))
        with pytest.raises(AlreadyDecided) as raised:
            await store.request(NO)
        assert raised.value.first == first
        for other in (replace(NO, target="elsewhere"), CANCEL):
            with pytest.raises(RunEnded):
                await store.request(other)

    async def test_the_answer_that_came_first_can_be_looked_up(self, stores: Stores) -> None:
        store = await stores.open()
        lease = await begin(store)
        assert await store.answer_to("r1", "approve") is None
        refused = await store.request(NO)
        assert await store.answer_to("r1", "approve") == refused
        await store.refuse(refused.id)
        assert await store.answer_to("r1", "approve") is None
        first = await store.request(YES)
        await store.append(lease, Batch(events(3, "question.answered"), taken=[first.id]))
        assert await store.answer_to("r1", "approve") == first
        assert await store.answer_to("r1", "elsewhere") is None
        with pytest.raises(NoSuchRun):
            await store.answer_to("r2", "approve")

    async def test_a_refused_request_frees_its_place(self, stores: Stores) -> None:
        store = await stores.open()
        lease = await begin(store)
        first = await store.request(YES)
        await store.refuse(first.id)
        assert await store.requests("r1") == []
        with pytest.raises(StoreError):
            await store.append(lease, Batch(taken=[first.id]))
        second = await store.request(NO)
        assert second.id > first.id
        assert await store.inbox() == [second]

    async def test_to_refuse_what_was_taken_changes_nothing(self, stores: Stores) -> None:
        store = await stores.open()
        lease = await begin(store)
        first = await store.request(YES)
        await store.append(lease, Batch(taken=[first.id]))
        await store.refuse(first.id)
        await store.refuse(first.id + 1000)
        with pytest.raises(AlreadyDecided):
            await store.request(NO)

    async def test_the_inbox_holds_what_waits_for_runs_that_are_held(self, stores: Stores) -> None:
        store = await stores.open()
        lease = await begin(store, "r1")
        await begin(store, "r2")
        mine, other = await store.request(YES), await store.request(replace(YES, run_id="r2"))
        assert await store.inbox() == [mine, other]
        await store.release(lease)
        assert await store.inbox() == [other]
        await store.claim("r1")
        assert await store.inbox() == [mine, other]
