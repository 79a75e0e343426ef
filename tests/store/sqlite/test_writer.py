"""The writer: jobs share transactions, and each answers for itself only."""

import asyncio
import threading
from collections.abc import Callable, Sequence

import apsw
import pytest

from quintet.engine.events import Event
from quintet.engine.states import IllegalMove
from quintet.store.port import Batch, Lease, Shelf, Store, StoreError, StoreFull, StoreOptions
from quintet.store.sqlite import SqliteStore
from tests.store.conformance.stores import LEASE_SECONDS, begin, elsewhere, event, events
from tests.store.sqlite.stores import SqliteStores, leave_room


class Gate:
    """An effect that keeps the writer busy until it is let through, so that jobs gather behind it."""

    def __init__(self) -> None:
        self._entered, self._open = threading.Event(), threading.Event()

    def __call__(self, shelf: Shelf) -> Event:
        self._entered.set()
        assert self._open.wait(60)
        return event(3, "effect.done")

    async def close(self, store: Store) -> asyncio.Task[Sequence[Event]]:
        held = asyncio.create_task(store.append(await begin(store, "gate"), Batch(settle=self)))
        assert await asyncio.to_thread(self._entered.wait, 60)
        return held

    def open(self) -> None:
        self._open.set()


class Commits:
    """Counts the commits of a connection, and refuses some."""

    def __init__(self, connection: apsw.Connection, refused: frozenset[int] = frozenset()) -> None:
        self.count = 0
        self._refused = refused
        connection.set_commit_hook(self._commit)

    def _commit(self) -> bool:
        self.count += 1
        return self.count in self._refused


def overfull(shelf: Shelf) -> Event:
    """An effect that fills the store and hides that it could not."""
    try:
        shelf.put("memory", "all of it", "x" * 10_000_000)
    except StoreFull:
        return event(3, "effect.done", '"it went well"')
    raise AssertionError("there is room for everything")


async def test_jobs_that_wait_share_one_transaction(
    stores: SqliteStores, connections: list[apsw.Connection]
) -> None:
    store = await stores.open()
    leases = [await begin(store, f"r{number}") for number in range(100)]
    gate = Gate()
    held = await gate.close(store)
    commits = Commits(connections[0])
    appends = [asyncio.create_task(store.append(lease, Batch(events(3, "a", "b")))) for lease in leases]
    await asyncio.sleep(0)  # each has asked
    gate.open()
    await asyncio.gather(held, *appends)
    assert commits.count == 2
    assert len(await store.stream()) == 100 * 4 + 3


async def test_a_long_queue_is_not_one_long_transaction(
    stores: SqliteStores, connections: list[apsw.Connection]
) -> None:
    store = await stores.open()
    gate = Gate()
    held = await gate.close(store)
    commits = Commits(connections[0])
    creates = [asyncio.create_task(begin(store, f"r{number}")) for number in range(600)]
    await asyncio.sleep(0)
    gate.open()
    await asyncio.gather(held, *creates)
    assert commits.count == 1 + 3


async def test_jobs_are_performed_in_the_order_in_which_they_were_handed_in(stores: SqliteStores) -> None:
    store = await stores.open()
    await asyncio.gather(*(begin(store, f"r{number:02}") for number in range(50)))
    told = [run_id for run_id, _ in await store.stream()]
    assert told == sorted(told)


async def test_a_job_that_fails_takes_back_only_what_it_did(
    stores: SqliteStores, connections: list[apsw.Connection]
) -> None:
    store = await stores.open()
    leases = [await begin(store, f"r{number}") for number in range(20)]
    gate = Gate()
    held = await gate.close(store)
    commits = Commits(connections[0])

    def broken(shelf: Shelf) -> Event:
        shelf.put("memory", "fact", 1)
        raise KeyError("of its own")

    def batch(number: int) -> Batch:
        match number:
            case 7:
                return Batch(events(3, "step.started"), settle=broken)
            case 13:
                return Batch(events(3, "step.started", "run.started"))
            case _:
                return Batch(events(3, "step.started"))

    appends = [asyncio.create_task(store.append(lease, batch(n))) for n, lease in enumerate(leases)]
    await asyncio.sleep(0)
    gate.open()
    came = await asyncio.gather(*appends, return_exceptions=True)
    await held
    assert {n: type(one) for n, one in enumerate(came) if isinstance(one, BaseException)} == {
        7: KeyError,
        13: IllegalMove,
    }
    assert [len(await store.log(f"r{number}")) for number in range(20)] == [
        2 if number in (7, 13) else 3 for number in range(20)
    ]
    assert commits.count == 2
    fact = await store.append(
        leases[0], Batch(settle=lambda shelf: event(4, "effect.done", str(shelf.get("memory", "fact"))))
    )
    assert fact[0].data == "None"


