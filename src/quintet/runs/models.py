"""Models of a run: which ones answer is pinned with it; how they are reached is read anew every time."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache, partial
from pathlib import Path
from typing import Any, Final, cast

from quintet.agents.budgets import LONG_ANSWER, Amount, Budgets
from quintet.agents.manifest import Manifest
from quintet.agents.models.choice import EVERYONE, Candidate, Choice, Choices, NoModel, access_of
from quintet.agents.models.port import Tokens
from quintet.agents.models.prices import cost
from quintet.agents.models.providers import PROVIDERS
from quintet.agents.models.reach import Reach
from quintet.agents.models.settings import Access, Budget, ModelSettings
from quintet.agents.roster import Roster
from quintet.agents.turn import Agent
from quintet.engine.failures import EngineError
from quintet.engine.gates import Ledger
from quintet.engine.values import Json
from quintet.problems.wording import did_you_mean, quoted
from quintet.project import Settings, manifests, parse_settings, read_text
from quintet.runs.pinned import Pinned, Text
from quintet.workflow import Workflow

WAYS = (
    "ways to get one:",
    "  a key in the environment     OPENAI_API_KEY, ANTHROPIC_API_KEY, …  (quintet model list)",
    '  a model by its name          --model openai:gpt-5-mini, or model = "…" in quintet.toml',
    "  one on this machine          quintet model install, or a local server such as Ollama",
    "  stand-ins from a script      --script FILE",
)


NOBODY: Final = Roster()


class NoSettings(EngineError):
    """A run cannot ask its models, because the project's settings are not where they were."""

    code = "no-settings"


def settings_json(settings: Settings, place: Path | None) -> Json:
    """What a run keeps of the project's settings."""
    said: dict[str, Json] = {
        "file": None if place is None else str(place.absolute()),
        "models": settings.models.to_json(),
    }
    return {**said, "reaches": True} if any(map(_says, settings.models.access.values())) else said


def choices_of(pinned: Pinned) -> Choices:
    """What decides which model answers in a run."""
    settings: Any = pinned.settings
    models = ModelSettings() if settings is None else ModelSettings.from_json(settings["models"])
    return Choices(pinned.models, models, None if pinned.found is None else Choice.from_json(pinned.found))


def project_of(pinned: Pinned) -> Settings:
    """What the project says now.  Raises InvalidFile."""
    settings: Any = pinned.settings
    if settings is None or settings["file"] is None or not Path(settings["file"]).is_file():
        return Settings()
    return parse_settings(read_text(Path(settings["file"])), settings["file"])


def reach_of(pinned: Pinned) -> Reach:
    """How models are reached, as the project says it now.  Raises InvalidFile."""
    models = project_of(pinned).models
    return Reach(models.access, models.pace)


def certain_reach_of(pinned: Pinned) -> Reach:
    """The same for whoever asks them.  Raises InvalidFile, NoSettings.

    Where the settings that said it are gone, no other place is asked in their stead, with another key.
    """
    settings: Any = pinned.settings
    if settings is not None and settings.get("reaches") and not Path(settings["file"]).is_file():
        raise NoSettings(
            f"the settings that say how models are reached are gone from {settings['file']}: "
            "give them with --config FILE"
        )
    return reach_of(pinned)


def planned_of(pinned: Pinned) -> Callable[[Agent], Candidate | None]:
    """Which model is asked first for an agent; none where a script answers."""
    if pinned.is_offline:
        return lambda agent: None
    choices, roster = choices_of(pinned), roster_of(pinned)

    def planned(agent: Agent) -> Candidate | None:
        manifest = roster.find(agent)
        return None if choices.of(agent, manifest) is None else choices.plan(agent, manifest)[0]

    return planned


def budgets_of(pinned: Pinned) -> tuple[Callable[[], Ledger], ...]:
    """What keeps a run within what it may cost, as the call says, or else the project."""
    settings = choices_of(pinned).settings
    budget = Budget.from_json({**settings.budget.to_json(), **pinned.budget})

    def estimate(agent: Agent, told: int) -> Amount:
        return _estimate(pinned, agent, told)

    def name(agent: Agent) -> str:
        return roster_of(pinned).known(agent).shown

    if budget == Budget() and not settings.agent_budgets:
        return ()
    return (partial(Budgets, budget, settings.agent_budgets, estimate, name),)


def _estimate(pinned: Pinned, agent: Agent, told: int) -> Amount:
    """What a request will take, as far as one can tell: what it tells, and the longest answer it may get."""
    if pinned.is_offline:
        return Amount(0.0, told + LONG_ANSWER)
    plan = choices_of(pinned).plan(agent, roster_of(pinned).find(agent))
    answers = [cast(int, one.parameters.get("max_tokens", LONG_ANSWER)) for one in plan]
    prices = [cost(one.model, Tokens(told, answer)) for one, answer in zip(plan, answers, strict=True)]
    return Amount(max(price or 0.0 for price in prices), told + max(answers))


