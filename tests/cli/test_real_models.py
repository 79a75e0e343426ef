"""Runs that real models answer, over real sockets: what people see, what the log holds, what is paid."""

from __future__ import annotations

import asyncio
import json
import os
import re
import signal
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Protocol

import pytest

from quintet.agents.models import patience
from tests.cli.calling import COMMAND, Answer, called
from tests.cli.files import written
from tests.cli.runs import flow, shown
from tests.servers.anthropic import FakeAnthropic
from tests.servers.openai import FakeOpenAI
from tests.servers.replies import Call, Hangs, Refuses, Replies, Reply, Says, Vanishes
from tests.servers.web import Request

KEY = "sk-planted-key-0123456789"


class Server(Protocol):
    @property
    def url(self) -> str: ...
    @property
    def requests(self) -> list[Request]: ...
    @property
    def disconnects(self) -> int: ...


Serve = Callable[[Replies], Server]

WIRES = {"openai": FakeOpenAI, "anthropic": FakeAnthropic}


@pytest.fixture(params=WIRES)
def provider(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture
def serve(workplace: Path, provider: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Serve]:
    """Starts a provider that says these things, and tells the project of it."""
    monkeypatch.setattr(patience, "SHORTEST_WAIT", 0.01)
    servers: list[Any] = []

    def start(replies: Replies) -> Server:
        running = WIRES[provider](replies).in_thread()
        server = running.__enter__()
        servers.append(running)
        settings = f'[providers.{provider}]\nbase_url = "{server.url}"\napi_key = "{KEY}"\n'
        written(workplace, "quintet.toml", f'model = "{provider}:m"\n{settings}')
        return server

    yield start
    for running in servers:
        running.__exit__(None, None, None)


def ran(folder: Path, *options: str, agents: tuple[str, ...] = ("one", "two"), **keys: Any) -> Answer:
    path = written(folder, "flow.json", flow(*agents, **keys))
    return called("run", path, "in", "--run-id", "r", *options)


def told() -> list[dict[str, Any]]:
    """The outcomes of requests, as the log has them."""
    out = called("show", "r", "--events", "--json").out
    events = [json.loads(line) for line in out.splitlines()]
    return [event["data"] for event in events if event["kind"] == "model.answered"]


def test_each_agent_is_told_who_it_is_and_what_to_do_and_its_words_are_handed_on(
    workplace: Path, serve: Serve
) -> None:
    server = serve([Says(["Hel", "lo."], input=7, output=3), Says(["Bye."])])
    answer = ran(workplace)
    assert (answer.code, answer.out) == (0, "Bye.\n")
    first, second = (json.dumps(request.body) for request in server.requests)
    assert "You are one." in first
    assert "one in" in first
    assert "two Hello." in second
    assert shown()["steps"][0]["input_tokens"] == 7


def test_who_answers_and_why_is_a_line_of_the_display_and_in_the_log(
    workplace: Path, serve: Serve, provider: str
) -> None:
    serve([Says(), Says()])
    assert f"answered by {provider}:m (from quintet.toml)" in ran(workplace).err
    chosen = [(one["value"]["model"], one["value"]["because"]) for one in told()]
    assert chosen == [(f"{provider}:m", "quintet.toml")] * 2


def test_words_come_as_events_while_they_are_said(workplace: Path, serve: Serve) -> None:
    serve([Says(["Hel", "lo."])])
    answer = ran(workplace, "--events", agents=("one",))
    events = [json.loads(line) for line in answer.out.splitlines()]
    assert "".join(one["data"] for one in events if one["kind"] == "text.said") == "Hello."


def test_the_last_words_are_shown_even_where_a_secret_begins_like_them(workplace: Path, serve: Serve) -> None:
    assert KEY.startswith("sk")
    serve([Says(["clas", "s"])])
    events = [json.loads(line) for line in ran(workplace, "--events", agents=("one",)).out.splitlines()]
    assert "".join(one["data"] for one in events if one["kind"] == "text.said") == "class"
    kinds = [one["kind"] for one in events]
    assert len(kinds) - kinds[::-1].index("text.said") - 1 < kinds.index("model.answered")


@pytest.mark.parametrize(
    "trouble",
    [
        Refuses(429, "slow down", headers={"Retry-After": "0"}),
        Refuses(500, "oops"),
        Vanishes(),
        Says(["Hal", "f"], ending="dropped"),
        Says(["Hal", "f"], ending="cut"),
        Says(["Hal", "f"], ending="garbled"),
    ],
    ids=["429", "500", "vanishes", "dropped", "cut", "garbled"],
)
def test_what_passes_is_asked_again_and_what_was_finished_is_not(
    workplace: Path, serve: Serve, trouble: Reply
) -> None:
    server = serve([Says(["First."]), trouble, Says(["Second."])])
    answer = ran(workplace)
    assert (answer.code, answer.out) == (0, "Second.\n")
    assert len(server.requests) == 3
    assert [one["value"]["message"]["text"] for one in told()] == ["First.", "Second."]
    assert shown()["usage"]["output_tokens"] == 4, "what broke off is not counted twice"


@pytest.mark.parametrize(
    ("reply", "kind", "words"),
    [
        (Refuses(401, "who are you"), "auth", "who are you"),
        (Refuses(400, "no such thing"), "rejected", "no such thing"),
        (Says(["Half of"], finish="length"), "truncated", "cut off"),
        (Says(["I must not"], finish="refused"), "refused", "refused"),
        (Says([""]), "empty", "with nothing"),
    ],
    ids=["auth", "rejected", "truncated", "refused", "empty"],
)
def test_what_will_not_pass_fails_the_step_with_its_kind_at_once(
    workplace: Path, serve: Serve, provider: str, reply: Reply, kind: str, words: str
) -> None:
    server = serve([Says(["First."]), reply])
    answer = ran(workplace)
    assert answer.code == 1
    error = shown()["error"]
    assert (error["kind"], error["step"]) == (kind, "two")
    assert words in error["message"]
    assert error["message"].count(f"{provider}:m") == 1, "whose answer it was is said once"
    assert words in answer.err
    assert "quintet retry r" in answer.err
    assert len(server.requests) == 2
    assert shown()["steps"][0]["output"] == "First."


def test_a_request_that_was_answered_in_vain_is_paid_all_the_same(workplace: Path, serve: Serve) -> None:
    serve([Says(["Half"], finish="length", input=30, output=10)])
    ran(workplace, agents=("one",))
    assert shown()["usage"]["output_tokens"] == 10
    assert shown()["steps"][0]["output_tokens"] == 10


def test_a_run_that_has_cost_enough_asks_in_figures_that_matter_and_goes_on(
    workplace: Path, serve: Serve, provider: str
) -> None:
    server = serve([Says(["First."], input=300, output=100), Says(["Second."])])
    model = {"openai": "openai:gpt-5-mini", "anthropic": "anthropic:claude-haiku-4-5"}[provider]
    paused = ran(workplace, "--model", model, "--max-usd", "0.0001")
    assert paused.code == 3
    assert re.search(r"taken \$0\.000[2-9]\d* of \$0\.00010\. How much", paused.err), paused.err
    assert "⏸ max_usd waits for a person" in paused.err
    again = called("answer", "r", "max_usd=0.0002")
    assert again.code == 3
    assert "⏸ max_usd #2 waits for a person" in again.err
    assert len(server.requests) == 1
    assert called("answer", "r", "max_usd=1").out == "Second.\n"
    assert len(server.requests) == 2


def test_a_hung_connection_is_closed_when_the_step_has_no_time_left(workplace: Path, serve: Serve) -> None:
    server = serve([Hangs()])
    answer = ran(workplace, agents=("one",), timeout_secs=1)
    assert answer.code == 1
    assert "Step 'one' timed out after 1s" in answer.err
    assert server.disconnects == 1


def test_a_retry_asks_for_what_failed_and_for_nothing_else(workplace: Path, serve: Serve) -> None:
    server = serve([Says(["First."]), Refuses(400, "no"), Says(["Second."])])
    assert ran(workplace).code == 1
    assert called("retry", "r").out == "Second.\n"
    assert len(server.requests) == 3


def test_tools_that_nobody_has_are_told_to_the_model(workplace: Path, serve: Serve) -> None:
    server = serve([Says([], calls=[Call("look", {"q": 1})]), Says(["Sorry."])])
    assert ran(workplace, agents=("one",)).out == "Sorry.\n"
    assert "there is no tool" in json.dumps(server.requests[1].body)


def test_a_model_with_malformed_arguments_is_told_so(workplace: Path, serve: Serve) -> None:
    server = serve([Says([], calls=[Call("look", '{"q": ')]), Says(["Sorry."])])
    assert ran(workplace, agents=("one",)).out == "Sorry.\n"
    assert "no JSON object" in json.dumps(server.requests[1].body)


def test_a_key_a_header_and_a_secret_are_nowhere_to_be_found(
    workplace: Path, serve: Serve, provider: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not even where the provider itself says them."""
    secrets = [KEY, "hdr-planted-header", "env-planted-key-98765"]
    monkeypatch.setenv("GROQ_API_KEY", secrets[2])
    leak = f"your key is {KEY}, {secrets[1]} and {secrets[2]}"
    pieces = [leak[at : at + 5] for at in range(0, len(leak), 5)]
    serve([Says(pieces), Refuses(400, leak)])
    toml = (workplace / "quintet.toml").read_text()
    written(workplace, "quintet.toml", f'{toml}headers = {{X-Team = "{secrets[1]}"}}\n')
    texts = [ran(workplace, "--events", "--record", "tape.yaml"), called("show", "r"), called("retry", "r")]
    texts += [called("show", "r", "--json"), Answer(0, (workplace / "tape.yaml").read_text(), "")]
    texts += [
        called("show", "r", "--events"),
        called("export", "r"),
        called("doctor"),
        called("model", "list"),
    ]
    stored = b"".join(path.read_bytes() for path in Path(os.environ["QUINTET_HOME"]).glob("quintet.db*"))
    assert b"your key is [secret]" in stored
    assert "your key is [secret]" in texts[-5].out, "the cassette"
    for secret in secrets:
        assert all(secret not in text.out + text.err for text in texts), secret
        assert secret.encode() not in stored


def test_a_key_that_an_agent_brings_along_is_as_secret(
    workplace: Path, serve: Serve, provider: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VAULT", "agent-planted-key-555")
    server = serve([Says(["my key is agent-planted-", "key-555"])])
    model = f'provider = "{provider}"\nmodel = "m"\nbase_url = "{server.url}"\napi_key_env = "VAULT"\n'
    written(workplace, "agents/one/agent.toml", f'name = "one"\n[model]\n{model}')
    answer = ran(workplace, "--agents", "agents", "--events", agents=("one",))
    assert "agent-planted-key-555" in json.dumps(dict(server.requests[0].headers))
    assert "my key is [secret]" in called("show", "r", "--json").out
    assert "agent-planted-key-555" not in answer.out + called("export", "r").out
    stored = b"".join(path.read_bytes() for path in Path(os.environ["QUINTET_HOME"]).glob("quintet.db*"))
    assert b"agent-planted-key-555" not in stored


def test_where_the_settings_are_gone_nobody_else_is_asked(workplace: Path, serve: Serve) -> None:
    server = serve([Says(input=60, output=40), Says(["Second."])])
    ran(workplace, "--max-tokens", "100")
    (workplace / "quintet.toml").rename(workplace / "moved.toml")
    answer = called("answer", "r", "max_tokens=1000")
    assert answer.code != 0
    assert "the settings that say how models are reached are gone" in answer.err
    assert str(workplace / "quintet.toml") in answer.err
    assert len(server.requests) == 1
    (workplace / "moved.toml").rename(workplace / "quintet.toml")
    assert "Second." in called("resume", "r").out + called("answer", "r", "max_tokens=1000").out


def process(folder: Path, *arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [*COMMAND, *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=folder,
        env={**os.environ, "PYTHONUTF8": "1"},
    )


def test_killed_in_the_middle_of_a_turn_only_the_request_under_way_is_made_again(
    workplace: Path, provider: str, serve: Serve
) -> None:
    """And it is said that it may have been paid."""
    gate = asyncio.Event()
    server = serve(
        [
            Says([], calls=[Call("look", {"n": 1})]),
            Says([], calls=[Call("look", {"n": 2})]),
            Says(["Ha", gate]),
            Says(["Done."]),
        ]
    )
    path = written(workplace, "flow.json", flow("one"))
    with process(workplace, "run", path, "in", "--run-id", "r", "--events") as working:
        assert working.stdout is not None
        awaited = ['"Ha"', *['"model.requested"'] * 3]  # what is under way is in the log after a moment
        for line in working.stdout:
            if found := next((text for text in awaited if text in line), None):
                awaited.remove(found)
            if not awaited:
                break
        working.send_signal(signal.SIGKILL)
    answer = called("resume", "r")
    assert (answer.code, answer.out) == (0, "Done.\n")
    assert "1 request to a model was under way when the run stopped, and may have been paid" in answer.err
    assert "made again: one" in answer.err
    bodies = [request.body for request in server.requests]
    assert len(bodies) == 4
    assert bodies[3] == bodies[2], "it is the very same request"
    keys = [request.headers.get("idempotency-key") for request in server.requests]
    assert keys[3] == keys[2] != keys[1]
    assert shown()["steps"][-1]["output"] == "Done."


def test_what_a_limit_in_money_cannot_hold_is_said_before_and_after(workplace: Path, serve: Serve) -> None:
    serve([Says()])
    answer = ran(workplace, "--max-usd", "1", agents=("one",))
    assert "whose price is not known" in answer.err
    assert "no limit in money holds it" in answer.err


def test_a_budget_holds_the_next_request_and_the_answer_lets_it_go(workplace: Path, serve: Serve) -> None:
    server = serve([Says(input=60, output=40), Says(["Second."])])
    answer = ran(workplace, "--max-tokens", "100")
    assert answer.code == 3
    assert "The run has taken 100 tokens of 100 tokens" in answer.err
    assert len(server.requests) == 1
    assert called("answer", "r", "max_tokens=1000").out == "Second.\n"


def test_branches_at_once_do_not_go_over_a_budget_together(workplace: Path, serve: Serve) -> None:
    """However long their answers are: nobody has said how long they may be."""
    server = serve(lambda request: Says(input=10, output=5000))
    answer = ran(workplace, "--max-tokens", "20000", agents=tuple("abcdefghij"), mode="fan_out")
    assert answer.code == 3
    assert len(server.requests) == 4
    assert answer.err.count("quintet answer r max_tokens=NUMBER") == 2, "in the tree, and at the end"


def test_a_later_run_goes_on_with_what_was_said(workplace: Path, serve: Serve) -> None:
    server = serve([Says(["I am Ann."]), Says(["Ann, as I said."])])
    ran(workplace, agents=("one",))
    path = str(workplace / "flow.json")
    assert called("run", path, "who?", "--continue", "r", "--run-id", "s").out == "Ann, as I said.\n"
    told = json.dumps(server.requests[1].body)
    assert told.index("one in") < told.index("I am Ann.") < told.index("one who?")
    assert called("run", path, "x", "--continue", "none").code == 2


def test_a_run_that_no_model_can_answer_is_refused_with_the_ways_to_get_one(workplace: Path) -> None:
    path = written(workplace, "flow.json", flow("one", "two"))
    nobody = called("run", path, "in")
    assert nobody.code == 2
    assert nobody.err.startswith(
        "error: no model answers for the agents here\n  ways to get one:\n    a key in"
    )
    assert nobody.err.splitlines()[-1].split() == ["stand-ins", "from", "a", "script", "--script", "FILE"]

    without_key = called("run", path, "in", "--model", "openai:gpt-5-mini")
    assert without_key.code == 2
    first, *ways = without_key.err.splitlines()
    assert first.startswith("error: 'openai:gpt-5-mini' cannot be asked: ")
    assert first.endswith("(for 'one', 'two')")
    assert ways[0] == "  ways to get one:"
    assert "\ufffd" not in nobody.err + without_key.err


def test_a_conversation_outlives_runs_that_do_not_go_on_with_it(workplace: Path, serve: Serve) -> None:
    server = serve(
        [Says(["I am Ann."]), Says(["I am Bob."]), Says(["Ann again."]), Says(["Bob, as I said."])]
    )
    ran(workplace)
    first, second = (written(workplace, f"{name}.json", flow(name)) for name in ("one", "two"))
    assert called("run", first, "x", "--continue", "r", "--run-id", "s").code == 0
    assert called("run", second, "who?", "--continue", "s", "--run-id", "t").out == "Bob, as I said.\n"
    assert "I am Bob." in json.dumps(server.requests[3].body)


def test_a_run_goes_on_with_settings_that_have_moved_and_with_another_model(
    workplace: Path, serve: Serve, provider: str
) -> None:
    server = serve([Refuses(400, "no"), Says(["Done."])])
    assert ran(workplace, agents=("one",)).code == 1
    (workplace / "quintet.toml").rename(workplace / "moved.toml")
    answer = called("retry", "r", "--config", "moved.toml", "--model", f"{provider}:n")
    assert (answer.code, answer.out) == (0, "Done.\n")
    assert f"answered by {provider}:n (from --model)" in answer.err
    assert [request.body["model"] for request in server.requests] == ["m", "n"]


def test_a_key_in_the_environment_is_enough_for_an_example_as_it_stands(
    workplace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    example = Path(__file__).parents[2] / "examples" / "openfang" / "brainstorm.json"
    with FakeOpenAI(lambda request: Says(["An idea."])).in_thread() as server:
        monkeypatch.setenv("OPENAI_API_KEY", KEY)
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        answer = called("run", str(example), "less waste", "--store", ":memory:")
    assert (answer.code, answer.out) == (0, "An idea.\n")
    assert "answered by openai:gpt-5-mini (from OPENAI_API_KEY)" in answer.err
    told = [json.dumps(request.body) for request in server.requests]
    assert len(told) == 4
    assert any("You are a writer." in one for one in told), "the agents of the examples are used"
