"""The app finds verbs, and no mistake of a user ends in a traceback."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import click
import pytest

from quintet import __version__
from quintet.cli import app as app_module
from quintet.cli.app import app, loaded
from quintet.cli.refusal import Refusal
from quintet.cli.verbs import VERBS, Verb
from tests.cli.calling import COMMAND, called, run
from tests.cli.files import FINE, WRONG, written
from tests.cli.runs import ran


def test_help_names_every_verb() -> None:
    answer = called("--help")
    assert answer.code == 0
    for verb in VERBS:
        assert f"  {verb.name} " in answer.out
        assert verb.about.split()[0] in answer.out


@pytest.mark.parametrize("verb", VERBS, ids=lambda verb: verb.name)
def test_every_verb_of_the_table_is_there_and_explains_itself(verb: Verb) -> None:
    assert loaded(verb).name == verb.name
    answer = called(verb.name, "--help")
    assert answer.code == 0
    assert answer.out.startswith(f"Usage: quintet {verb.name} ")


def test_without_a_verb_the_help_is_shown_and_the_call_is_wrong() -> None:
    answer = called()
    assert (answer.code, answer.out) == (2, "")
    assert "Usage: quintet" in answer.err


def test_the_version() -> None:
    assert called("--version").out == f"quintet {__version__}\n"


def test_an_unknown_verb_is_refused_with_a_suggestion() -> None:
    answer = called("chek", "flow.json")
    assert answer.code == 2
    assert answer.err == "error: there is no verb 'chek'; did you mean 'check'?\n  quintet --help\n"


def test_a_file_in_the_place_of_a_verb_is_recognised(tmp_path: Path) -> None:
    path = written(tmp_path, "flow.json", FINE)
    assert f"to look at this file: quintet check {path}" in called(path).err


@pytest.mark.parametrize(
    "arguments",
    [
        ["--nope"],
        ["check"],
        ["check", "--strct", "x"],
        ["check", "x", "--output", "xml"],
        ["graph", "a", "b"],
    ],
)
def test_a_wrong_call_is_told_in_two_lines(arguments: list[str]) -> None:
    answer = called(*arguments)
    assert (answer.code, answer.out) == (2, "")
    assert answer.err.startswith("error: ")
    assert len(answer.err.splitlines()) == 2


def _verb(monkeypatch: pytest.MonkeyPatch, error: BaseException) -> None:
    @click.command()
    def failing() -> None:
        raise error

    monkeypatch.setattr(app_module, "loaded", lambda verb: failing)  # pyright: ignore[reportUnknownLambdaType,reportUnknownArgumentType]


@pytest.mark.parametrize(
    ("error", "code", "said"),
    [
        (Refusal("this cannot be", "do that"), 2, "error: this cannot be\n  do that\n"),
        (KeyboardInterrupt(), 130, "interrupted\n"),
        (BrokenPipeError(), 141, ""),
        (PermissionError(13, "Permission denied", "x.json"), 2, "error: x.json: permission denied\n"),
    ],
)
def test_what_stops_a_verb_becomes_an_exit_code_and_words(
    monkeypatch: pytest.MonkeyPatch, error: BaseException, code: int, said: str
) -> None:
    _verb(monkeypatch, error)
    answer = called("check")
    assert (answer.code, answer.err) == (code, said)


def test_a_bug_says_that_it_is_one_and_how_to_see_more(monkeypatch: pytest.MonkeyPatch) -> None:
    _verb(monkeypatch, ZeroDivisionError("division by zero"))
    answer = called("check")
    assert answer.code == 70
    assert "this is a bug in Quintet: ZeroDivisionError: division by zero" in answer.err
    assert "QUINTET_TRACEBACK=1" in answer.err
    monkeypatch.setenv("QUINTET_TRACEBACK", "1")
    with pytest.raises(ZeroDivisionError):
        called("check")


def test_a_reader_that_goes_away_is_no_error_to_talk_about() -> None:
    with subprocess.Popen(
        [*COMMAND, "schema", "openfang"], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as it:
        assert it.stdout is not None
        assert it.stderr is not None
        it.stdout.close()
        assert it.stderr.read() == b""
        assert it.wait(30) == 141


def test_an_interrupt_ends_with_130_and_no_traceback(tmp_path: Path) -> None:
    fifo = tmp_path / "flow.json"
    os.mkfifo(fifo)
    with subprocess.Popen([*COMMAND, "check", str(fifo)], stderr=subprocess.PIPE) as waiting:
        with fifo.open("wb"):  # opens when the other side reads
            waiting.send_signal(signal.SIGINT)
            assert waiting.wait(30) == 130
        assert waiting.stderr is not None
        assert waiting.stderr.read() == b"interrupted\n"


def test_closed_streams_do_no_harm(tmp_path: Path) -> None:
    path = written(tmp_path, "flow.json", FINE)
    command = " ".join(f"'{part}'" for part in [*COMMAND, "check", path])
    for closed in (">&-", "2>&-", ">&- 2>&-", "<&-"):
        done = subprocess.run(["/bin/sh", "-c", f"{command} {closed}"], capture_output=True, check=False)
        assert done.returncode == 0, done.stderr


def test_what_is_for_the_screen_is_no_result_where_there_is_no_screen(tmp_path: Path) -> None:
    command = " ".join(f"'{part}'" for part in [*COMMAND, "check", written(tmp_path, "flow.json", WRONG)])
    done = subprocess.run(["/bin/sh", "-c", f"{command} 2>&-"], capture_output=True, check=False)
    assert (done.returncode, done.stdout) == (2, b"")


def completed(folder: Path, words: str, count: int) -> list[str]:
    """What a shell is told that fits there."""
    told = {"_QUINTET_COMPLETE": "bash_complete", "COMP_WORDS": words, "COMP_CWORD": str(count)}
    answer = run(environment={**os.environ, **told}, cwd=folder)
    assert answer.err == ""
    return answer.out.split()


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_each_shell_gets_its_completion(shell: str) -> None:
    answer = called("--show-completion", shell)
    assert answer.code == 0
    assert "_QUINTET_COMPLETE" in answer.out


def test_verbs_formats_and_codes_are_completed(tmp_path: Path) -> None:
    assert completed(tmp_path, "quintet ch", 1) == ["plain,check"]
    assert completed(tmp_path, "quintet schema o", 2) == ["plain,openfang"]
    assert completed(tmp_path, "quintet help unset", 2) == ["plain,unset-variable"]


def test_runs_and_their_steps_are_completed_where_a_verb_can_do_something_with_them(workplace: Path) -> None:
    assert completed(workplace, "quintet show ", 2) == []
    ran(workplace, run_id="done", one="1", two="2")
    ran(workplace, run_id="bad", one="1", two={"error": "no"})
    assert completed(workplace, "quintet show ", 2) == ["plain,bad", "plain,done"]
    assert completed(workplace, "quintet export d", 2) == ["plain,done"]
    assert completed(workplace, "quintet retry ", 2) == ["plain,bad"]
    assert completed(workplace, "quintet resume ", 2) == []
    assert completed(workplace, "quintet fork do --at t", 4) == ["plain,two"]
    assert completed(workplace, "quintet fork none --at ", 4) == []
    (workplace / "no.db").write_text("no store", encoding="utf-8")
    assert completed(workplace, "quintet show --store sqlite:///no.db ", 4) == []


def test_help_asks_no_verb_for_its_help() -> None:
    assert app.list_commands(click.Context(app)) == [verb.name for verb in VERBS]


def test_an_interruption_before_anything_is_there_to_interrupt_shows_no_traceback() -> None:
    code = (
        "import sys\n"
        "class Interrupts:\n"
        "    def find_spec(self, name, path, target=None):\n"
        "        if name == 'click': raise KeyboardInterrupt\n"
        "sys.meta_path.insert(0, Interrupts())\n"
        "from quintet.__main__ import main\n"
        "main()"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "")
