"""Retention: what is forgotten leaves nothing behind, and what lives is left alone."""

from pathlib import Path

import apsw

from quintet.engine.events import Event
from quintet.store.port import Batch, Pruned, Shelf, StoreOptions
from quintet.store.sqlite import retention
from quintet.store.sqlite.database import Database
from tests.store.conformance.stores import begin, elsewhere, end, event
from tests.store.sqlite.stores import SqliteStores, execute


async def test_a_run_that_has_taken_the_place_of_a_forgotten_one_is_left_alone(
    stores: SqliteStores, place: Path
) -> None:
    store = await stores.open()
    await end(store, await begin(store))
    with Database(str(place), StoreOptions()) as database:
        (run,) = retention.candidates(database, 1e9, None)
        await store.prune(ended_before=1e9)
        await begin(store)
        assert retention.forget(database, run, 1e9) == Pruned()
    assert len(await store.log("r1")) == 2


async def test_nothing_is_left_of_what_has_expired_and_of_who_holds_nothing(
    stores: SqliteStores, connections: list[apsw.Connection]
) -> None:
    gone, store = await stores.open(elsewhere()), await stores.open()
    lease = await begin(gone, "r0")
    await gone.release(lease)
    lease = await begin(store)

    def put(shelf: Shelf) -> Event:
        shelf.put("dedup", "short", 1, expires=stores.clock.now + 1)
        shelf.put("dedup", "long", 1)
        return event(3, "effect.done")

    await store.append(lease, Batch(settle=put))
    stores.clock.now += 1
    await store.prune(ended_before=0)
    assert execute(connections[0], "SELECT key FROM shelf") == [('"long"',)]
    assert execute(connections[0], "SELECT id FROM holders") == [(store.holder.id,)]
    assert (await store.run("r1")).alive


async def test_positions_are_kept_by_one_row_of_nobodys(
    stores: SqliteStores, connections: list[apsw.Connection]
) -> None:
    store = await stores.open()
    for turn in range(3):
        await end(store, await begin(store, f"r{turn}"))
        await store.prune(ended_before=1e9)
    assert execute(connections[0], "SELECT position, run FROM events") == [(9, 0)]
    await begin(store)
    await end(store, await begin(store, "r3"))
    await store.prune(ended_before=1e9)
    assert execute(connections[0], "SELECT position, run FROM events WHERE run = 0") == [(14, 0)]
