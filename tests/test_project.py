"""The project's settings are found upward, read strictly, and say where agents and runs are."""

from __future__ import annotations

from pathlib import Path

import pytest

from quintet import project
from quintet.formats.invalid import InvalidFile


def test_settings_are_found_upward(tmp_path: Path) -> None:
    inner = tmp_path / "a" / "b"
    inner.mkdir(parents=True)
    (tmp_path / "quintet.toml").write_text("", encoding="utf-8")
    assert project.find(inner / "flow.json") == tmp_path / "quintet.toml"
    (inner / "quintet.toml").write_text("", encoding="utf-8")
    assert project.find(inner / "flow.json") == inner / "quintet.toml"


def test_settings_say_where_things_are() -> None:
    settings = project.parse_settings(
        'agents_folder = "agents"\nstore = ":memory:"\n[agents.ann]\ntags = []\n'
    )
    assert (settings.agents_folder, settings.store) == ("agents", ":memory:")
    assert settings.agents == {"ann": {"name": "ann", "tags": []}}
    assert project.parse_settings("") == project.Settings()
    assert project.parse_settings("# nothing yet\n") == project.Settings()


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("agent_folder = 1", "quintet.toml:1:1: error[unknown-key]"),
        ("store = 1", "quintet.toml:1:1: error[wrong-type]"),
        ("[agents.ann]\nnam = 1", "quintet.toml:2:1: error[unknown-key]"),
        ("agents = 1", "quintet.toml:1:1: error[wrong-type]"),
        ("a = ", "quintet.toml:1:5: error[toml-syntax]"),
    ],
)
def test_what_is_wrong_is_told_with_its_place(text: str, problem: str) -> None:
    with pytest.raises(InvalidFile) as raised:
        project.parse_settings(text)
    assert str(raised.value.problems[0]).startswith(problem)


def test_a_folder_of_agents_holds_manifests(tmp_path: Path) -> None:
    (tmp_path / "ann").mkdir()
    (tmp_path / "ann" / "agent.toml").write_text('name = "ann"', encoding="utf-8")
    (tmp_path / "bob.toml").write_text('name = "bob"', encoding="utf-8")
    (tmp_path / "README.md").write_text("x", encoding="utf-8")
    files = project.manifest_files(tmp_path)
    assert [path.name for path in files] == ["agent.toml", "bob.toml"]
    texts = [(str(path), project.read_text(path)) for path in files]
    assert [manifest.name for manifest in project.manifests(texts)] == ["ann", "bob"]
    with pytest.raises(InvalidFile, match="another agent 'ann'"):
        project.manifests([*texts, ("again.toml", 'name = "ann"')])
    with pytest.raises(InvalidFile, match="no such folder"):
        project.manifest_files(tmp_path / "none")


def test_a_store_has_an_address(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("QUINTET_HOME", str(tmp_path))
    assert project.store_place(None) == str(tmp_path / "quintet.db")
    assert project.store_place(":memory:") == project.store_place("sqlite:///:memory:") == ":memory:"
    assert project.store_place("sqlite:////tmp/x.db") == "/tmp/x.db"
    assert project.store_place("runs.db") == project.store_place("sqlite:///runs.db") == "runs.db"
    assert project.store_place(f"sqlite:///{tmp_path}") == str(tmp_path / "quintet.db")
    with pytest.raises(project.WrongStore, match="postgres"):
        project.store_place("postgres://x")
