"""What quintet.toml says of models is read strictly, and nothing that is secret is recorded."""

from __future__ import annotations

import pytest

from quintet.agents.models.settings import Access, Alias, Budget, ModelSettings, Pace
from quintet.engine.values import encode
from quintet.formats.invalid import InvalidFile
from quintet.project import parse_settings

WHOLE = """
model = "fast"

[models.fast]
model = "openai:gpt-5-mini"
temperature = 0.2
stop = ["END"]
extra = {service_tier = "flex"}
fallback = ["house", "anthropic/claude-haiku-4-5"]

[models.house]
model = "openai-compatible:qwen3"
base_url = "http://127.0.0.1:8000/v1"
api_key = "sk-very-secret"
headers = {Authorization = "Bearer tok-en-secret"}
concurrent = 2

[providers.openai]
concurrent = 8
requests_per_minute = 500
tokens_per_minute = 200000

[budget]
max_usd = 0.5
agents = {writer = {max_tokens = 20000}}
"""


def read(text: str) -> ModelSettings:
    return parse_settings(text).models


def problems(text: str) -> list[str]:
    with pytest.raises(InvalidFile) as invalid:
        read(text)
    return [f"{problem.place.line}: {problem.message} ({problem.hint})" for problem in invalid.value.problems]


def test_everything_that_can_be_said_of_models_is_read() -> None:
    settings = read(WHOLE)
    assert settings.default == "fast"
    assert settings.aliases["fast"] == Alias(
        "openai:gpt-5-mini",
        {"temperature": 0.2, "stop": ["END"], "extra": {"service_tier": "flex"}},
        ("house", "anthropic/claude-haiku-4-5"),
    )
    assert settings.access["house"].base_url == "http://127.0.0.1:8000/v1"
    assert settings.pace["openai"] == Pace(8, 500, 200_000)
    assert settings.pace["house"] == Pace(2)
    assert settings.budget == Budget(max_usd=0.5)
    assert settings.agent_budgets == {"writer": Budget(max_tokens=20_000)}


def test_what_is_pinned_with_a_run_is_what_was_read_but_for_how_models_are_reached() -> None:
    settings = read(WHOLE)
    pinned = ModelSettings.from_json(settings.to_json())
    assert pinned == ModelSettings(
        settings.default, settings.aliases, settings.budget, settings.agent_budgets, {}, {}
    )


def test_no_secret_is_in_what_is_pinned_or_shown() -> None:
    settings = read(WHOLE)
    for text in (encode(settings.to_json()), repr(settings)):
        assert "secret" not in text
        assert "127.0.0.1" not in encode(settings.to_json())


def test_secrets_are_known_with_and_without_what_stands_before_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOUSE_KEY", "from-the-house")
    access = Access(None, "env:HOUSE_KEY", {"Authorization": "Bearer abc", "X": "env:NOT_SET_ANYWHERE"})
    assert set(access.secrets) == {"from-the-house", "Bearer abc", "abc"}
    assert set(access.unset) == {"NOT_SET_ANYWHERE"}


def test_a_password_in_an_address_is_a_secret() -> None:
    assert set(Access("http://ann:p%40ss-word@127.0.0.1/v1").secrets) == {"p%40ss-word", "p@ss-word"}


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ('model = "fsat"\n[models.fast]\nmodel = "openai:m"', "1: 'fsat' is no model"),
        ('[models.fast]\nmodel = "gpt-5"', "2: 'gpt-5' names no provider (write it as provider:name)"),
        ("[models.fast]\ntemperature = 1", "1: a model needs the key 'model'"),
        (
            '[models.fast]\nmodel = "openai:m"\ntemprature = 1',
            "3: a model has no key 'temprature' (did you mean 'temperature'?)",
        ),
        ('[models.fast]\nmodel = "openai:m"\nfallback = ["x"]', "3: 'x' is no model"),
        ('[models.fast]\nmodel = "openai:m"\nextra = 5', "3: 'extra' must be a table"),
        ("[budget]\nmax_usd = -1", "2: 'max_usd' must be at least 0, and is -1"),
        ('[providers.openai]\nconcurrent = "8"', "2: 'concurrent' must be a whole number, and is a text"),
        ("[budget.agents.writer]\nmax_euro = 1", "2: the budget of an agent has no key 'max_euro'"),
    ],
)
def test_what_is_wrong_is_told_with_its_line_and_a_suggestion(text: str, problem: str) -> None:
    assert any(one.startswith(problem.removesuffix(")")) for one in problems(text)), problems(text)
