"""`quintet model` tells which models can be asked, asks one, and installs one."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from quintet.agents import messages
from quintet.agents.models import installation, llama, weights
from quintet.agents.models.port import Ask, Said, Tokens, Trouble
from quintet.agents.models.providers import FAVOURITES
from quintet.cli import model
from quintet.cli.checklist import Entry
from quintet.cli.choice import of_provider
from quintet.engine.performing import Say
from tests.cli.calling import called


@pytest.fixture(autouse=True)
def _nothing_around(workplace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No key, no server, no weights."""
    monkeypatch.setattr("quintet.cli.choice.serving", list)
    monkeypatch.setattr(weights, "MODULE", "no_such_package")


def _none(package: str) -> None:
    """No package is installed."""


def _one(package: str) -> str:
    return "1"


class Echo:
    """A model that says what it is asked."""

    async def ask(self, ask: Ask, say: Say) -> Said:
        text = messages.text(ask.messages[0])
        if text == "fail":
            raise Trouble("provider", "it does not want to")
        for word in text.split():
            say(f"{word} ")
        return Said(messages.assistant(text), tokens=Tokens(3, 2), model="echo")


@pytest.fixture
def echo(monkeypatch: pytest.MonkeyPatch) -> None:
    def port_for(name: str) -> Echo:
        return Echo()

    monkeypatch.setattr(model, "port_for", port_for)


@pytest.mark.usefixtures("echo")
def test_an_answer_goes_to_standard_output_and_its_figures_to_standard_error() -> None:
    answer = called("model", "try", "echo", "Two words")
    assert (answer.code, answer.out) == (0, "Two words \n")
    assert answer.err.startswith("echo · 3 → 2 tokens · ")
    assert called("model", "try", "Two words").out == answer.out
    assert called("model", "try", "echo", "-", stdin="Two words").out == answer.out
    assert "about bees" in called("model", "try").out


@pytest.mark.usefixtures("echo")
def test_what_a_model_says_has_no_power_over_the_terminal() -> None:
    assert "\x1b" not in called("model", "try", "echo", "red \x1b[31m").out


@pytest.mark.usefixtures("echo")
def test_an_answer_as_json() -> None:
    answer = called("model", "try", "echo", "Hi", "--json")
    told = json.loads(answer.out)
    assert (told["model"], told["answer"], told["output_tokens"], answer.err) == ("echo", "Hi", 2, "")


@pytest.mark.usefixtures("echo")
def test_a_model_that_does_not_answer_ends_with_1() -> None:
    answer = called("model", "try", "echo", "fail")
    assert (answer.code, answer.out, answer.err) == (1, "", "error: it does not want to\n")


def test_an_unknown_model_is_refused() -> None:
    assert called("model", "try", "nobody:none", "Hi").code == 2


def test_where_it_is_not_installed_the_list_and_the_doctor_say_how_to_install_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(llama, "is_installed", lambda: False)
    models = json.loads(called("model", "list", "--json").out)["models"]
    assert models[0]["model"] == "offline:smollm2-135m"
    assert (models[0]["state"], models[0]["to_do"]) == ("missing", "quintet model install")
    assert {one["state"] for one in models} == {"missing"}
    assert "quintet model install" in called("doctor").out


def test_a_key_is_told_to_be_there_and_never_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GROQ_API_KEY", "gsk-1234567890")
    monkeypatch.setattr("quintet.cli.choice.installed", _none)
    for call in (["model", "list"], ["model", "list", "--json"], ["doctor"], ["doctor", "--json"]):
        answer = called(*call)
        assert "GROQ_API_KEY is set; needs a library" in answer.out
        assert "gsk" not in answer.out + answer.err
        assert "123" not in answer.out + answer.err


def test_what_can_be_asked_comes_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MOONSHOTAI_API_KEY", "k")
    monkeypatch.setattr("quintet.cli.choice.installed", _one)
    assert json.loads(called("model", "list", "--json").out)["models"][0]["model"] == "moonshotai:kimi-k2.6"
    assert called("model", "list").out.splitlines()[0].split()[:2] == ["✓", "moonshotai:kimi-k2.6"]
    assert of_provider(FAVOURITES[-1], {"MOONSHOTAI_API_KEY": "k"}) == Entry(
        "moonshotai:kimi-k2.6", "ready", "MOONSHOTAI_API_KEY is set"
    )


def test_an_installation_that_fails_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(error: Exception) -> None:
        def install(*args: object, **kwargs: object) -> Path:
            raise error

        monkeypatch.setattr(installation, "install", install)

    fails(installation.CannotInstall("no network", "go out"))
    answer = called("model", "install")
    assert (answer.code, answer.err) == (1, "error: no network\n  go out\n")
    fails(installation.NoPip("no pip", "get one"))
    answer = called("model", "install")
    assert (answer.code, answer.err) == (2, "error: no pip\n  get one\n")


def test_looking_for_models_imports_no_runtime_and_no_provider(workplace: Path) -> None:
    script = "import sys; from quintet.cli.app import call; call(['model', 'list']); print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    modules = {name.partition(".")[0] for name in done.stdout.splitlines()[-1].split()}
    assert modules.isdisjoint({"xllamacpp", "jsonschema_rs", "openai", "pydantic_ai", "pydantic"})
