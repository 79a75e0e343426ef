"""Which model answers: what is said closest to the call goes first, and the reason is told."""

from __future__ import annotations

import pytest

from quintet.agents.manifest import Manifest, Model
from quintet.agents.models.choice import EVERYONE, Choice, Choices, NoModel
from quintet.agents.models.names import ModelName
from quintet.agents.models.reach import Reach
from quintet.agents.models.remote import check
from quintet.agents.models.settings import Access, Alias, ModelSettings
from quintet.agents.turn import Agent

WRITER = Manifest("writer", model=Model("groq", "llama", max_tokens=90, api_key_env="OWN_KEY"))
FOUND = Choice("ollama:qwen", "Ollama at 127.0.0.1:11434")

LADDER: list[tuple[dict[str, str], str | None, Manifest | None, str | None, str, str]] = [
    ({"writer": "a:1", EVERYONE: "b:2"}, "w:3", WRITER, "d:4", "a:1", "--model writer="),
    ({EVERYONE: "b:2"}, "w:3", WRITER, "d:4", "b:2", "--model"),
    ({"other": "a:1"}, "w:3", WRITER, "d:4", "w:3", "the workflow"),
    ({}, None, WRITER, "d:4", "groq:llama", "the agent"),
    ({}, None, None, "d:4", "d:4", "quintet.toml"),
    ({}, None, Manifest("writer"), None, "ollama:qwen", "Ollama at 127.0.0.1:11434"),
]


@pytest.mark.parametrize(("given", "workflow", "manifest", "default", "model", "because"), LADDER)
def test_what_is_said_closest_to_the_call_goes_first(
    given: dict[str, str],
    workflow: str | None,
    manifest: Manifest | None,
    default: str | None,
    model: str,
    because: str,
) -> None:
    choices = Choices(given, ModelSettings(default), FOUND)
    assert choices.of(Agent("writer", model=workflow), manifest) == Choice(model, because)


def test_without_anything_there_is_no_model() -> None:
    assert Choices().of(Agent("writer")) is None
    with pytest.raises(NoModel, match="writer"):
        Choices().plan(Agent("writer"))


def test_a_copy_is_looked_up_under_its_own_name_and_then_under_the_agents() -> None:
    choices = Choices({"mapper": "a:1", "mapper_1": "b:2"})
    models = [choices.of(Agent(f"mapper_{number}", copy_of="mapper")) for number in (0, 1)]
    assert [one and one.model for one in models] == ["a:1", "b:2"]


def test_a_name_of_the_project_brings_its_parameters_and_who_is_asked_otherwise() -> None:
    fast = Alias("openai:gpt-5-mini", {"temperature": 0.2, "max_tokens": 500}, ("anthropic:haiku", "slow"))
    settings = ModelSettings("fast", {"fast": fast, "slow": Alias("openai:gpt-5")})
    plan = Choices(settings=settings).plan(Agent("writer", parameters={"temperature": 1.0}))
    assert [str(one.model) for one in plan] == ["openai:gpt-5-mini", "anthropic:haiku", "openai:gpt-5"]
    assert plan[0].parameters == {"temperature": 1.0, "max_tokens": 500}
    assert plan[1].parameters == {"temperature": 1.0}


def test_a_manifest_that_names_a_model_alone_means_anthropics() -> None:
    manifest = Manifest("writer", model=Model("", "claude-haiku-4-5"))
    assert str(Choices().plan(Agent("writer"), manifest)[0].model) == "anthropic:claude-haiku-4-5"