def roster_of(pinned: Pinned) -> Roster:
    """The agents that are defined for a run."""
    return _roster(tuple(pinned.agents))


@lru_cache(maxsize=64)
def _roster(texts: tuple[Text, ...]) -> Roster:
    return Roster(manifests((text.path, text.text) for text in texts))


def secrets_of(reach: Reach, roster: Roster = NOBODY) -> Iterator[str]:
    """All that must never be shown: what settings and agents hold, and every key that the environment has."""
    yield from reach.secrets
    for manifest in roster.manifests:
        for model in (manifest.model, *manifest.fallback):
            yield from access_of(model).secrets
    for provider in PROVIDERS.values():
        for variable in provider.keys:
            yield os.environ.get(variable, "")


def _says(access: Access) -> bool:
    return access != Access()


def named(model: str | Mapping[str, str] | None) -> Mapping[str, str]:
    """Models as a call names them, by agent; one alone is meant for every agent."""
    if model is None:
        return {}
    return {EVERYONE: model} if isinstance(model, str) else model


def with_models(pinned: Pinned, agents: Sequence[Agent]) -> Pinned:
    """The same, with what is found on this machine where an agent has no other model.  Raises NoModel."""
    choices, roster = choices_of(pinned), roster_of(pinned)
    if not all(choices.of(*known_as(agent, roster)) for agent in agents):
        from quintet.agents.models.finding import found

        here = found()
        pinned = pinned if here is None else replace(pinned, found=here.to_json())
    _check(pinned, agents, roster)
    return pinned


def told(pinned: Pinned, agents: Sequence[Agent]) -> str:
    """Which models answer, and why those: `openai:gpt-5-mini (from OPENAI_API_KEY)`."""
    if pinned.is_offline:
        return ""
    choices, roster = choices_of(pinned), roster_of(pinned)
    found = [choice for agent in agents if (choice := choices.of(*known_as(agent, roster)))]
    shown = list(dict.fromkeys(f"{one.model} (from {one.because})" for one in found))
    return ", ".join(shown[:2]) + (f", and {len(shown) - 2} more" if len(shown) > 2 else "")


def unpriced(pinned: Pinned, agents: Sequence[Agent]) -> Sequence[str]:
    """Models of a run that is to cost no more than so much, whose price nobody knows."""
    choices, roster = choices_of(pinned), roster_of(pinned)
    budgets = (
        Budget.from_json(pinned.budget),
        choices.settings.budget,
        *choices.settings.agent_budgets.values(),
    )
    if pinned.is_offline or all(budget.max_usd is None for budget in budgets):
        return ()
    plans = (choices.plan(*known_as(agent, roster)) for agent in agents)
    models = dict.fromkeys(candidate.model for plan in plans for candidate in plan)
    return [str(model) for model in models if cost(model, Tokens(1, 1)) is None]


def _check(pinned: Pinned, agents: Sequence[Agent], roster: Roster) -> None:
    """Raises NoModel if an agent has no model that can be asked, or if one is named that is not there."""
    from quintet.agents.models.finding import lacking

    known = {EVERYONE, *(one.shown for one in agents), *roster.names}
    choices, reach = choices_of(pinned), reach_of(pinned)
    if unheard := [_unheard_of(name, known) for name in choices.given if name not in known]:
        raise NoModel("; ".join(unheard))
    missing: dict[str, list[str]] = {}
    for one in agents:
        agent, manifest = known_as(one, roster)
        if not roster.has(agent):
            continue  # a run fails where it comes to it
        if choices.of(agent, manifest) is None:
            raise NoModel("no model answers for the agents here", *WAYS)
        lacks = [lacking(reach.connection(one)) for one in choices.plan(agent, manifest)]
        if all(lacks):
            model = choices.plan(agent, manifest)[0].model
            why = f"{quoted(str(model))} cannot be asked: {lacks[0]}"
            missing.setdefault(why, []).append(quoted(one.shown))
    if missing:
        raise NoModel(*(f"{why} (for {', '.join(names[:3])})" for why, names in missing.items()), *WAYS)


def _unheard_of(name: str, known: Collection[str]) -> str:
    close = did_you_mean(name, [one for one in known if one])
    return f"--model names {quoted(name)}, and no agent is called so" + (f"; {close}" if close else "")


def agents_of(workflow: Workflow) -> list[Agent]:
    """Who takes part in a workflow, each with the model that the workflow wants for it."""
    return [Agent(name, model=workflow.models.get(name)) for name in workflow.graph.agents]


def known_as(named: Agent, roster: Roster) -> tuple[Agent, Manifest | None]:
    """The agent that a workflow names, by its name or by its id."""
    by_id = Agent(id=named.name, model=named.model)
    agent = named if roster.find(named) is not None or not roster.find(by_id) else by_id
    return agent, roster.find(agent)
