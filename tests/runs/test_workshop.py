"""What can be done with runs: begin, resume, answer, retry, fork, cancel; and what each of them keeps."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from quintet.agents.models import finding
from quintet.agents.models.choice import NoModel
from quintet.engine.local.host import NotAsked
from quintet.record import Run
from quintet.runs.chronicle import NoSuchStep
from quintet.runs.live import PIECE, Event
from quintet.runs.pinned import Text
from quintet.runs.setup import overriding
from quintet.runs.workshop import Workshop
from quintet.store.port import RunEnded, RunExists, RunFilter
from tests.engine.local import virtual_time
from tests.runs.workflows import THREE, flow, in_workshop, says


def outputs(run: Run) -> list[tuple[str, object]]:
    return [(step.path, step.output) for step in run.steps]


def test_a_run_is_told_the_same_while_it_runs_and_from_its_log() -> None:
    async def story(workshop: Workshop) -> None:
        run = await flow(*THREE).run("in", script=says(**{"*": ["<{{prompt}}>"]}), store=workshop, run_id="r")
        assert run.status == "completed"
        assert run.output == "<three <two <one in>>>"
        assert await workshop.run("r") == run
        assert [row.shown for row in await workshop.runs()] == ["completed"]

    in_workshop(story)


def test_a_run_id_that_exists_is_refused() -> None:
    async def story(workshop: Workshop) -> None:
        script = says(one=["1"])
        await flow("one").run(script=script, store=workshop, run_id="r")
        with pytest.raises(RunExists):
            await flow("one").run(script=script, store=workshop, run_id="r")

    in_workshop(story)


def test_without_a_model_nothing_begins_and_the_ways_to_one_are_told(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(finding, "found", lambda: None)

    async def story(workshop: Workshop) -> None:
        with pytest.raises(NoModel, match="quintet model install"):
            await flow("one").run(store=workshop)
        assert await workshop.runs() == []

    in_workshop(story)


def test_whoever_listens_hears_everything_in_order_and_pieces_as_they_come() -> None:
    async def story(workshop: Workshop) -> list[Event]:
        async with flow("one").start("in", script=says(one=["1"]), store=workshop) as live:
            heard = [event async for event in live]
            assert (await live).output == "1"
            assert [event async for event in live] == []
            log = await workshop.store.log(live.id)
            assert [event.seq for event in heard if event.seq] == [event.seq for event in log]
            return heard

    heard = in_workshop(story)
    assert heard[0].kind == "run.created"
    assert heard[-1].kind == "run.completed"
    (piece,) = (event for event in heard if event.kind == PIECE)
    assert (piece.path, piece.data, "seq" in piece.to_json()) == ("one", "1", False)


# Resume


def test_a_resumed_run_repeats_nothing_and_takes_the_script_it_is_given(tmp_path: Path) -> None:
    store = str(tmp_path / "q.db")

    async def begin() -> None:
        async with Workshop.open(store) as workshop:
            script = says(one=["early"], two=[{"reply": "never", "delay": 60}])
            async with flow(*THREE).start("in", script=script, store=workshop, run_id="r") as live:
                async for event in live:
                    if event.kind == "model.requested" and event.path == "two/model":
                        assert [step.path for step in live.run.under_way] == ["two"]
                        await workshop.abort()

    async def resume() -> Run:
        async with Workshop.open(store) as workshop:
            assert (await workshop.run("r")).status == "interrupted"
            assert [row.id for row in await workshop.runs(RunFilter(status="interrupted"))] == ["r"]
            script = says(one=[{"error": "again"}], two=["late"], three=["{{prompt}}"])
            live = await workshop.resume("r", overrides=overriding(script=script))
            run = await live
            (resumed,) = [event for event in await workshop.store.log("r") if event.kind == "run.resumed"]
            assert '"late"' in resumed.data.replace("\\", "")
            with pytest.raises(RunEnded):
                await workshop.resume("r")
            assert await workshop.run("r") == run
            return run

    virtual_time.run(begin())
    run = virtual_time.run(resume())
    assert outputs(run) == [("one", "early"), ("two", "late"), ("three", "three late")]


def test_a_resumed_run_keeps_its_script_and_its_counts(tmp_path: Path) -> None:
    """ "The count goes on over a resume; a call that was interrupted keeps its number." """
    store = str(tmp_path / "q.db")
    script = says(a=["1:{{call}}", {"reply": "2:{{call}}", "delay": 60}, "3:{{call}}", "more"])

    async def begin() -> None:
        async with (
            Workshop.open(store) as workshop,
            flow("a", "a", "a").start("in", script=script, store=workshop, run_id="r") as live,
        ):
            async for event in live:
                if event.kind == "model.requested" and event.where == "a#2/~limit/model":
                    await workshop.abort()

    async def resume() -> Run:
        async with Workshop.open(store) as workshop:
            return await (await workshop.resume("r"))

    virtual_time.run(begin())
    run = virtual_time.run(resume())
    assert outputs(run) == [("a", "1:1"), ("a #2", "2:2"), ("a #3", "3:3")]


def test_a_turn_that_was_cut_after_its_tools_still_knows_what_it_was_asked(tmp_path: Path) -> None:
    store = str(tmp_path / "q.db")
    script = says(a=[{"tool": {"name": "look"}}, {"reply": "<{{prompt}}>", "delay": 60}])
    script["tools"] = {"look": [{"result": 1}]}

    async def begin() -> None:
        async with (
            Workshop.open(store) as workshop,
            flow("a").start("in", script=script, store=workshop, run_id="r") as live,
        ):
            async for event in live:
                if event.kind == "model.requested" and event.where == "a/~limit/model#2":
                    await workshop.abort()

    async def resume() -> Run:
        async with Workshop.open(store) as workshop:
            return await (await workshop.resume("r"))

    virtual_time.run(begin())
    assert virtual_time.run(resume()).output == "<a in>"


# Retry and fork


def test_a_retry_does_again_what_failed_and_the_count_goes_on() -> None:
    async def story(workshop: Workshop) -> None:
        script = says(one=["1", "again"], two=[{"error": "no"}, "2nd try"], three=["{{prompt}}"])
        failed = await flow(*THREE).run("in", script=script, store=workshop)
        assert failed.status == "failed"
        run = await (await workshop.retry(failed.id))
        assert run.id != failed.id
        assert outputs(run) == [("one", "1"), ("two", "2nd try"), ("three", "three 2nd try")]
        assert (await workshop.runs())[0].parent == failed.id

    in_workshop(story)


def test_a_retry_under_a_changed_file_does_again_what_changed() -> None:
    async def story(workshop: Workshop) -> None:
        script = says(one=["1"], two=[{"error": "no"}, "2"])
        failed = await flow("one", "two").run("in", script=script, store=workshop)
        changed = flow("one", "two").text.text.replace("one {{input}}", "ONE {{input}}")
        overrides = overriding(definition=Text("flow.json", changed))
        run = await (await workshop.retry(failed.id, overrides=overrides))
        assert [step.prompt for step in run.steps] == ["ONE in", "two 1"]

    in_workshop(story)


def test_a_fork_keeps_what_completed_before_a_step_and_runs_the_rest_anew() -> None:
    async def story(workshop: Workshop) -> None:
        script = says(one=["1"], two=["2:{{call}}"], three=["{{prompt}}"])
        source = await flow(*THREE).run("in", script=script, store=workshop)
        run = await (await workshop.fork(source.id, "two", new_run="f"))
        assert outputs(run) == outputs(source)
        other = overriding(script=says(two=["other"], three=["{{prompt}}"]))
        live = await workshop.fork(source.id, "three", overrides=other)
        assert outputs(await live)[:2] == [("one", "1"), ("two", "2:1")]
        assert live.changed == ()
        assert outputs(await (await workshop.fork("f", "two", overrides=other)))[1:] == [
            ("two", "other"),
            ("three", "three other"),
        ]
        with pytest.raises(NoSuchStep, match="'one', 'two', 'three'"):
            await workshop.fork(source.id, "four")

    in_workshop(story)


def test_a_fork_lists_what_a_changed_file_asks_otherwise_before_it() -> None:
    async def story(workshop: Workshop) -> None:
        source = await flow("one", "two").run("in", script=says(**{"*": ["x"]}), store=workshop)
        changed = (
            flow("one", "two").text.text.replace("one {{input}}", "ONE {{input}}").replace("flow", "new")
        )
        live = await workshop.fork(source.id, "two", overrides=overriding(definition=Text("f", changed)))
        run = await live
        assert list(live.changed) == ["one"]
        assert (run.workflow, run.steps[0].prompt, run.steps[0].output) == ("new", "ONE in", "x")

    in_workshop(story)


def test_an_iteration_and_an_attempt_can_be_forked_at() -> None:
    async def story(workshop: Workshop) -> None:
        workflow = flow("a", mode="loop", max_iterations=3, until="never", error_mode="retry", max_retries=1)
        script = says(a=["1", {"error": "no"}, "2", "3"])
        source = await workflow.run("in", script=script, store=workshop)
        live = await workshop.fork(source.id, "a (iter 2)", overrides=overriding(script=says(a=["{{call}}"])))
        assert outputs(await live) == [("a (iter 1)", "1"), ("a (iter 2)", "2"), ("a (iter 3)", "3")]

    in_workshop(story)


# The rest


def test_a_cancelled_run_shows_what_was_under_way_as_cancelled() -> None:
    async def story(workshop: Workshop) -> None:
        script = says(one=["1"], two=[{"reply": "never", "delay": 60}])
        async with flow("one", "two").start("in", script=script, store=workshop) as live:
            async for event in live:
                if event.kind == "model.requested" and event.path == "two/model":
                    await workshop.cancel(live.id)
            run = await live
        assert run.status == "cancelled"
        assert [(step.path, step.status) for step in run.steps] == [
            ("one", "completed"),
            ("two", "cancelled"),
        ]
        assert await workshop.run(run.id) == run

    in_workshop(story)


def test_what_is_not_asked_cannot_be_answered() -> None:
    async def story(workshop: Workshop) -> None:
        script = says(one=[{"reply": "x", "delay": 60}])
        async with flow("one").start(script=script, store=workshop) as live:
            await asyncio.sleep(0.1)
            with pytest.raises(NotAsked):
                await workshop.answer(live.id, "yes")
            assert await workshop.inbox() == []
            await workshop.abort()

    in_workshop(story)


def test_editing_a_file_changes_no_run_in_flight(tmp_path: Path) -> None:
    path = tmp_path / "script.yaml"
    path.write_text("agents: {a: [{reply: x, delay: 60}, {reply: first}]}", encoding="utf-8")

    async def story(workshop: Workshop) -> Run:
        async with flow("a", "a").start(script=path, store=workshop, run_id="r") as live:
            path.write_text("nonsense", encoding="utf-8")
            return await live

    assert in_workshop(story).output == "first"
