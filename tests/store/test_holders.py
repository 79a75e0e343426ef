"""Holders: a process is known for as long as it is there, and never mistaken for another."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest

from quintet.store.holders import Holder, started_at, this_process

HERE = this_process()
ELSEWHERE = replace(HERE, host="elsewhere", boot="another", started="1")


@pytest.fixture
def process() -> Iterator[subprocess.Popen[str]]:
    """A process that ends when its input does."""
    command = [sys.executable, "-c", "import sys; sys.stdin.read()"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, text=True) as process:
        yield process


def says(text: str) -> Callable[[str], str]:
    """A system that tells the same of everything."""

    def told(path: str) -> str:
        return text

    return told


def holder_of(process: subprocess.Popen[str]) -> Holder:
    return replace(HERE, pid=process.pid, started=started_at(process.pid))


def test_a_process_started_once() -> None:
    assert HERE.pid == os.getpid()
    assert HERE.started == started_at(os.getpid())
    assert int(HERE.started) > 0
    assert this_process().id != HERE.id


def test_a_process_that_never_was_has_no_start() -> None:
    assert started_at(2**30) == ""


def test_a_process_is_there_until_it_ends_even_while_nobody_has_asked_how(
    process: subprocess.Popen[str],
) -> None:
    holder = holder_of(process)
    assert not holder.is_gone(HERE)
    process.kill()
    os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)  # it is a zombie now
    assert started_at(process.pid) == ""
    assert holder.is_gone(HERE)
    process.wait()
    assert holder.is_gone(HERE)


def test_a_name_that_looks_like_fields_of_the_kernel_confuses_nobody(
    process: subprocess.Popen[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    fields = [str(number) for number in range(3, 53)]
    fields[0] = "S"
    monkeypatch.setattr("quintet.store.holders._read", says(f"1 (a) Z 9 (b)) {' '.join(fields)}"))
    assert started_at(1) == "22", "its 22nd field"


def test_a_pid_that_was_given_to_another_process_is_not_the_holder() -> None:
    assert replace(HERE, started=str(int(HERE.started) - 1)).is_gone(HERE)


def test_a_holder_from_before_the_machine_was_started_anew_is_gone() -> None:
    assert replace(HERE, boot="an earlier one").is_gone(HERE)


@pytest.mark.parametrize(
    "holder",
    [
        ELSEWHERE,
        replace(HERE, namespace="pid:[1]", started="1"),
        replace(HERE, host="elsewhere", started="1"),
        replace(HERE, boot="", started="1"),
        replace(HERE, started=""),
    ],
    ids=["another machine", "another container", "another name", "no boot known", "no start known"],
)
def test_a_process_that_cannot_be_looked_up_is_not_said_to_be_gone(holder: Holder) -> None:
    assert not holder.is_gone(HERE)
    assert not holder.is_local(HERE)
    assert holder.is_at_work(HERE, silent=30, patience=30)
    assert not holder.is_at_work(HERE, silent=30.5, patience=30)


def test_a_process_that_can_be_looked_up_is_believed_however_silent() -> None:
    assert HERE.is_at_work(HERE, silent=1e9, patience=30)
    assert not replace(HERE, started="1").is_at_work(HERE, silent=0, patience=30)


def test_where_the_system_tells_nothing_only_silence_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("quintet.store.holders._read", says(""))
    monkeypatch.setattr("quintet.store.holders._link", says(""))
    here, other = this_process(), this_process()
    assert (here.boot, here.namespace, here.started) == ("", "", "")
    assert not other.is_gone(here)
    assert other.is_at_work(here, silent=30, patience=30)
    assert not other.is_at_work(here, silent=31, patience=30)


def test_a_holder_is_kept_as_json_and_described_for_people() -> None:
    assert Holder.from_json(HERE.to_json()) == HERE
    assert replace(HERE, host="mill", pid=7).describe() == "process 7 on mill"
