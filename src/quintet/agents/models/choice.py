"""Choice: which model answers for an agent, and why that one.

What is said most closely to the call goes first: `--model AGENT=…`, `--model …`, the workflow, the agent, the
project, and last what was found on the machine when the run began: a key, a local server, the offline model.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

from quintet.agents.manifest import Manifest
from quintet.agents.manifest import Model as Wanted
from quintet.agents.models.names import ModelName, parse
from quintet.agents.models.settings import FROM_ENVIRONMENT, Access, Alias, ModelSettings
from quintet.agents.models.tuning import merged
from quintet.agents.turn import Agent
from quintet.engine.failures import EngineError
from quintet.engine.values import Json
from quintet.problems.wording import did_you_mean, quoted

OFFLINE: Final = "offline"
"""The provider of the model that runs in this process."""
EVERYONE: Final = ""
"""The name under which a model is given for every agent."""
USUAL_PROVIDER: Final = "anthropic"
"""Whose model an OpenFang manifest means that names none."""


class NoModel(EngineError):
    """There is no model to ask, and what may be done about it, a line each."""

    code = "no-model"

    def __init__(self, message: str, *ways: str) -> None:
        super().__init__("\n".join((message, *ways)))
        self.message = message
        self.ways = ways


@dataclass(frozen=True, slots=True)
class Choice:
    """A model, and why."""

    model: str
    """`provider:name`, or a name that the project has for one."""
    because: str
    """What led to it, to be read behind `from`: `--model`, `quintet.toml`, `OPENAI_API_KEY`."""

    def to_json(self) -> dict[str, Json]:
        return {"model": self.model, "because": self.because}

    @classmethod
    def from_json(cls, data: Any) -> Choice:
        return cls(data["model"], data["because"])


@dataclass(frozen=True, slots=True)
class Candidate:
    """A model that may be asked, and how."""

    model: ModelName
    parameters: Mapping[str, Json]
    keys: tuple[str, ...]
    """The names under which the settings say how it is reached, the closest first."""
    own: Access = field(default_factory=Access)
    """What the agent itself says of that."""
    others_follow: bool = False
    """Whether another one is asked where this one does not answer."""
    because: str = ""
    """What led to it."""


@dataclass(frozen=True, slots=True)
class Choices:
    """All that decides which model answers."""

    given: Mapping[str, str] = field(default_factory=dict[str, str])
    """What a call has named, by agent."""
    settings: ModelSettings = field(default_factory=ModelSettings)
    found: Choice | None = None
    """What was found on the machine."""

    def of(self, agent: Agent, manifest: Manifest | None = None) -> Choice | None:
        """The model that answers for an agent."""
        return next(self._candidates_for(agent, manifest), None)

    def plan(self, agent: Agent, manifest: Manifest | None = None) -> list[Candidate]:
        """Whom to ask, one after the other until one answers.  Raises NoModel."""
        choice = self.of(agent, manifest)
        if choice is None:
            raise NoModel(f"no model answers for the agent {quoted(agent.shown)}")
        wanted = manifest.model if manifest is not None else Wanted()
        own = merged(agent.parameters, _of_manifest(wanted))
        models = self._with_fallback(choice.model)
        candidates = [self._candidate(model, own, choice.because) for model in models]
        if manifest is not None and choice.because == _BY_AGENT:
            candidates[0] = _reached(candidates[0], wanted)
            candidates += map(self._of_its_own, manifest.fallback)
        return [*(replace(one, others_follow=True) for one in candidates[:-1]), candidates[-1]]

    def _candidates_for(self, agent: Agent, manifest: Manifest | None) -> Iterator[Choice]:
        own_name = manifest.name if manifest is not None else None
        for name in (agent.name, agent.id, own_name, agent.copy_of):
            if name and name in self.given:
                yield Choice(self.given[name], f"--model {name}=")
        if EVERYONE in self.given:
            yield Choice(self.given[EVERYONE], "--model")
        if agent.model:
            yield Choice(agent.model, "the workflow")
        if manifest is not None and (own := _named(manifest.model)):
            yield Choice(own, _BY_AGENT)
        if self.settings.default is not None:
            yield Choice(self.settings.default, "quintet.toml")
        if self.found is not None:
            yield self.found

    def _with_fallback(self, model: str) -> list[str]:
        """A model and those that are asked in its stead, with theirs; each once."""
        found, next_ones = list[str](), [model]
        while next_ones:
            name = next_ones.pop(0)
            if name not in found:
                found.append(name)
                alias = self.settings.aliases.get(name)
                next_ones = [*(alias.fallback if alias is not None else ()), *next_ones]
        return found

    def _of_its_own(self, wanted: Wanted) -> Candidate:
        """A model that a manifest names beside its first."""
        return _reached(self._candidate(_named(wanted), _of_manifest(wanted), _BY_AGENT), wanted)

    def _candidate(self, name: str, own: Mapping[str, Json], because: str) -> Candidate:
        alias = self.settings.aliases.get(name) or Alias(name)
        model = parse(alias.model)
        if model is None:
            hint = did_you_mean(name, self.settings.aliases) or "write it as provider:name"
            raise NoModel(f"{quoted(name)} (from {because}) is no model: {hint}")
        return Candidate(model, merged(own, alias.parameters), (name, model.provider), because=because)


_BY_AGENT: Final = "the agent"


def _named(wanted: Wanted) -> str:
    """What a manifest names; empty where it leaves the model to the place."""
    if not wanted.name:
        return ""
    if wanted.provider:
        return str(ModelName(wanted.provider, wanted.name))
    return wanted.name if parse(wanted.name) else str(ModelName(USUAL_PROVIDER, wanted.name))


def _of_manifest(wanted: Wanted) -> dict[str, Json]:
    said: dict[str, Json] = {"max_tokens": wanted.max_tokens, "temperature": wanted.temperature}
    return {name: value for name, value in said.items() if value is not None}


def access_of(wanted: Wanted) -> Access:
    """How a manifest says that its model is reached."""
    key = f"{FROM_ENVIRONMENT}{wanted.api_key_env}" if wanted.api_key_env else None
    return Access(wanted.base_url, key)


def _reached(candidate: Candidate, wanted: Wanted) -> Candidate:
    """As the manifest says."""
    return replace(candidate, own=access_of(wanted))
