"""Settings of models: what `quintet.toml` says of them.

model = "fast"                           # what is used where nothing else is said

[models.fast]                            # a name of one's own for a model, and how it is asked
model = "openai:gpt-5-mini"
temperature = 0.2
fallback = ["anthropic:claude-haiku-4-5"]

[models.house]                           # a server of one's own that speaks OpenAI's language
model = "openai-compatible:qwen3"
base_url = "http://127.0.0.1:8000/v1"
api_key = "env:HOUSE_KEY"                # the variable that holds it; or the key itself

[providers.openai]                       # for all models of a provider
concurrent = 8                           # requests at a time
requests_per_minute = 500
tokens_per_minute = 200000

[budget]                                 # of each run; when it is reached the run asks a person
max_usd = 0.50
agents = {writer = {max_tokens = 20000}}

What decides how a run goes is pinned with it.  Where a model is reached, and with which key, is read anew by
every process and recorded nowhere.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final
from urllib.parse import unquote, urlsplit

from quintet.agents.models.names import parse
from quintet.agents.models.tuning import PARAMETERS, given
from quintet.engine.values import Json
from quintet.formats.codes import UNKNOWN_VALUE
from quintet.formats.kinds import Number
from quintet.formats.report import Report
from quintet.formats.shape import TEXT, Fields, Key, ListOf, OrNull, Shape, Whole
from quintet.formats.tables import Table
from quintet.problems.wording import quoted

FROM_ENVIRONMENT: Final = "env:"
_MOST: Final = 10**9


@dataclass(frozen=True, slots=True)
class Alias:
    """A name of one's own for a model."""

    model: str
    parameters: Mapping[str, Json] = field(default_factory=dict[str, Json])
    fallback: tuple[str, ...] = ()
    """Models that are asked where this one does not answer."""


@dataclass(frozen=True, slots=True)
class Access:
    """Where a model is reached, and with what."""

    base_url: str | None = None
    api_key: str | None = field(default=None, repr=False)
    """The key, or `env:` and the variable that holds it."""
    headers: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)

    @property
    def secrets(self) -> Iterator[str]:
        """What must never be shown."""
        for text in (self.api_key, *self.headers.values()):
            if text is not None and (known := resolved(text)) is not None:
                yield known
                yield known.removeprefix("Bearer ")
        if self.base_url is not None and (password := urlsplit(self.base_url).password):
            yield password
            yield unquote(password)

    @property
    def unset(self) -> Iterator[str]:
        """Variables of the environment that are to hold a secret, and do not."""
        for text in (self.api_key, *self.headers.values()):
            if text is not None and resolved(text) is None:
                yield text.removeprefix(FROM_ENVIRONMENT)


@dataclass(frozen=True, slots=True)
class Pace:
    """How much may be asked at a time, in this process."""

    concurrent: int | None = None
    requests_per_minute: int | None = None
    tokens_per_minute: int | None = None


@dataclass(frozen=True, slots=True)
class Budget:
    """What may be spent."""

    max_usd: float | None = None
    max_tokens: int | None = None

    def to_json(self) -> dict[str, Json]:
        limits: dict[str, Json] = {"max_usd": self.max_usd, "max_tokens": self.max_tokens}
        return {name: limit for name, limit in limits.items() if limit is not None}

    @classmethod
    def from_json(cls, data: Any) -> Budget:
        return cls(**data)


@dataclass(frozen=True, slots=True)
class ModelSettings:
    """All of it."""

    default: str | None = None
    aliases: Mapping[str, Alias] = field(default_factory=dict[str, Alias])
    budget: Budget = field(default_factory=Budget)
    agent_budgets: Mapping[str, Budget] = field(default_factory=dict[str, Budget])
    access: Mapping[str, Access] = field(default_factory=dict[str, Access])
    """By the name of an alias or of a provider."""
    pace: Mapping[str, Pace] = field(default_factory=dict[str, Pace])
    """By the same names."""

    def to_json(self) -> dict[str, Json]:
        """What decides how a run goes; nothing of how a model is reached."""
        return {
            "default": self.default,
            "aliases": {
                name: {"model": alias.model, "parameters": alias.parameters, "fallback": alias.fallback}
                for name, alias in self.aliases.items()
            },
            "budget": self.budget.to_json(),
            "agent_budgets": {name: budget.to_json() for name, budget in self.agent_budgets.items()},
        }

    @classmethod
    def from_json(cls, data: Any) -> ModelSettings:
        return cls(
            data["default"],
            {
                name: Alias(alias["model"], alias["parameters"], tuple(alias["fallback"]))
                for name, alias in data["aliases"].items()
            },
            Budget.from_json(data["budget"]),
            {name: Budget.from_json(budget) for name, budget in data["agent_budgets"].items()},
        )


