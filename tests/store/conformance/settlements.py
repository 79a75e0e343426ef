"""Settlements: an effect that lives in the store is in the transaction of its outcome."""

from collections.abc import Callable

import pytest

from quintet.engine.events import Event
from quintet.engine.states import IllegalMove
from quintet.engine.values import Json, decode, encode
from quintet.store.port import Batch, Lease, Request, Shelf, Store, StoreError
from tests.store.conformance.stores import Stores, begin, event, events

NAMES = ["", "key", "KEY", "a\0b", "a", "é😀", "\ud800", "\\ud800", '"\ud800"', "%", "_"]


async def settle(store: Store, lease: Lease, seq: int, effect: Callable[[Shelf], Json]) -> Json:
    """What an effect gave, as its outcome in the log has it."""

    def outcome(shelf: Shelf) -> Event:
        return event(seq, "effect.done", encode(effect(shelf)))

    (kept,) = await store.append(lease, Batch(settle=outcome))
    return decode(kept.data)


class Settlements:
    async def test_an_outcome_is_appended_behind_the_events_of_its_batch(self, stores: Stores) -> None:
        store = await stores.open()
        lease = await begin(store)

        def outcome(shelf: Shelf) -> Event:
            shelf.put("memory", "fact", {"n": 1})
            return event(4, "effect.done")

        kept = await store.append(lease, Batch(events(3, "effect.requested"), settle=outcome))
        assert [(one.seq, one.kind) for one in kept] == [(3, "effect.requested"), (4, "effect.done")]
        assert list(await store.log("r1", after=2)) == list(kept)
        assert await settle(store, lease, 5, lambda shelf: shelf.get("memory", "fact")) == {"n": 1}

    async def test_an_effect_that_raises_leaves_nothing_of_its_batch(self, stores: Stores) -> None:
        store = await stores.open()
        lease = await begin(store)
        request = await store.request(Request("r1", "cancel"))
        trouble = UnicodeDecodeError("utf-8", b"\xff", 0, 1, "of the effect's own making")

        def broken(shelf: Shelf) -> Event:
            shelf.put("memory", "fact", 1)
            raise trouble

        with pytest.raises(UnicodeDecodeError) as raised:
            await store.append(lease, Batch(events(3, "effect.requested"), [request.id], broken))
        assert raised.value is trouble
        assert await store.log("r1", after=2) == []
        assert await store.requests("r1") == [request]
        assert await settle(store, lease, 3, lambda shelf: shelf.get("memory", "fact")) is None

    async def test_an_effect_is_taken_back_with_an_outcome_that_is_refused(self, stores: Stores) -> None:
        store = await stores.open()
        lease = await begin(store)

        def outcome(seq: int, kind: str) -> Callable[[Shelf], Event]:
            def settled(shelf: Shelf) -> Event:
                shelf.put("memory", "fact", 1)
                return event(seq, kind)

            return settled

        with pytest.raises(StoreError):
            await store.append(lease, Batch(settle=outcome(9, "effect.done")))
        with pytest.raises(IllegalMove):
            await store.append(lease, Batch(settle=outcome(3, "run.created")))
        assert await settle(store, lease, 3, lambda shelf: shelf.get("memory", "fact")) is None

    async def test_an_effect_that_stops_an_iteration_is_a_bug_that_is_told(self, stores: Stores) -> None:
        store = await stores.open()
        lease = await begin(store)

        def broken(shelf: Shelf) -> Event:
            return next(iter(()))

        with pytest.raises(RuntimeError, match="StopIteration"):
            await store.append(lease, Batch(settle=broken))

    async def test_what_one_run_puts_on_the_shelf_another_finds(self, stores: Stores) -> None:
        store = await stores.open()
        first, second = await begin(store, "r1"), await begin(store, "r2")
        assert await settle(store, first, 3, lambda shelf: shelf.put_new("dedup", "k", 1)) is True
        assert await settle(store, second, 3, lambda shelf: shelf.put_new("dedup", "k", 2)) is False
        assert await settle(store, second, 4, lambda shelf: shelf.get("dedup", "k")) == 1

    async def test_a_value_is_replaced_and_deleted(self, stores: Stores) -> None:
        store = await stores.open()
        lease = await begin(store)

        def effect(shelf: Shelf) -> Json:
            shelf.put("memory", "k", 1)
            shelf.put("memory", "k", [2])
            found = shelf.get("memory", "k")
            return [found, shelf.delete("memory", "k"), shelf.delete("memory", "k"), shelf.get("memory", "k")]

        assert await settle(store, lease, 3, effect) == [[2], True, False, None]

    async def test_any_string_is_a_name_of_its_own(self, stores: Stores) -> None:
        store = await stores.open()
        lease = await begin(store)

        def put(shelf: Shelf) -> Json:
            for namespace in NAMES:
                for name in NAMES:
                    shelf.put(namespace, name, [namespace, name])
            return None

        def wrong(shelf: Shelf) -> Json:
            pairs = [(namespace, name) for namespace in NAMES for name in NAMES]
            return [pair for pair in pairs if shelf.get(*pair) != list(pair)]

        await settle(store, lease, 3, put)
        assert await settle(store, lease, 4, wrong) == []
        assert await settle(store, lease, 5, lambda shelf: shelf.keys("key")) == sorted(NAMES)

    async def test_what_has_expired_is_not_there(self, stores: Stores) -> None:
        store = await stores.open()
        lease = await begin(store)
        soon = stores.clock.now + 60

        def put(shelf: Shelf) -> Json:
            shelf.put("memory", "short", 1, expires=soon)
            shelf.put("memory", "long", 2)
            return [shelf.get("memory", "short"), shelf.keys("memory")]

        def look(shelf: Shelf) -> Json:
            return [
                shelf.get("memory", "short"),
                shelf.keys("memory"),
                shelf.delete("memory", "short"),
                shelf.put_new("memory", "short", 3, expires=soon + 60),
                shelf.get("memory", "short"),
            ]

        assert await settle(store, lease, 3, put) == [1, ["long", "short"]]
        stores.clock.now = soon
        assert await settle(store, lease, 4, look) == [None, ["long"], False, True, 3]
        await store.prune(ended_before=0)
        assert await settle(store, lease, 5, lambda shelf: shelf.keys("memory")) == ["long", "short"]
