"""Payloads: long data is stored once, and kept for as long as anybody needs it.

How often it is stored can be seen from outside when it is forgotten.
"""

import pytest

from quintet.engine.values import encode
from quintet.store.port import Batch, Store
from tests.store.conformance.stores import PAYLOAD_BYTES, Stores, begin, event, events

LONG = encode("x" * PAYLOAD_BYTES)


async def ended(store: Store, run_id: str, *data: str) -> None:
    """A run that went through some data."""
    lease = await begin(store, run_id)
    batch = [event(seq, "model.answered", one) for seq, one in enumerate(data, 3)]
    await store.append(lease, Batch([*batch, *events(3 + len(data), "run.completed")]))


async def forgotten(store: Store) -> int:
    """How many payloads go when everything goes."""
    return (await store.prune(ended_before=1e9)).payloads


class Payloads:
    @pytest.mark.parametrize(
        ("text", "stored"),
        [
            ("x" * (PAYLOAD_BYTES - 2), 0),  # two bytes are the quotes
            ("x" * (PAYLOAD_BYTES - 1), 1),
            ("é" * (PAYLOAD_BYTES // 2 - 1), 0),
            ("é" * (PAYLOAD_BYTES // 2), 1),
            ("😀" * (PAYLOAD_BYTES // 4), 1),
        ],
        ids=["at the limit", "past it", "bytes at the limit", "bytes past it", "long characters"],
    )
    async def test_only_data_past_the_limit_is_stored_by_content(
        self, stores: Stores, text: str, stored: int
    ) -> None:
        store = await stores.open()
        await ended(store, "r1", encode(text))
        assert (await store.log("r1", after=2, limit=1))[0].data == encode(text)
        assert await forgotten(store) == stored

    async def test_long_data_is_stored_once_however_often_it_occurs(self, stores: Stores) -> None:
        store = await stores.open()
        await ended(store, "r1", LONG, LONG)
        await ended(store, "r2", LONG)
        assert [one.data for _, one in await store.stream() if one.kind == "model.answered"] == [LONG] * 3
        assert await forgotten(store) == 1

    async def test_long_data_stays_while_another_run_needs_it(self, stores: Stores) -> None:
        store = await stores.open()
        other = encode("y" * PAYLOAD_BYTES)
        await ended(store, "r1", LONG, other)
        lease = await begin(store, "r2")
        await store.append(lease, Batch([event(3, "model.answered", LONG)]))
        assert await forgotten(store) == 1
        assert (await store.log("r2"))[2].data == LONG
        await store.append(lease, Batch(events(4, "run.completed")))
        assert await forgotten(store) == 1
