"""Whatever is given as a file is read or refused: with exit code 2 and its place, soon, nothing run."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from quintet.formats import pipes
from tests.cli.bad_texts import ALWAYS, HEAVY, IN_LANGUAGE, odd
from tests.cli.calling import Answer, called, run
from tests.cli.mutation import mutated
from tests.cli.roles import ROLES, Role

SIZE = 512 * 1024 * 1024
"""Bytes of memory that reading any file may take, Python and all."""
SECONDS = 10
"""Seconds of the processor, of a slow one."""

_FOLDERS = count()


def _told(role: Role, data: bytes, place: Path) -> tuple[Answer, Path]:
    """What the call says of a file with this content, and where the file is."""
    folder = place / f"{next(_FOLDERS)}"
    folder.mkdir()
    arguments = role.arguments(folder)
    role.path(folder).write_bytes(data)
    return called(*arguments), role.path(folder)


def _refused(answer: Answer, path: Path) -> None:
    assert answer.code == 2, answer
    found = re.search(rf"^{re.escape(str(path))}:\d+:\d+: error\[[a-z0-9-]+\]: .", answer.err, re.MULTILINE)
    assert found, answer.err
    assert "`quintet help " in answer.err.splitlines()[-1]
    assert not answer.out


def _nothing_ran(workplace: Path) -> None:
    assert not (workplace.parent / "home").exists()


@pytest.mark.parametrize("role", ROLES.values(), ids=ROLES)
def test_a_bad_text_is_refused_with_its_place(role: Role, workplace: Path) -> None:
    for name, text in {**ALWAYS, **IN_LANGUAGE[role.language]}.items():
        if (role.file[0], name) != ("i", "an unknown key"):  # inputs may have any name
            answer, path = _told(role, text, workplace)
            assert "bug" not in answer.err, name
            _refused(answer, path)
    _nothing_ran(workplace)


@pytest.mark.parametrize("role", ROLES.values(), ids=ROLES)
def test_a_text_as_odd_editors_write_it_is_fine(role: Role, workplace: Path) -> None:
    for name, text in odd(role.fine, role.language).items():
        answer, _ = _told(role, text, workplace)
        assert answer.code == 0, (name, answer.err)


@pytest.mark.parametrize("role", ROLES.values(), ids=ROLES)
def test_what_is_no_file_is_refused(role: Role, workplace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pipes, "PATIENCE", 1)
    for make in (os.mkdir, os.mkfifo, _loop, _device("/dev/zero"), _huge):
        folder = workplace / f"{next(_FOLDERS)}"
        folder.mkdir()
        arguments, path = role.arguments(folder), role.path(folder)
        make(path)
        _refused(called(*arguments), path)
    _nothing_ran(workplace)


def _loop(path: Path) -> None:
    path.symlink_to(path)


def _device(name: str) -> Callable[[Path], None]:
    def link(path: Path) -> None:
        path.symlink_to(name)

    return link


def _huge(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(100 * 1024 * 1024)


@pytest.mark.parametrize("name", ["missing", "", "x" * 5000, "a/b/c", "caf\udce9", "a\nb"])
def test_a_path_with_nothing_there_is_refused(name: str, workplace: Path) -> None:
    for before in (["check"], ["graph"], ["run"], ["check", "--script", name], ["check", "--agents", name]):
        answer = called(*before, name)
        assert answer.code == 2
        assert "bug" not in answer.err
        assert "error" in answer.err


# --- mutations ----------------------------------------------------------------------------------------

_CALM = {name: role for name, role in ROLES.items() if "--dry-run" in role.call or role.call[0] != "run"}


@given(name=st.sampled_from(sorted(_CALM)), random=st.randoms(use_true_random=False))
@settings(max_examples=200, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_text_with_mistakes_is_read_or_refused(name: str, random: Random, workplace: Path) -> None:
    _try(_CALM[name], random, workplace)


@pytest.mark.long
def test_texts_with_mistakes_are_read_or_refused_campaign(seeds: Iterator[int], workplace: Path) -> None:
    for seed in seeds:
        random = Random(seed)
        _try(_CALM[random.choice(sorted(_CALM))], random, workplace)


def _try(role: Role, random: Random, workplace: Path) -> None:
    text = mutated(role.fine, random)
    answer, path = _told(role, text, workplace)
    assert answer.code in {0, 2}, (text, answer.err)
    if answer.code == 2 and not answer.err.startswith("error: "):  # which is about the call
        elsewhere = re.match(rf"({re.escape(str(path.parent))}/.*?):1:1: error\[cannot-read\]", answer.err)
        _refused(answer, Path(elsewhere[1]) if elsewhere else path)  # settings name a folder
    _nothing_ran(workplace)


# --- bounds -------------------------------------------------------------------------------------------

BOUNDED = """
import io, json, resource, sys, time
from contextlib import redirect_stderr, redirect_stdout
size = json.loads(sys.stdin.readline())
resource.setrlimit(resource.RLIMIT_AS, (size, size))
from quintet.cli.app import call
for line in sys.stdin:
    err, out, began = io.StringIO(), io.StringIO(), time.process_time()
    with redirect_stderr(err), redirect_stdout(out):
        code = call(json.loads(line))
    print(json.dumps([code, time.process_time() - began, out.getvalue()[:1000], err.getvalue()]), flush=True)
