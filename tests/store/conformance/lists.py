"""Lists: one line a run, as its log has it, and whether anybody works on it."""

import pytest

from quintet.store.port import Batch, Lease, NewRun, NoSuchRun, RunFilter, Store
from tests.store.conformance.stores import Stores, begin, beginning, event, events, new_run


async def ids(store: Store, which: RunFilter) -> list[str]:
    return [run.id for run in await store.runs(which)]


async def shown(store: Store) -> dict[str, str]:
    """Which status people see, for each run."""
    return {run.id: run.shown for run in await store.runs()}


class Lists:
    async def test_a_line_says_what_the_run_is_and_who_has_it(self, stores: Stores) -> None:
        store = await stores.open()
        await store.create(NewRun("r1", "deploy", "awds", "r0", parent="r0"), beginning())
        run = await store.run("r1")
        assert (run.id, run.workflow, run.format, run.origin, run.parent) == (
            *("r1", "deploy", "awds", "r0", "r0"),
        )
        assert (run.status, run.shown, run.created, run.updated) == ("running", "running", 1001.0, 1002.0)
        assert (run.holder, run.alive) == (store.holder, True)
        assert await store.runs() == [run]

    async def test_a_line_follows_the_log(self, stores: Stores) -> None:
        store = await stores.open()
        lease = await store.create(new_run(), events(1, "run.created"))
        assert (await store.run("r1")).status == "created"
        for seq, (kind, status) in enumerate(
            [
                ("run.started", "running"),
                ("run.paused", "paused"),
                ("run.resumed", "running"),
                ("run.failed", "failed"),
            ],
            start=2,
        ):
            await store.append(lease, Batch(events(seq, kind)))
            run = await store.run("r1")
            assert (run.status, run.updated) == (status, 1000.0 + seq)

    async def test_other_events_do_not_change_when_the_status_changed(self, stores: Stores) -> None:
        store = await stores.open()
        lease = await begin(store)
        await store.append(lease, Batch([event(3)._replace(time=5000.0)]))
        assert (await store.run("r1")).updated == 1002.0

    async def test_the_newest_are_listed_first_up_to_a_limit(self, stores: Stores) -> None:
        store = await stores.open()
        for run_id in ("b", "a", "c"):
            await begin(store, run_id)
        assert await ids(store, RunFilter()) == ["c", "a", "b"]
        assert await ids(store, RunFilter(limit=2)) == ["c", "a"]
        assert await ids(store, RunFilter(limit=0)) == []

    async def test_a_cursor_walks_over_all_runs_while_others_begin(self, stores: Stores) -> None:
        store = await stores.open()
        for number in range(7):
            await begin(store, f"r{number}")
        seen = await ids(store, RunFilter(limit=2))
        while page := await ids(store, RunFilter(limit=2, before=seen[-1])):
            seen += page
            await begin(store, f"later {len(seen)}")
        assert seen == [f"r{number}" for number in reversed(range(7))]

    async def test_a_cursor_that_is_not_there_is_named(self, stores: Stores) -> None:
        store = await stores.open()
        with pytest.raises(NoSuchRun, match="r9"):
            await store.runs(RunFilter(before="r9"))

    async def test_runs_are_listed_by_what_they_are(self, stores: Stores) -> None:
        store = await stores.open()
        for run_id, workflow, format_ in [("r1", "a", "car"), ("r2", "b", "car"), ("r3", "a", "awds")]:
            await store.create(new_run(run_id, workflow=workflow, format=format_), beginning())
        assert await ids(store, RunFilter(format="car")) == ["r2", "r1"]
        assert await ids(store, RunFilter(workflow="a")) == ["r3", "r1"]
        assert await ids(store, RunFilter(workflow="a", format="car", before="r3")) == ["r1"]
        assert await ids(store, RunFilter(format="openfang")) == []

    async def test_a_run_is_shown_as_interrupted_when_it_should_run_and_nobody_works_on_it(
        self, stores: Stores
    ) -> None:
        store = await stores.open()
        leases = {
            "created": await store.create(new_run("created"), events(1, "run.created")),
            "running": await begin(store, "running"),
            "paused": await begin(store, "paused"),
            "completed": await begin(store, "completed"),
            "held": await begin(store, "held"),
        }
        await store.append(leases["paused"], Batch(events(3, "run.paused")))
        await store.append(leases["completed"], Batch(events(3, "run.completed")))
        assert await shown(store) == {name: name for name in leases if name != "held"} | {"held": "running"}
        await self._let_go(store, [lease for name, lease in leases.items() if name != "held"])
        assert await shown(store) == {
            "created": "interrupted",
            "running": "interrupted",
            "paused": "paused",
            "completed": "completed",
            "held": "running",
        }
        assert await ids(store, RunFilter(status="interrupted")) == ["running", "created"]
        assert await ids(store, RunFilter(status="running")) == ["held"]
        assert await ids(store, RunFilter(status="created")) == []
        assert await ids(store, RunFilter(status="paused")) == ["paused"]
        assert await ids(store, RunFilter(status="interrupted", limit=1)) == ["running"]
        await store.claim("running")
        assert await ids(store, RunFilter(status="interrupted")) == ["created"]

    async def _let_go(self, store: Store, leases: list[Lease]) -> None:
        for lease in leases:
            await store.release(lease)
