"""Logs: what was appended, and only that, is read back, in order."""

import asyncio

import pytest

from quintet.engine.events import KIND_OF_OUTCOME, KIND_OF_START, TOUCH_CANCELLED, Event, Family, family
from quintet.engine.paths import parse, write
from quintet.engine.states import IllegalMove
from quintet.engine.values import Json, decode, encode
from quintet.store.port import Batch, NoSuchRun, Request, RunExists, StoreError
from tests.store.conformance.stores import Stores, begin, beginning, event, events, new_run

KINDS = [
    *KIND_OF_OUTCOME,
    *KIND_OF_START,
    TOUCH_CANCELLED,
    "gate.asked",
    "gate.answered",
    "step.completed",
    "state.changed",
    "runaway",  # a note, for all that it begins like the run's own
    "run.paused",
]
FAMILIES: list[frozenset[Family]] = [
    frozenset(),
    frozenset({"outcome"}),
    frozenset({"start"}),
    frozenset({"host"}),
    frozenset({"note"}),
    frozenset({"outcome", "host"}),
    frozenset({"outcome", "start", "host", "note"}),
]
STRANGE: dict[str, Json] = {
    "a NUL": "a\0b",
    "half a surrogate pair": "x\ud800y\udfff",
    "every plane": "é€😀\U0010ffff\u2028",
    "a backslash before a half": "\\\ud800 \\ud800",
    "a number that needs all digits": 0.1 + 0.2,
    "a large number": 2**80,
    "order of keys": {"b": 1, "a": [None, True, {}]},
    "one megabyte": "ß\0\ud800" * 200_000,
}


