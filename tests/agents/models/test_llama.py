"""What can be said of llama.cpp without loading a model."""

from __future__ import annotations

from pathlib import Path

import pytest

from quintet.agents.models.llama import CannotLoad, Engine, is_installed, threads


def test_a_busy_processor_is_left_half_of_its_cores() -> None:
    assert [threads(count) for count in (1, 2, 3, 4, 8, 64)] == [1, 1, 1, 2, 4, 4]


@pytest.mark.skipif(not is_installed(), reason="xllamacpp is not installed")
def test_what_is_no_model_is_refused_in_silence(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "no.gguf").write_text("no model")
    with pytest.raises(CannotLoad):
        Engine(tmp_path / "no.gguf", "none")
    assert capfd.readouterr() == ("", "")