def test_a_manifest_says_where_its_own_model_is_and_not_where_another_one_is(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("OWN_KEY", "its-own-key")
    manifest = Manifest(
        "w", model=Model("openai", "m", base_url="http://127.0.0.1:1/v1", api_key_env="OWN_KEY")
    )
    own = Reach().connection(Choices().plan(Agent("w"), manifest)[0])
    assert (own.base_url, own.api_key) == ("http://127.0.0.1:1/v1", "its-own-key")
    other = Reach().connection(Choices({EVERYONE: "groq:m"}).plan(Agent("w"), manifest)[0])
    assert (other.base_url, other.api_key) == (None, None)


def test_what_is_no_model_is_refused_with_what_it_may_mean() -> None:
    settings = ModelSettings(aliases={"fast": Alias("openai:m")})
    with pytest.raises(NoModel, match="did you mean 'fast'"):
        Choices({EVERYONE: "fsat"}, settings).plan(Agent("writer"))
    with pytest.raises(NoModel, match="provider:name"):
        Choices({EVERYONE: "gpt-5"}).plan(Agent("writer"))


def test_a_key_that_is_not_there_is_missed_and_no_other_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    """The provider's own key is not meant for every place that speaks its language."""
    monkeypatch.setenv("OPENAI_API_KEY", "the-key-of-openai")
    monkeypatch.delenv("GATEWAY_KEY", raising=False)
    reach = Reach({"openai": Access("http://gateway.test/v1", "env:GATEWAY_KEY")})
    connection = reach.connection(Choices({EVERYONE: "openai:m"}).plan(Agent("w"))[0])
    assert "set GATEWAY_KEY" in str(check(connection))
    monkeypatch.setenv("GATEWAY_KEY", "the-key-of-the-gateway")
    connection = reach.connection(Choices({EVERYONE: "openai:m"}).plan(Agent("w"))[0])
    assert (connection.api_key, check(connection)) == ("the-key-of-the-gateway", None)


def test_how_a_model_is_reached_is_said_closest_to_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TEAM", "blue")
    monkeypatch.delenv("NOBODY", raising=False)
    reach = Reach(
        {
            "fast": Access("http://fast", None, {"X-Team": "env:TEAM", "X-None": "env:NOBODY"}),
            "openai": Access("http://all", "the-key-of-all", {"X-Team": "red", "X-All": "yes"}),
        }
    )
    settings = ModelSettings("fast", {"fast": Alias("openai:m")})
    connection = reach.connection(Choices(settings=settings).plan(Agent("w"))[0])
    assert connection.model == ModelName("openai", "m")
    assert (connection.base_url, connection.api_key) == ("http://fast", "the-key-of-all")
    assert connection.headers == {"X-Team": "blue", "X-All": "yes"}
    assert connection.unset == ("NOBODY",)
    assert "the-key-of-all" in reach.secrets
    assert "blue" in reach.secrets
    assert "the-key-of-all" not in repr((reach, connection))


def test_a_manifest_names_who_is_asked_where_its_own_model_does_not_answer() -> None:
    manifest = Manifest(
        "w", model=Model("a", "1"), fallback=(Model("b", "2", temperature=0.5), Model("", "haiku"))
    )
    plan = Choices().plan(Agent("w"), manifest)
    assert [str(one.model) for one in plan] == ["a:1", "b:2", "anthropic:haiku"]
    assert plan[1].parameters == {"temperature": 0.5}
    assert len(Choices({EVERYONE: "c:3"}).plan(Agent("w"), manifest)) == 1, "another model has no fallback"


def test_an_agent_known_by_its_id_has_the_model_that_its_name_was_given() -> None:
    choices = Choices({"writer": "a:1", EVERYONE: "b:2"})
    by_id = Agent(id="0b5c1f4e-1f0e-4d3a-9b51-2f1c8f6f3a11")
    assert choices.of(by_id, WRITER) == Choice("a:1", "--model writer=")
    assert choices.of(by_id, None) == Choice("b:2", "--model")


def test_a_model_of_the_fallback_brings_its_own_and_none_is_asked_twice() -> None:
    aliases = {"a": Alias("p:a", {}, ("b", "p:z")), "b": Alias("p:b", {}, ("a", "p:c"))}
    plan = Choices({EVERYONE: "a"}, ModelSettings(aliases=aliases)).plan(Agent("w"))
    assert [one.model.name for one in plan] == ["a", "b", "c", "z"]
    assert [one.others_follow for one in plan] == [True, True, True, False]
