"""A run is asked about, once, when it has taken what it may; branches at once do not overshoot together."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any, cast

from hypothesis import given
from hypothesis import strategies as st

from quintet.agents.budgets import Amount, Budgets
from quintet.agents.models.settings import Budget
from quintet.agents.turn import VERSION, Agent, Answer, turn
from quintet.engine.combinators import gather
from quintet.engine.context import Context
from quintet.engine.gates import Ledger
from quintet.engine.performing import Call
from quintet.engine.programs import Program
from quintet.engine.questions import Asked
from quintet.engine.rules import Rules
from quintet.engine.values import Json
from quintet.testing import NOBODY, Crash, Fault, Later, MemoryHost


def estimate(agent: Agent, told: int) -> Amount:
    return Amount(0.0, 100)


def within(run: Budget = Budget(), **agents: Budget) -> Rules:  # noqa: B008 - it is frozen
    make = partial(Budgets, run, agents, estimate)
    return Rules(ledgers=(cast("type[Ledger]", make),))


def world(call: Call) -> object:
    """Each answer takes 100 tokens and 10 cents, and ten seconds."""
    agent = cast("Mapping[str, Any]", call.request)["agent"]
    usage: Json = {"input": 60, "output": 40}
    message: Json = {"role": "assistant", "text": "said"}
    return Later(10.0, {"agent": agent, "message": message, "usage": usage, "cost_usd": 0.1})


async def go(ctx: Context) -> Answer:
    return await turn(ctx, Agent("ann"), "go")


async def in_a_row(ctx: Context, arguments: Json) -> Json:
    for number in range(cast(int, arguments)):
        await ctx.branch(f"step {number}", go)
    return "done"


async def at_once(ctx: Context, arguments: Json) -> Json:
    await gather(ctx, [(f"branch {number}", go) for number in range(cast(int, arguments))])
    return "done"


ROW = Program("row", in_a_row, (VERSION,))
ONCE = Program("once", at_once, (VERSION,))


def asked_tokens(host: MemoryHost) -> int:
    return sum(call.kind == "model" for call in host.performed) * 100


def test_a_run_that_has_taken_what_it_may_waits_for_a_person_before_the_next_request() -> None:
    host = MemoryHost(world, person=lambda asked: NOBODY, rules=within(Budget(max_tokens=200)))
    report = host.run(ROW, 5)
    assert report.status == "paused"
    assert asked_tokens(host) == 200
    (asked,) = report.asked
    assert asked.question.prompt == (
        "The run has taken 200 tokens of 200 tokens. How much may it take in all?"
    )
    assert [field.name for field in asked.question.fields] == ["max_tokens"]


def test_the_answer_raises_the_limit_and_it_is_asked_again_when_that_is_reached() -> None:
    asked: list[str] = []

    def person(one: Asked) -> Json:
        asked.append(one.target)
        return {"max_tokens": 100 + 200 * len(asked)}

    host = MemoryHost(world, person=person, rules=within(Budget(max_tokens=100)))
    assert host.run(ROW, 5).output == "done"
    assert asked == ["?max_tokens", "?max_tokens #2"]


def test_money_is_a_limit_of_its_own() -> None:
    host = MemoryHost(world, person=lambda asked: NOBODY, rules=within(Budget(max_usd=0.25)))
    (asked,) = host.run(ROW, 5).asked
    assert asked.question.prompt.startswith("The run has taken $0.30 of $0.25.")
    assert host.answer("run", ROW, asked.target, {"max_usd": 5}).output == "done"


def test_branches_at_once_go_one_after_the_other_where_it_may_be_too_much_for_all() -> None:
    host = MemoryHost(world, person=lambda asked: NOBODY, rules=within(Budget(max_tokens=250)))
    report = host.run(ONCE, 10)
    assert report.status == "paused"
    assert len(report.asked) == 1, "one question, whichever branches wait"
    assert asked_tokens(host) == 300, "one answer over the limit, and no more"


def test_branches_at_once_are_not_held_up_as_long_as_there_is_enough() -> None:
    host = MemoryHost(world, rules=within(Budget(max_tokens=1000)))
    host.run(ONCE, 10)
    assert host.now == 10.0


def test_an_agent_has_a_budget_of_its_own() -> None:
    host = MemoryHost(world, person=lambda asked: NOBODY, rules=within(ann=Budget(max_tokens=100)))
    (asked,) = host.run(ROW, 3).asked
    assert asked.target == "?ann max_tokens"
    assert asked.question.prompt.startswith("The agent ann has taken 100 tokens")


def test_an_agent_that_is_known_by_its_id_has_the_budget_of_its_name() -> None:
    async def by_id(ctx: Context, arguments: Json) -> Json:
        for number in range(3):
            await ctx.branch(f"step {number}", lambda ctx: turn(ctx, Agent(id="a-1"), "go"))
        return "done"

    make = partial(Budgets, Budget(), {"ann": Budget(max_tokens=100)}, estimate, lambda agent: "ann")
    rules = Rules(ledgers=(cast("type[Ledger]", make),))
    host = MemoryHost(world, person=lambda asked: NOBODY, rules=rules)
    (asked,) = host.run(Program("row", by_id, (VERSION,)), None).asked
    assert asked.target == "?ann max_tokens"


def test_an_answer_that_is_too_little_is_asked_again() -> None:
    answers = iter([{"max_tokens": 50}, {"max_tokens": 1000}])
    host = MemoryHost(world, person=lambda asked: next(answers), rules=within(Budget(max_tokens=100)))
    assert host.run(ROW, 2).output == "done"


@given(st.sampled_from([ROW, ONCE]), st.integers(1, 8), st.integers(1, 900), st.integers(1, 12))
def test_no_run_takes_more_than_one_answer_over_its_limit_however_it_is_cut(
    program: Program, turns: int, most: int, cut: int
) -> None:
    host = MemoryHost(
        world,
        person=lambda asked: NOBODY,
        rules=within(Budget(max_tokens=most)),
        faults=[Fault("crash after", cut)],
    )
    try:
        report = host.run(program, turns)
    except Crash:
        if host.logs["run"].events[-1].kind in ("run.completed", "run.paused"):
            return
        report = host.resume("run", program)
    answered = sum(event.kind == "model.answered" for event in host.logs["run"].events)
    assert answered * 100 < most + 100
    assert (report.status == "completed") == (answered == turns)
