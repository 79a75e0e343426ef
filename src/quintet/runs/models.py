"""Models of a run: which ones answer is pinned with it; how they are reached is read anew every time."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache, partial
from pathlib import Path
from typing import Any, cast

from quintet.agents.budgets import USUAL_ANSWER, Amount, Budgets
from quintet.agents.manifest import Manifest
from quintet.agents.models.choice import EVERYONE, Candidate, Choice, Choices, NoModel
from quintet.agents.models.port import Tokens
from quintet.agents.models.prices import cost
from quintet.agents.models.providers import PROVIDERS
from quintet.agents.models.reach import Reach
from quintet.agents.models.settings import Budget, ModelSettings
from quintet.agents.roster import Roster
from quintet.agents.turn import Agent
from quintet.engine.gates import Ledger
from quintet.engine.values import Json
from quintet.project import Settings, manifests, parse_settings, read_text
from quintet.runs.pinned import Pinned, Text
from quintet.workflow import Workflow

WAYS = """ways to get one:
  a key in the environment     OPENAI_API_KEY, ANTHROPIC_API_KEY, …  (quintet model list)
  a model by its name          --model openai:gpt-5-mini, or model = "…" in quintet.toml
  one on this machine          quintet model install, or a local server such as Ollama
  stand-ins from a script      --script FILE"""


def settings_json(settings: Settings, place: Path | None) -> Json:
    """What a run keeps of the project's settings."""
    return {"file": None if place is None else str(place.absolute()), "models": settings.models.to_json()}


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

    if budget == Budget() and not settings.agent_budgets:
        return ()
    return (partial(Budgets, budget, settings.agent_budgets, estimate),)


def _estimate(pinned: Pinned, agent: Agent, told: int) -> Amount:
    """What a request will take, as far as one can tell: what it tells, and the longest answer it may get."""
    if pinned.is_offline:
        return Amount(0.0, told + USUAL_ANSWER)
    first = choices_of(pinned).plan(agent, roster_of(pinned).find(agent))[0]
    answer = cast(int, first.parameters.get("max_tokens", USUAL_ANSWER))
    return Amount(cost(first.model, Tokens(told, answer)) or 0.0, told + answer)


def roster_of(pinned: Pinned) -> Roster:
    """The agents that are defined for a run."""
    return _roster(tuple(pinned.agents))


@lru_cache(maxsize=64)
def _roster(texts: tuple[Text, ...]) -> Roster:
    return Roster(manifests((text.path, text.text) for text in texts))


def secrets_of(reach: Reach) -> Iterator[str]:
    """All that must never be shown: what the settings hold, and every key that the environment has."""
    yield from reach.secrets
    for provider in PROVIDERS.values():
        for variable in provider.keys:
            yield os.environ.get(variable, "")


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
    """Raises NoModel if an agent has no model that can be asked."""
    from quintet.agents.models.finding import lacking

    choices, reach = choices_of(pinned), reach_of(pinned)
    missing: list[str] = []
    for one in agents:
        agent, manifest = known_as(one, roster)
        if not roster.has(agent):
            continue  # a run fails where it comes to it
        if choices.of(agent, manifest) is None:
            raise NoModel(f"no model answers for the agents here\n{WAYS}")
        lacks = [lacking(reach.connection(one)) for one in choices.plan(agent, manifest)]
        if all(lacks):
            model = choices.plan(agent, manifest)[0].model
            missing.append(f"{one.shown} is to be answered for by {model}: {lacks[0]}")
    if missing:
        raise NoModel("\n".join((*missing, WAYS)))


def agents_of(workflow: Workflow) -> list[Agent]:
    """Who takes part in a workflow, each with the model that the workflow wants for it."""
    return [Agent(name, model=workflow.models.get(name)) for name in workflow.graph.agents]


def known_as(named: Agent, roster: Roster) -> tuple[Agent, Manifest | None]:
    """The agent that a workflow names, by its name or by its id."""
    by_id = Agent(id=named.name, model=named.model)
    agent = named if roster.find(named) is not None or not roster.find(by_id) else by_id
    return agent, roster.find(agent)
