"""The weights are found where they are, and hashed once."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from pathlib import Path

import pytest

from quintet.agents.models import weights

SMALL = b"not a language model"


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A data folder, and weights that are small."""
    monkeypatch.setenv("QUINTET_HOME", str(tmp_path))
    monkeypatch.setattr(weights, "SIZE", len(SMALL))
    monkeypatch.setattr(weights, "SHA256", hashlib.sha256(SMALL).hexdigest())
    return tmp_path


def put(folder: Path, content: bytes = SMALL) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / weights.FILE).write_bytes(content)
    return folder / weights.FILE


def test_they_are_in_the_data_folder_or_in_the_package_which_is_never_imported(
    home: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    library = tmp_path_factory.mktemp("library")
    monkeypatch.setattr(sys, "path", [str(library), *sys.path])
    packaged = put(library / weights.MODULE)
    (packaged.parent / "__init__.py").write_text("raise ImportError('this needs more')")
    assert weights.find() == packaged
    assert weights.MODULE not in sys.modules
    own = put(home / "models")
    assert weights.find() == own


def test_the_right_file_is_hashed_once_and_again_when_it_has_changed(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = put(home / "models")
    hashed: list[Path] = []
    sha256 = weights.sha256

    def counted(path: Path) -> str:
        hashed.append(path)
        return sha256(path)

    monkeypatch.setattr(weights, "sha256", counted)
    weights.check(path)
    weights.check(path)
    assert len(hashed) == 1
    os.utime(path, ns=(0, 0))
    weights.check(path)
    assert len(hashed) == 2


@pytest.mark.parametrize(
    ("content", "reason"),
    [(b"half", "it has 4 bytes instead of 20"), (SMALL[::-1], "its SHA-256 differs")],
)
def test_another_file_of_the_name_is_refused(home: Path, content: bytes, reason: str) -> None:
    path = put(home / "models", content)
    with pytest.raises(weights.Wrong, match=reason):
        weights.check(path)
    with pytest.raises(weights.Wrong):
        weights.check(path)


def test_where_nothing_can_be_remembered_the_file_is_hashed_each_time(
    home: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = put(tmp_path_factory.mktemp("elsewhere"))
    (home / "models").write_text("a file where the folder would be")
    weights.check(path)
    weights.check(path)


def test_finding_the_weights_imports_neither_runtime_nor_package() -> None:
    script = (
        "import sys; from quintet.agents.models import offline, weights; weights.find(); print(*sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert {"xllamacpp", "jsonschema_rs", weights.MODULE}.isdisjoint(done.stdout.split())