async def test_a_commit_that_fails_fails_all_its_jobs_and_no_later_one(
    stores: SqliteStores, connections: list[apsw.Connection]
) -> None:
    store = await stores.open()
    leases = [await begin(store, f"r{number}") for number in range(5)]
    gate = Gate()
    held = await gate.close(store)
    Commits(connections[0], refused=frozenset({2}))
    batch = Batch(events(3, "step.started"))
    appends = [asyncio.create_task(store.append(lease, batch)) for lease in leases]
    await asyncio.sleep(0)
    gate.open()
    came = await asyncio.gather(*appends, return_exceptions=True)
    await held
    assert [type(one) for one in came] == [StoreError] * 5
    assert [len(await store.log(lease.run_id)) for lease in leases] == [2] * 5
    for lease in leases:
        await store.append(lease, batch)


async def test_an_effect_that_hides_that_the_store_is_full_is_not_kept(
    stores: SqliteStores, connections: list[apsw.Connection]
) -> None:
    store = await stores.open()
    lease = await begin(store)
    leave_room(connections[0], 20)
    with pytest.raises(StoreError, match="gave the transaction up"):
        await store.append(lease, Batch(settle=overfull))
    assert len(await store.log("r1")) == 2
    await store.append(lease, Batch(events(3, "step.started")))


def overfull_and_broken(shelf: Shelf) -> Event:
    raise KeyError(overfull(shelf).data)


@pytest.mark.parametrize("effect", [overfull, overfull_and_broken])
async def test_a_transaction_that_sqlite_gave_up_is_kept_by_none_of_its_jobs(
    stores: SqliteStores, connections: list[apsw.Connection], effect: Callable[[Shelf], Event]
) -> None:
    store = await stores.open()
    leases = [await begin(store, f"r{number}") for number in range(5)]
    gate = Gate()
    held = await gate.close(store)
    leave_room(connections[0], 20)
    batches = [Batch(events(3, "step.started"), settle=effect if n == 2 else None) for n in range(5)]
    appends = [
        asyncio.create_task(store.append(lease, batch)) for lease, batch in zip(leases, batches, strict=True)
    ]
    await asyncio.sleep(0)
    gate.open()
    came = await asyncio.gather(*appends, return_exceptions=True)
    await held
    for lease, one in zip(leases, came, strict=True):
        assert isinstance(one, StoreError) == (len(await store.log(lease.run_id)) == 2)
    assert isinstance(came[2], StoreError)


async def test_a_lease_that_nobody_waits_for_any_more_is_let_go(
    stores: SqliteStores, connections: list[apsw.Connection], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("quintet.store.sqlite.store.PAUSE", 0.0)
    store, other = await stores.open(), await stores.open()
    await store.release(await begin(store))
    gate = Gate()
    held = await gate.close(store)
    commits = Commits(connections[0], refused=frozenset({3}))  # of the gate, the claim, its release
    claim = asyncio.create_task(store.claim("r1"))
    await asyncio.sleep(0)
    claim.cancel()
    with pytest.raises(asyncio.CancelledError):
        await claim
    gate.open()
    await held
    async with asyncio.timeout(60):
        while (await other.run("r1")).holder or commits.count < 4:
            pass
    assert (await other.claim("r1")).epoch == 3


async def test_a_batch_whose_caller_was_cancelled_is_kept_all_the_same(stores: SqliteStores) -> None:
    store = await stores.open()
    lease = await begin(store)
    gate = Gate()
    held = await gate.close(store)
    append = asyncio.create_task(store.append(lease, Batch(events(3, "step.started"))))
    await asyncio.sleep(0)
    append.cancel()
    gate.open()
    await asyncio.gather(held, append, return_exceptions=True)
    await store.append(lease, Batch(events(4, "step.completed")))
    assert append.cancelled()


async def test_a_lease_that_nobody_waits_for_is_let_go_by_closing_too(stores: SqliteStores) -> None:
    store, other = await stores.open(), await stores.open()
    await store.release(await begin(store))
    gate = Gate()
    held = await gate.close(store)
    claim = asyncio.create_task(store.claim("r1"))
    await asyncio.sleep(0)
    claim.cancel()
    closing = asyncio.create_task(store.close())
    await asyncio.sleep(0)
    gate.open()
    await asyncio.gather(held, closing)
    assert isinstance(await other.claim("r1"), Lease)


async def test_signs_of_life_are_given_while_nothing_else_happens(stores: SqliteStores) -> None:
    far = await stores.open(elsewhere(), StoreOptions(lease_seconds=0.03))
    here = await stores.open()
    await begin(far)
    stores.clock.now += 10 * LEASE_SECONDS
    async with asyncio.timeout(60):
        while not (await here.run("r1")).alive:
            pass


def test_a_store_that_is_left_open_ends_with_its_loop(stores: SqliteStores) -> None:
    async def leave() -> None:
        store = await SqliteStore.open(stores.place, StoreOptions(lease_seconds=0.03))
        await begin(store)

    async def look() -> str:
        return (await (await stores.open()).run("r1")).shown

    before = set(threading.enumerate())
    with asyncio.Runner() as runner:
        runner.run(leave())
        (writer,) = [one for one in set(threading.enumerate()) - before if one.name == "quintet-writer"]
    writer.join(60)
    assert not writer.is_alive()
    with asyncio.Runner() as runner:
        assert runner.run(look()) == "interrupted"
        runner.run(stores.close())
