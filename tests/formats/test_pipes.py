"""A pipe is a file like any other, and one that nobody writes to is not waited for."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest

from quintet.formats import pipes
from quintet.formats.source import read_file


@pytest.fixture
def pipe(tmp_path: Path) -> Path:
    os.mkfifo(tmp_path / "pipe.json")
    return tmp_path / "pipe.json"


def test_a_pipe_is_read_to_its_end_and_told_again_to_who_asks_again(pipe: Path) -> None:
    text = b'{"a": "' + b"x" * 200_000 + b'"}'
    writer = threading.Thread(target=pipe.write_bytes, args=(text,))
    writer.start()
    assert read_file(pipe).report.text.text == text.decode()
    writer.join()
    assert read_file(pipe).report.text.text == text.decode()


def test_a_writer_may_take_his_time(pipe: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pipes, "PATIENCE", 1)
    begin, begun = pipes._begun, threading.Event()  # pyright: ignore[reportPrivateUsage]: nothing has come yet

    def beginning(end: int) -> bytes:
        first = begin(end)
        begun.set()
        return first

    def write() -> None:
        begun.wait()
        os.write(theirs, b"[1]")
        os.close(theirs)

    theirs = os.open(pipe, os.O_RDWR)  # alone this does not wait for a reader
    monkeypatch.setattr(pipes, "_begun", beginning)
    writer = threading.Thread(target=write)
    writer.start()
    assert read_file(pipe).report.text.text == "[1]"
    writer.join()


def test_a_pipe_that_nobody_writes_to_is_refused(pipe: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pipes, "PATIENCE", 1)
    (problem,) = read_file(pipe).report.problems
    assert problem.message == "cannot be read: nobody writes to this pipe"


def test_no_more_of_a_pipe_is_read_than_a_definition_may_have(pipe: Path) -> None:
    end = threading.Event()

    def write() -> None:
        with pipe.open("wb", buffering=0) as file:
            try:
                while True:
                    file.write(b" " * 65536)
            except BrokenPipeError:
                end.set()

    writer = threading.Thread(target=write)
    writer.start()
    (problem,) = read_file(pipe).report.problems
    assert problem.code.name == "too-large"
    writer.join()
    assert end.is_set()
