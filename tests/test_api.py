"""The Python API, as users import it."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import quintet
from quintet.engine.failures import EngineError

TEXT = (
    '{"name": "tea", "steps": [{"name": "draft", "agent_name": "writer", "prompt": "About {{input}} {{x}}"}]}'
)
SCRIPT = {"agents": {"writer": [{"reply": "<{{prompt}}>"}]}}


def test_a_workflow_is_loaded_from_a_file_or_a_text_and_run(tmp_path: Path) -> None:
    path = tmp_path / "tea.json"
    path.write_text(TEXT, encoding="utf-8")
    for source in (TEXT, path, str(path)):
        run = quintet.load(source).run_sync("tea", inputs={"x": 1}, script=SCRIPT, store=":memory:")
        assert isinstance(run, quintet.Run)
        assert (run.status, run.output, run.workflow, run.format) == (
            "completed",
            "<About tea 1>",
            "tea",
            "openfang",
        )


def test_a_workflow_is_run_where_an_event_loop_is() -> None:
    async def watch() -> list[str]:
        async with quintet.load(TEXT).start("tea", script=SCRIPT, store=":memory:") as live:
            kinds = [event.kind async for event in live]
            assert (await live).output == "<About tea {{x}}>"
            return kinds

    assert "turn.completed" in asyncio.run(watch())
    run = asyncio.run(quintet.run(TEXT, "tea", script=SCRIPT, store=":memory:"))
    assert run.to_json()["status"] == "completed"
    assert quintet.run_sync(TEXT, script=SCRIPT, store=":memory:").output == "<About  {{x}}>"


def test_runs_are_kept_in_the_users_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("QUINTET_HOME", str(tmp_path / "home"))
    run = quintet.run_sync(TEXT, "tea", script=SCRIPT, run_id="r")
    assert (tmp_path / "home" / "quintet.db").is_file()

    async def look() -> quintet.Run:
        async with quintet.Workshop.open() as workshop:
            return await workshop.run("r")

    assert asyncio.run(look()) == run


def test_a_file_that_is_wrong_is_refused_with_all_that_is_wrong(tmp_path: Path) -> None:
    with pytest.raises(quintet.InvalidFile) as raised:
        quintet.load('{"name": "x", "steps": [{}, {"agent_name": 1}]}')
    assert len(raised.value.problems) == 2
    with pytest.raises(quintet.InvalidFile, match="cannot-read"):
        quintet.load(tmp_path / "none.json")
    with pytest.raises(quintet.InvalidFile, match="unknown-key"):
        quintet.run_sync(TEXT, script={"agent": {}}, store=":memory:")
    with pytest.raises(quintet.WrongInput, match="prompt"):
        quintet.run_sync(TEXT, inputs={"input": "x"}, script=SCRIPT, store=":memory:")


def test_agents_are_known_by_name_and_by_id_from_a_folder_and_from_the_project(tmp_path: Path) -> None:
    own = "a1b2c3d4-e5f6-7890-abcd-ef1234567890"
    folder = tmp_path / "agents" / "writer"
    folder.mkdir(parents=True)
    (folder / "agent.toml").write_text(f'name = "writer"\nid = "{own}"\n', encoding="utf-8")
    (tmp_path / "quintet.toml").write_text('agents_folder = "agents"\n[agents.critic]\n', encoding="utf-8")
    path = tmp_path / "tea.json"
    path.write_text(
        f'{{"steps": [{{"agent_id": "{own}"}}, {{"name": "c", "agent_name": "critic"}}]}}', encoding="utf-8"
    )
    script = {"agents": {"writer": [{"reply": "w"}], "critic": [{"reply": "c"}]}}
    run = quintet.run_sync(path, script=script, store=":memory:")
    assert [(step.path, step.agent) for step in run.steps] == [("step", "writer"), ("c", "critic")]
    native: Any = run.native
    assert native["step_results"][0]["agent_id"] == own
    (folder / "agent.toml").write_text("nam = 1\n", encoding="utf-8")
    with pytest.raises(quintet.InvalidFile, match=r"agent\.toml:1:1: error\[unknown-key\]"):
        quintet.run_sync(path, script=script, store=":memory:")


def test_importing_and_loading_need_no_store_and_no_event_loop() -> None:
    code = (
        'import sys, quintet; quintet.load(\'{"steps": [{"agent_name": "a"}]}\').graph; '
        "print(sorted({'asyncio', 'apsw', 'quintet.store', 'quintet.engine.local'} & set(sys.modules)))"
    )
    loaded = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert loaded.stdout == "[]\n"


def test_all_names_of_the_api_are_there() -> None:
    assert all(getattr(quintet, name) is not None for name in quintet.__all__)
    nonsense = "nonsense"
    with pytest.raises(AttributeError, match=nonsense):
        getattr(quintet, nonsense)


def test_what_a_call_gives_is_checked_although_nobody_has_checked_its_types(tmp_path: Path) -> None:
    workflow = quintet.load(TEXT)
    number: Any = 5
    with pytest.raises(quintet.WrongInput, match="the prompt is a text, not '5'"):
        workflow.run_sync(number, script=SCRIPT, store=":memory:")
    sloppy: Any = "sloppy"
    with pytest.raises(ValueError, match="'full' or 'normal', not 'sloppy'"):
        workflow.run_sync("a", script=SCRIPT, store=str(tmp_path / "runs.db"), durability=sloppy)
    assert not list(tmp_path.iterdir())
    with pytest.raises(quintet.InvalidFile, match="empty-file"):
        quintet.load("")


@pytest.mark.parametrize("run_id", ["", " ", "-x", "a\nb", "a\u200bb", " a", "x" * 201])
def test_an_id_that_no_command_could_name_is_refused(run_id: str) -> None:
    with pytest.raises(EngineError, match="the id of a run") as refused:
        quintet.load(TEXT).run_sync("a", script=SCRIPT, store=":memory:", run_id=run_id)
    assert refused.value.code == "unusable-id"


def test_where_an_event_loop_runs_run_sync_says_what_to_call_instead() -> None:
    async def inside() -> None:
        with pytest.raises(RuntimeError, match="await run"):
            quintet.load(TEXT).run_sync("a", script=SCRIPT, store=":memory:")

    asyncio.run(inside())