def resolved(text: str) -> str | None:
    """A secret as it is now: itself, or what the variable holds that it names."""
    if text.startswith(FROM_ENVIRONMENT):
        return os.environ.get(text.removeprefix(FROM_ENVIRONMENT)) or None
    return text


# --- the shape ----------------------------------------------------------------------------------------

_BASE_URL: Key[str | None] = Key("base_url", TEXT, None, "Where the model is reached.")
_API_KEY: Key[str | None] = Key("api_key", TEXT, None, "The key, or `env:` and the variable that holds it.")
_HEADERS: Key[Mapping[str, str]] = Key("headers", Table(TEXT, "a map of headers"), {}, "Sent along.")
_CONCURRENT: Key[int | None] = Key("concurrent", Whole(1, _MOST), None, "Requests at a time.")
_REQUESTS: Key[int | None] = Key("requests_per_minute", Whole(1, _MOST), None, "Requests in a minute.")
_TOKENS: Key[int | None] = Key("tokens_per_minute", Whole(1, _MOST), None, "Tokens in a minute.")
_REACH = (_BASE_URL, _API_KEY, _HEADERS, _CONCURRENT, _REQUESTS, _TOKENS)

_MODEL = Key("model", TEXT, "", "The model, as `provider:name`.", required=True)
_FALLBACK: Key[tuple[str, ...]] = Key(
    "fallback", ListOf(TEXT, "a model"), (), "Models that are asked where this one does not answer."
)
_ALIAS = Shape("a model", (_MODEL, _FALLBACK, *_REACH, *PARAMETERS))
_PROVIDER = Shape("a provider", _REACH)

_USD: Key[float | None] = Key("max_usd", Number(0), None, "US dollars that a run may cost.")
_MAX_TOKENS: Key[int | None] = Key("max_tokens", Whole(1, 10**15), None, "Tokens that a run may take.")
_OF_AGENT = Shape("the budget of an agent", (_USD, _MAX_TOKENS))
_AGENTS: Key[Mapping[str, Fields]] = Key(
    "agents", Table(_OF_AGENT, "a table of budgets"), {}, "Budgets of single agents within a run."
)
_BUDGET = Shape("the budget", (_USD, _MAX_TOKENS, _AGENTS))

DEFAULT: Final[Key[str | None]] = Key("model", TEXT, None, "What is used where nothing else is said.")
MODELS: Final[Key[Mapping[str, Fields]]] = Key(
    "models", Table(_ALIAS, "a table of models"), {}, "Models by names of your own."
)
PROVIDERS: Final[Key[Mapping[str, Fields]]] = Key(
    "providers", Table(_PROVIDER, "a table of providers"), {}, "What holds for all models of a provider."
)
BUDGET: Final[Key[Fields | None]] = Key("budget", OrNull(_BUDGET), None, "What a run may cost.")
KEYS: Final[tuple[Key[object], ...]] = (DEFAULT, MODELS, PROVIDERS, BUDGET)


def read_settings(fields: Fields, report: Report) -> ModelSettings:
    """What the settings say of models; what is wrong with them is in the report."""
    models, providers, budget = fields[MODELS], fields[PROVIDERS], fields[BUDGET]
    names = frozenset(models)
    for one in models.values():
        _check_model(one, names, report)
    if (default := fields[DEFAULT]) is not None:
        _check_known(default, names, fields.at(DEFAULT), report)
    tables = {**providers, **models}
    return ModelSettings(
        default,
        {name: Alias(one[_MODEL], given(one), one[_FALLBACK]) for name, one in models.items()},
        Budget() if budget is None else _budget(budget),
        {} if budget is None else {name: _budget(one) for name, one in budget[_AGENTS].items()},
        {name: Access(one[_BASE_URL], one[_API_KEY], one[_HEADERS]) for name, one in tables.items()},
        {name: Pace(one[_CONCURRENT], one[_REQUESTS], one[_TOKENS]) for name, one in tables.items()},
    )


def _budget(fields: Fields) -> Budget:
    return Budget(fields[_USD], fields[_MAX_TOKENS])


def _check_model(fields: Fields, names: frozenset[str], report: Report) -> None:
    if not fields.wrong(_MODEL) and parse(fields[_MODEL]) is None:
        message = f"{quoted(fields[_MODEL])} names no provider"
        report.add(UNKNOWN_VALUE, message, fields.at(_MODEL), "write it as provider:name")
    for other in fields[_FALLBACK]:
        _check_known(other, names, fields.at(_FALLBACK), report)


def _check_known(name: str, names: frozenset[str], at: Any, report: Report) -> None:
    if name not in names and parse(name) is None:
        known = f"one of [models] ({', '.join(sorted(names))}), or" if names else ""
        report.add(
            UNKNOWN_VALUE, f"{quoted(name)} is no model", at, f"give {known} provider:name".replace("  ", " ")
        )