"""
"""Calls, one a line, with so much memory and no more."""


@pytest.mark.parametrize("name", ["workflow.json", "workflow.yaml", "settings"])
def test_what_is_small_to_send_takes_no_more_time_and_memory_to_read(name: str, workplace: Path) -> None:
    _bounded(ROLES[name], workplace)


@pytest.mark.long
@pytest.mark.parametrize("role", ROLES.values(), ids=ROLES)
def test_time_and_memory_are_bounded_for_every_purpose(role: Role, workplace: Path) -> None:
    _bounded(role, workplace)


def _bounded(role: Role, workplace: Path) -> None:
    cases: dict[str, tuple[Path, list[str]]] = {}
    for name, text in HEAVY[role.language].items():
        folder = workplace / f"{next(_FOLDERS)}"
        folder.mkdir()
        cases[name] = role.path(folder), role.arguments(folder)
        role.path(folder).write_bytes(text)
    lines = [json.dumps(SIZE), *(json.dumps(arguments) for _, arguments in cases.values())]
    done = subprocess.run(
        [sys.executable, "-c", BOUNDED],
        input="\n".join(lines),
        capture_output=True,
        text=True,
        timeout=SECONDS * len(cases),
        check=False,
    )
    assert done.returncode == 0, done.stderr
    for (name, (path, _)), line in zip(cases.items(), done.stdout.splitlines(), strict=True):
        code, seconds, out, err = json.loads(line)
        if role.file[0] != "i" or code:  # many of them are fine as inputs
            _refused(Answer(code, out, err), path)
        assert len(err) < 100_000, name
        assert seconds < SECONDS, name
    _nothing_ran(workplace)


# --- as users call it ---------------------------------------------------------------------------------


def test_in_a_process_of_its_own_nothing_is_different(workplace: Path) -> None:
    role = ROLES["workflow to run"]
    arguments = role.arguments(workplace)
    role.path(workplace).write_bytes(b"[" * 10_000)
    answer = run(*arguments, cwd=workplace)
    _refused(answer, role.path(workplace))


def test_standard_input_is_bounded_too(workplace: Path) -> None:
    answer = run("check", "-", stdin="[" * 9_000_000, cwd=workplace)
    _refused(answer, Path("<stdin>"))
    answer = run("run", "-", stdin="\0", cwd=workplace)
    _refused(answer, Path("<stdin>"))


def test_pipes_are_files_like_any_other(workplace: Path) -> None:
    """As a shell gives them: `quintet run <(generate) --script <(generate) --config <(generate)`."""
    ROLES["workflow to run"].arguments(workplace)
    texts = [(workplace / name).read_bytes() for name in ("fine.json", "fine.script.json")]
    pairs = [os.pipe() for _ in range(3)]
    for (_, write), text in zip(pairs, [*texts, b'store = ":memory:"'], strict=True):
        os.write(write, text)
        os.close(write)
    flow, says, told = (f"/dev/fd/{read}" for read, _ in pairs)
    done = subprocess.run(
        [sys.executable, "-m", "quintet", "run", flow, "in", "--script", says, "--config", told],
        capture_output=True,
        text=True,
        pass_fds=[read for read, _ in pairs],
        cwd=workplace,
        check=False,
    )
    for read, _ in pairs:
        os.close(read)
    assert (done.returncode, done.stdout) == (0, "done\n"), done.stderr
    _nothing_ran(workplace)
