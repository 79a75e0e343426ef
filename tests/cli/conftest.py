"""The command line is tested as if no shell had said how wide or how colourful it is."""

from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def _plain_surroundings(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("COLUMNS", "NO_COLOR", "FORCE_COLOR", "QUINTET_TRACEBACK", "_QUINTET_COMPLETE"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def workplace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder to work in, with a store of its own."""
    monkeypatch.setenv("QUINTET_HOME", str(tmp_path / "home"))
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    return tmp_path / "here"
