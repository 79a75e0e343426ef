"""Any run becomes a cassette, from its log; played, the run comes out the same, and nobody else is asked."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from quintet.agents.cassette import NotRecorded
from quintet.api import Workflow, load
from quintet.cases.case import Case
from quintet.cases.trying import ready, tried
from quintet.record import Run
from quintet.runs.cassettes import NoCassette, cassette_of, cassette_text
from quintet.runs.setup import overriding
from quintet.runs.workshop import Workshop
from tests.cli.files import written
from tests.runs.workflows import flow, in_workshop, says
from tests.servers.openai import FakeOpenAI
from tests.servers.replies import Says

KEY = "sk-secret-of-the-settings"
TOOL = {"tool": {"name": "search", "arguments": {"q": "{{prompt}}", "n": 3}}}
FAN = """
name: fan
steps:
  - {name: a, agent_name: same, prompt: "?", mode: fan_out}
  - {name: b, agent_name: same, prompt: "?", mode: fan_out}
  - {name: c, agent_name: same, prompt: "?", mode: fan_out}
  - {name: all, agent_name: nobody, mode: collect}
"""


def recorded(workflow: Workflow, prompt: str, script: Mapping[str, Any], file: Path) -> Run:
    async def story(workshop: Workshop) -> Run:
        return await workflow.run(prompt, script=script, record=file, store=workshop)

    return in_workshop(story)


def played(workflow: Workflow, prompt: str, file: Path) -> Run:
    async def story(workshop: Workshop) -> Run:
        return await workflow.run(prompt, fake=file, store=workshop)

    return in_workshop(story)


def shape(run: Run) -> list[Any]:
    steps = [(s.path, s.agent, s.status, s.prompt, s.output, s.attempts, s.input_tokens) for s in run.steps]
    return [run.status, run.output, run.error, run.native and True, run.usage, sorted(map(repr, steps))]


@pytest.mark.parametrize(
    "script",
    [
        says(one=["first\nline"], two=[{"reply": {"a": [1]}, "tokens": {"input": 5, "output": 6}}]),
        {**says(one=[TOOL, "<{{prompt}}>"], two=["2"]), "tools": {"search": [{"result": {"hits": [None]}}]}},
        {**says(one=[TOOL, "1"], two=["2"]), "tools": {"search": [{"error": "down"}]}},
        says(one=["1"], two=[{"error": {"kind": "rate_limit", "message": "slow down"}}]),
        says(one=["1"]),
    ],
    ids=["values", "tool", "failing tool", "failure", "nobody"],
)
def test_a_run_that_is_played_comes_out_as_it_was(script: dict[str, Any], tmp_path: Path) -> None:
    workflow, file = flow("one", "two"), tmp_path / "c.yaml"
    first = recorded(workflow, "in", script, file)
    assert shape(played(workflow, "in", file)) == shape(first)
    assert cassette_of(cassette_text(file)).outcome


def test_failures_are_played_and_attempts_answered_one_by_one(tmp_path: Path) -> None:
    workflow, file = flow("one", error_mode="retry", max_retries=2), tmp_path / "c.yaml"
    script = says(one=[{"error": "1st"}, {"error": "2nd"}, "3rd"])
    first = recorded(workflow, "in", script, file)
    assert (first.output, first.steps[0].attempts) == ("3rd", 3)
    assert shape(played(workflow, "in", file)) == shape(first)


def test_branches_that_ask_the_same_are_answered_each_as_it_was(tmp_path: Path) -> None:
    workflow, file = load(FAN), tmp_path / "c.yaml"
    script = says(same=[{"reply": "1", "delay": 3}, {"reply": "2", "delay": 2}, {"reply": "3", "delay": 1}])
    first = recorded(workflow, "in", script, file)
    assert shape(played(workflow, "in", file)) == shape(first)


def test_what_was_given_up_is_given_up_again(tmp_path: Path) -> None:
    workflow, file = flow("one", timeout_secs=5), tmp_path / "c.yaml"
    first = recorded(workflow, "in", says(one=[{"reply": "late", "delay": 9}]), file)
    assert first.error is not None
    assert shape(played(workflow, "in", file)) == shape(first)


def test_a_miss_stops_the_run_whatever_its_format_makes_of_failures(tmp_path: Path) -> None:
    workflow, file = flow("one", error_mode="skip"), tmp_path / "c.yaml"
    recorded(workflow, "in", says(one=["1"]), file)
    with pytest.raises(NotRecorded, match=r"-user: one in\n\+user: one out"):
        played(workflow, "out", file)


def test_a_run_that_missed_goes_on_with_a_cassette_that_has_it(tmp_path: Path) -> None:
    workflow, old, new = flow("one", "two"), tmp_path / "old.yaml", tmp_path / "new.yaml"
    recorded(workflow, "in", says(one=["1"], two=["2"]), old)
    old.write_text(old.read_text().replace("two 1", "two none"))
    recorded(workflow, "in", says(one=["1"], two=["2"]), new)

    async def story(workshop: Workshop) -> Run:
        with pytest.raises(NotRecorded):
            await workflow.run("in", fake=old, store=workshop, run_id="r")
        with pytest.raises(NotRecorded):  # it keeps the cassette that it began with
            await (await workshop.resume("r"))
        return await (await workshop.resume("r", overrides=overriding(fake=new)))

    assert in_workshop(story).output == "2"


def test_a_run_that_was_cut_is_recorded_whole_when_it_has_ended(tmp_path: Path) -> None:
    workflow, file = flow("one", "two"), tmp_path / "c.yaml"
    script, store = says(one=["1"], two=[{"reply": "2", "delay": 60}]), str(tmp_path / "s.db")

    async def cut(workshop: Workshop) -> None:
        async with workflow.start("in", script=script, record=file, store=workshop, run_id="r") as live:
            async for event in live:
                if event.kind == "turn.started" and event.path == "two":
                    break
            await workshop.abort()

    async def go_on(workshop: Workshop) -> Run:
        return await (await workshop.resume("r"))

    in_workshop(cut, store)
    assert not file.exists()
    run = in_workshop(go_on, store)
    assert [one.request.agent for one in cassette_of(cassette_text(file)).models] == ["one", "two"]
    assert shape(played(workflow, "in", file)) == shape(run)


def test_any_run_can_be_recorded_afterwards_also_what_a_fork_has_taken_over(tmp_path: Path) -> None:
    workflow, file = flow("one", "two"), tmp_path / "c.yaml"

    async def story(workshop: Workshop) -> Run:
        await workflow.run("in", script=says(one=["1"], two=["2"]), store=workshop, run_id="r")
        run = await (await workshop.fork("r", "two", new_run="f"))
        file.write_text(await workshop.cassette("f"))
        return run

    first = in_workshop(story)
    assert shape(played(workflow, "in", file)) == shape(first)


def test_a_new_run_of_a_recorded_one_is_not_recorded_unless_that_is_said(tmp_path: Path) -> None:
    file = tmp_path / "c.yaml"

    async def story(workshop: Workshop) -> str:
        script = says(one=["1"], two=["2"])
        await flow("one", "two").run("in", script=script, record=file, store=workshop, run_id="r")
        text = file.read_text()
        await (await workshop.fork("r", "two", new_run="f"))
        assert file.read_text() == text
        again = tmp_path / "again.yaml"
        await (await workshop.fork("r", "two", overrides=overriding(record=again)))
        return again.read_text()

    assert 'reply: "2"' in in_workshop(story)


def test_a_conversation_that_goes_on_is_one_request_after_the_other(tmp_path: Path) -> None:
    file = tmp_path / "c.yaml"
    script = {**says(one=[TOOL, TOOL, "done"]), "tools": {"search": [{"result": 1}, {"result": 2}]}}
    recorded(flow("one"), "in", script, file)
    text = file.read_text()
    assert text.count("user: one in") == 1
    assert "after: 1" in text
    assert "after: 2" in text


def test_a_cassette_may_be_edited(tmp_path: Path) -> None:
    workflow, file = flow("one", "two"), tmp_path / "c.yaml"
    recorded(workflow, "in", says(one=["first"], two=["second"]), file)
    file.write_text(file.read_text().replace("first", "better").replace("second", "best"))
    assert played(workflow, "in", file).output == "best"


def test_where_nothing_can_be_written_nothing_begins(tmp_path: Path) -> None:
    for file in (tmp_path, tmp_path / "missing" / "c.yaml"):
        with pytest.raises(NoCassette):
            recorded(flow("one"), "in", says(one=["1"]), file)
    with pytest.raises(ValueError, match="cannot both answer"):
        flow("one").pinned(script=says(one=["1"]), fake=tmp_path)


async def _asked_really(folder: Path, server: FakeOpenAI) -> tuple[Run, Run]:
    config, file = folder / "quintet.toml", folder / "c.yaml"
    config.write_text(f'[providers.openai]\nbase_url = "{server.url}"\napi_key = "{KEY}"\n', encoding="utf-8")
    workflow = flow("one", "two")
    first = await workflow.run(
        f"say {KEY}", model="openai:gpt-5-mini", config=config, record=file, store=":memory:"
    )
    asked = len(server.requests)
    second = await workflow.run(f"say {KEY}", fake=file, config=config, store=":memory:")
    assert (asked, len(server.requests)) == (2, 2)
    return first, second


def test_real_models_are_recorded_without_a_secret_and_never_asked_again(tmp_path: Path) -> None:
    async def story() -> None:
        async with FakeOpenAI(
            lambda request: Says(["The key ", f"is {KEY}", "."], input=5, output=6)
        ) as server:
            first, second = await _asked_really(tmp_path, server)
        assert first.output == second.output == "The key is [secret]."
        assert first.usage == second.usage

    asyncio.run(story())
    text = (tmp_path / "c.yaml").read_text()
    assert KEY not in text
    assert "model: openai:gpt-5-mini" in text


def test_a_run_that_was_cancelled_has_no_answer_to_give(tmp_path: Path) -> None:
    workflow, file = flow("one"), tmp_path / "c.yaml"

    async def story(workshop: Workshop) -> str:
        script = says(one=[{"reply": "late", "delay": 60}])
        async with workflow.start("in", script=script, record=file, store=workshop, run_id="r") as live:
            async for event in live:
                if event.kind == "model.requested":
                    await workshop.cancel("r")
            return (await live).status

    assert in_workshop(story) == "cancelled"
    (recording,) = cassette_of(cassette_text(file)).models
    assert not recording.answered
    path = Path(written(tmp_path, "f.json", workflow.text.text))
    result = tried(ready(Case("cancelled", file, path, cassette=file)))
    assert result.differences[:3] == ("status is not as expected:", "  -cancelled", "  +failed")
