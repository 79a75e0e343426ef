"""Budgets: what a run may cost, in money and in tokens, in all and for single agents.

A request is let through as long as the limit is not reached.  What requests under way will take is reserved,
as far as one can tell: where it may be too much for all of them, they go one after the other, so a run goes
over its limit by no more than one answer.  When the limit is reached the run asks a person, once, how much it
may take in all, and every request waits for the answer.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal, NamedTuple, TypeAlias, cast

from quintet.agents.models.settings import Budget
from quintet.agents.turn import Agent
from quintet.engine.gates import Gate, Go, Wait
from quintet.engine.paths import Path
from quintet.engine.questions import Field, Question
from quintet.engine.touches import Outcome, Touch
from quintet.engine.values import Json

Measure: TypeAlias = Literal["max_usd", "max_tokens"]

LONG_ANSWER: Final = 16_384
"""So many tokens an answer may take, where its agent has no limit of its own: most models stop there.

A smaller guess would let branches at once go over a limit together, which one more at a time does not.
"""


class Amount(NamedTuple):
    """Money and tokens."""

    usd: float = 0.0
    tokens: int = 0

    def __add__(self, other: Amount) -> Amount:  # pyright: ignore[reportIncompatibleMethodOverride]: a sum
        return Amount(self.usd + other.usd, self.tokens + other.tokens)

    def of(self, measure: Measure) -> float:
        return self.usd if measure == "max_usd" else self.tokens


NOTHING: Final = Amount()
Estimate: TypeAlias = Callable[[Agent, int], Amount]
"""What a request of an agent will take that tells its model so many tokens."""
Name: TypeAlias = Callable[[Agent], str]
"""What an agent is called that a workflow may know by its id only."""


def as_said(agent: Agent) -> str:
    """What the workflow calls it."""
    return agent.shown


@dataclass(slots=True)
class _Account:
    """What was spent, and what is reserved."""

    spent: Amount = NOTHING
    reserved: dict[Path, Amount] = field(default_factory=dict[Path, Amount])

    def promised(self, measure: Measure) -> float:
        return self.spent.of(measure) + sum(one.of(measure) for one in self.reserved.values())


class _Limit(NamedTuple):
    measure: Measure
    agent: str | None
    most: float

    @property
    def key(self) -> str:
        return self.measure if self.agent is None else f"{self.agent} {self.measure}"


class Budgets:
    """The budgets of one run: the ledger in which they are kept."""

    def __init__(
        self, run: Budget, agents: Mapping[str, Budget], estimate: Estimate, name: Name = as_said
    ) -> None:
        self._limits = [*_limits(run, None), *(one for name in agents for one in _limits(agents[name], name))]
        self._estimate, self._name = estimate, name
        self._accounts: dict[str | None, _Account] = {}
        self._askers: dict[Path, str] = {}
        self._told: dict[Path, int] = {}
        """How many tokens the last request of a turn was told, and gave."""

    def __call__(self, touch: Touch, answers: Mapping[str, Json]) -> Gate | Wait | None:
        if touch.kind != "model" or touch.path in self._askers:
            return None
        request = cast("Mapping[str, Any]", touch.request)
        agent = Agent.from_json(request["agent"])
        who, need = self._name(agent), self._need(touch, agent)
        limits = [one for one in self._limits if one.agent in (None, who)]
        for limit in limits:
            account = self._account(limit.agent)
            most = _raised(limit, answers)
            if account.spent.of(limit.measure) >= most:
                return _gate(limit, account.spent, most, answers)
            if account.reserved and account.promised(limit.measure) + need.of(limit.measure) > most:
                return Wait()
        for name in {limit.agent for limit in limits}:
            self._account(name).reserved[touch.path] = need
        self._askers[touch.path] = who
        return None

    def learn(self, outcome: Outcome) -> None:
        if outcome.kind != "model":
            return
        self._release(outcome.path)
        said: Any = outcome.value if outcome.failure is None else outcome.failure.detail
        if not isinstance(said, Mapping) or "usage" not in said:
            return
        usage = cast("Mapping[str, Any]", said)
        tokens = usage["usage"]["input"] + usage["usage"]["output"]
        spent = Amount(usage.get("cost_usd") or 0.0, tokens)
        self._told[outcome.path[:-1]] = tokens
        who = self._askers.pop(outcome.path, None) or _name(usage)
        for name in (None, who):
            account = self._account(name)
            account.spent += spent

    def leave(self, touch: Touch) -> None:
        self._release(touch.path)
        self._askers.pop(touch.path, None)

    def _release(self, path: Path) -> None:
        for account in self._accounts.values():
            account.reserved.pop(path, None)

    def _account(self, name: str | None) -> _Account:
        return self._accounts.setdefault(name, _Account())

    def _need(self, touch: Touch, agent: Agent) -> Amount:
        return self._estimate(agent, len(touch.text) // 4 + self._told.get(touch.path[:-1], 0))


def _limits(budget: Budget, agent: str | None) -> Sequence[_Limit]:
    found: list[_Limit] = []
    if budget.max_usd is not None:
        found.append(_Limit("max_usd", agent, budget.max_usd))
    if budget.max_tokens is not None:
        found.append(_Limit("max_tokens", agent, budget.max_tokens))
    return found


def _raised(limit: _Limit, answers: Mapping[str, Json]) -> float:
    """The limit, as people have raised it."""
    said = [
        cast("Mapping[str, float]", answer)[limit.measure]
        for name, answer in answers.items()
        if _is_about(limit, name)
    ]
    return max([limit.most, *said])


def _gate(limit: _Limit, spent: Amount, most: float, answers: Mapping[str, Json]) -> Gate:
    """The question how much it may be in all; numbered, because what was raised may be reached again."""
    asked = sum(_is_about(limit, name) for name in answers)
    who = "The run" if limit.agent is None else f"The agent {limit.agent}"
    prompt = f"{who} has taken {_shown(limit.measure, spent.of(limit.measure))} of "
    prompt += f"{_shown(limit.measure, most)}. How much may it take in all?"
    kind: Literal["number", "integer"] = "number" if limit.measure == "max_usd" else "integer"
    question = Question(prompt, (Field(limit.measure, kind),))
    key = limit.key if not asked else f"{limit.key} #{asked + 1}"
    return Gate(key, question, lambda _: Go(), shared=True)


def _is_about(limit: _Limit, name: str) -> bool:
    """Whether a gate of this name asks about the limit."""
    if not name.startswith("?"):
        return False
    key, _, number = name[1:].partition(" #")
    return key == limit.key and (not number or number.isdecimal())


def _shown(measure: Measure, amount: float) -> str:
    return _dollars(amount) if measure == "max_usd" else f"{int(amount):,} tokens"


def _dollars(amount: float) -> str:
    """With as many digits as matter: `$0.0041`, `$0.50`."""
    digits = 2 if amount <= 0 or amount >= 1 else max(2, 1 - math.floor(math.log10(amount)))
    return f"${amount:,.{digits}f}"


def _name(said: Mapping[str, Any]) -> str | None:
    """Who has answered, as the log tells it."""
    agent = cast("Mapping[str, str]", said.get("agent", {}))
    return agent.get("name") or agent.get("id")