class Logs:
    async def test_what_was_appended_is_read_back_as_it_was(self, stores: Stores) -> None:
        store = await stores.open()
        lease = await begin(store)
        batch = events(3, "step.started", "model.requested", "model.answered", "step.completed")
        kept = await store.append(lease, Batch(batch))
        log = await store.log("r1")
        assert [one._replace(position=0) for one in log] == [*beginning(), *batch]
        assert list(log[2:]) == list(kept)

    async def test_events_of_one_call_are_kept_together_or_not_at_all(self, stores: Stores) -> None:
        store = await stores.open()
        lease = await begin(store)
        with pytest.raises(IllegalMove):
            await store.append(lease, Batch(events(3, "step.started", "run.paused", "run.started")))
        assert await store.log("r1", after=2) == []
        assert (await store.run("r1")).status == "running"
        await store.append(lease, Batch(events(3, "step.started")))
        assert [one.seq for one in await store.log("r1")] == [1, 2, 3]

    @pytest.mark.parametrize("seqs", [(4,), (2,), (3, 5), (3, 3), (0,)])
    async def test_a_log_has_no_gaps_and_no_repeats(self, stores: Stores, seqs: tuple[int, ...]) -> None:
        store = await stores.open()
        lease = await begin(store)
        with pytest.raises(StoreError):
            await store.append(lease, Batch([event(seq) for seq in seqs]))
        assert await store.log("r1", after=2) == []

    async def test_positions_increase_over_all_runs_as_the_stream_tells_them(self, stores: Stores) -> None:
        store = await stores.open()
        leases = [await begin(store, run_id) for run_id in ("r1", "r2")]
        kept = [one for lease in leases for one in await store.append(lease, Batch(events(3, "a", "b")))]
        kept += await store.append(leases[0], Batch(events(5, "c")))
        assert [one.position for one in kept] == sorted({one.position for one in kept})
        assert all(one.position > 0 for one in kept)
        stream = await store.stream()
        assert [one.position for _, one in stream] == sorted({one.position for _, one in stream})
        assert [one for _, one in stream[4:]] == kept
        assert [run_id for run_id, _ in stream] == ["r1"] * 2 + ["r2"] * 2 + ["r1"] * 2 + ["r2"] * 2 + ["r1"]

    async def test_a_stream_goes_on_where_it_was_left(self, stores: Stores) -> None:
        store = await stores.open()
        await asyncio.gather(*(begin(store, f"r{n}") for n in range(5)))
        everything = await store.stream()
        read, after = list(everything[:0]), 0
        while page := await store.stream(after=after, limit=3):
            assert len(page) <= 3
            read += page
            after = page[-1][1].position
        assert read == list(everything)
        assert len(read) == 10

    async def test_starts_that_nothing_has_followed_are_found(self, stores: Stores) -> None:
        store = await stores.open()
        lease = await begin(store)
        said = (("tool.called", "a"), ("tool.called", "b"), ("tool.called", "c"), ("step.started", "c"))
        ended = (("tool.finished", "a"), ("touch.cancelled", "b"), ("model.requested", "d"))
        rows = [
            Event(seq, 1.0, kind, parse(path), 0, "1") for seq, (kind, path) in enumerate(said + ended, 3)
        ]
        await store.append(lease, Batch(rows))
        assert [(one.kind, write(one.path)) for one in await store.unfinished("r1")] == [
            ("tool.called", "c"),
            ("model.requested", "d"),
        ]

    async def test_a_log_is_read_behind_a_place_and_up_to_a_limit(self, stores: Stores) -> None:
        store = await stores.open()
        lease = await begin(store)
        await store.append(lease, Batch(events(3, "a", "b", "c", "d")))
        assert [one.seq for one in await store.log("r1", after=2, limit=3)] == [3, 4, 5]
        assert await store.log("r1", after=6) == []
        assert await store.log("r1", limit=0) == []
        assert await store.last("r1") == (await store.log("r1"))[-1]

    @pytest.mark.parametrize("families", FAMILIES, ids=lambda names: "+".join(sorted(names)) or "none")
    async def test_a_log_is_read_by_families(self, stores: Stores, families: frozenset[Family]) -> None:
        store = await stores.open()
        lease = await begin(store)
        await store.append(lease, Batch(events(3, *KINDS)))
        wanted = [one for one in await store.log("r1") if family(one.kind) in families]
        assert list(await store.log("r1", families=families)) == wanted
        assert (
            list(await store.log("r1", families=families, after=4, limit=2))
            == [one for one in wanted if one.seq > 4][:2]
        )

    @pytest.mark.parametrize("value", STRANGE.values(), ids=STRANGE)
    async def test_any_json_is_kept_as_it_is(self, stores: Stores, value: Json) -> None:
        store = await stores.open()
        lease = await begin(store)
        data = encode({"text": value})
        await store.append(lease, Batch([event(3, "model.answered", data)]))
        (kept,) = await store.log("r1", after=2)
        assert decode(kept.data) == {"text": value}
        assert encode(decode(kept.data)) == data

    async def test_a_name_that_is_no_text_is_refused_and_nothing_kept(self, stores: Stores) -> None:
        store = await stores.open()
        lease = await begin(store)
        half = "\ud800"
        for refused in (
            store.create(new_run(half), beginning()),
            store.append(lease, Batch([event(3), event(4, half)])),
            store.request(Request("r1", "answer", half)),
            store.request(Request("r1", "answer", "question", by=half)),
            store.log(half),
        ):
            with pytest.raises(StoreError):
                await refused
        assert len(await store.stream()) == 2
        assert await store.requests("r1") == []

    async def test_a_run_is_created_once(self, stores: Stores) -> None:
        store = await stores.open()
        lease = await begin(store)
        with pytest.raises(RunExists):
            await store.create(new_run(workflow="another"), beginning())
        assert (await store.run("r1")).workflow == "review"
        await store.append(lease, Batch(events(3, "step.started")))

    async def test_the_last_event_of_a_log_is_told(self, stores: Stores) -> None:
        store = await stores.open()
        lease = await begin(store)
        assert (await store.last("r1")).seq == 2
        *_, kept = await store.append(lease, Batch(events(3, "step.started", "state.changed")))
        await begin(store, "r2")
        assert await store.last("r1") == kept

    @pytest.mark.parametrize("kinds", [(), ("step.started",), ("run.started",)])
    async def test_a_log_begins_with_what_the_run_was_made_from(
        self, stores: Stores, kinds: tuple[str, ...]
    ) -> None:
        store = await stores.open()
        with pytest.raises(StoreError):
            await store.create(new_run(), events(1, *kinds))
        assert await store.runs() == []

    async def test_a_run_whose_first_events_are_refused_is_not_there(self, stores: Stores) -> None:
        store = await stores.open()
        with pytest.raises(IllegalMove):
            await store.create(new_run(), events(1, "run.created", "run.resumed"))
        with pytest.raises(NoSuchRun):
            await store.run("r1")

    @pytest.mark.parametrize("kind", ["run.created", "run.started", "run.forgotten"])
    async def test_an_illegal_move_is_refused(self, stores: Stores, kind: str) -> None:
        store = await stores.open()
        lease = await begin(store)
        with pytest.raises(IllegalMove):
            await store.append(lease, Batch(events(3, kind)))
        assert (await store.run("r1")).status == "running"

    async def test_a_run_that_is_not_there_is_named(self, stores: Stores) -> None:
        store = await stores.open()
        for asked in (
            store.run("r9"),
            store.log("r9"),
            store.last("r9"),
            store.unfinished("r9"),
            store.claim("r9"),
            store.request(Request("r9", "cancel")),
            store.requests("r9"),
        ):
            with pytest.raises(NoSuchRun, match="r9"):
                await asked
