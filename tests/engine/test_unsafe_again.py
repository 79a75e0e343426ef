"""What is unsafe to repeat, and may have happened, is never repeated without a person's word.

> A touch declared unsafe to repeat … found interrupted, it is held at a gate.

Not in a retry of the run, not by another attempt behind a time limit, not under a program that has changed.
"""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from quintet.engine.combinators import attempts, deadline, gather
from quintet.engine.context import Context
from quintet.engine.failures import Diverged, Failed, Failure
from quintet.engine.memory import Crash, Fault, Later, MemoryHost
from quintet.engine.paths import write
from quintet.engine.performing import Call
from quintet.engine.programs import Program, ProgramBody
from quintet.engine.questions import Asked
from quintet.engine.retry import Policy
from quintet.engine.rules import Rules
from quintet.engine.values import Json

UNSAFE = Rules(is_unsafe=lambda touch: touch.kind == "tool")


class Shop:
    """A host whose tool is a payment that takes its time."""

    def __init__(self, body: ProgramBody, *, says: str = "repeat", faults: tuple[Fault, ...] = ()) -> None:
        self.program = Program("shop", body)
        self.asked: list[str] = []
        self.says = says
        self.fails: dict[str, Failure] = {}
        self.slow = 100.0
        self.host = MemoryHost(self._world, person=self._person, rules=UNSAFE, faults=faults)

    def _world(self, call: Call) -> object:
        if call.kind == "tool":
            return Later(self.slow, "paid")
        return self.fails.get(call.name, "fine")

    def _person(self, asked: Asked) -> Json:
        self.asked.append(asked.target)
        return {"decision": self.says}

    def paid(self, run_id: str) -> int:
        return sum(call.kind == "tool" and call.run_id == run_id for call in self.host.performed)


async def pays_beside_a_step(ctx: Context, arguments: Json) -> Json:
    async def step(ctx: Context) -> Json:
        return await ctx.model("step", 1)

    async def pay(ctx: Context) -> Json:
        return await ctx.tool("pay", 10)

    results = await gather(ctx, [("step", step), ("pay", pay)])
    return [str(result) for result in results]


@pytest.mark.parametrize(("says", "times"), [("repeat", 1), ("done", 0)])
def test_a_retry_asks_before_it_repeats_what_was_under_way_when_the_run_failed(says: str, times: int) -> None:
    shop = Shop(pays_beside_a_step, says=says)
    shop.fails = {"step": Failure("provider", "down")}
    assert shop.host.run(shop.program, run_id="old").status == "failed"
    assert (shop.paid("old"), shop.asked) == (1, [])
    shop.fails = {}
    assert shop.host.retry("old", shop.program, new_id="new").status == "completed"
    assert (shop.paid("new"), shop.asked) == (times, ["pay/pay?interrupted 1"])


@pytest.mark.parametrize(("says", "times"), [("repeat", 3), ("done", 1), ("fail", 1)])
def test_an_attempt_asks_before_it_repeats_what_ran_out_of_time(says: str, times: int) -> None:
    async def body(ctx: Context, arguments: Json) -> Json:
        async def attempt(ctx: Context) -> Json:
            return await deadline(ctx, "limit", 1.0, lambda ctx: ctx.tool("pay", 10))

        try:
            return await attempts(ctx, "try", Policy(3), attempt)
        except Failed as failed:
            return failed.failure.kind

    shop = Shop(body, says=says)
    shop.host.run(shop.program)
    assert shop.paid("run") == times
    assert len(shop.asked) == (1 if says == "done" else 2)


def test_a_changed_program_does_not_repeat_what_was_under_way_in_other_words() -> None:
    """It stops as diverged, also if a note more shifts what the log holds."""

    def paying(amount: int, *, noting: bool) -> ProgramBody:
        async def body(ctx: Context, arguments: Json) -> Json:
            if noting:
                ctx.note("step.started")
            return await ctx.tool("pay", amount)

        return body

    shop = Shop(paying(10, noting=False), faults=(Fault("crash before", 3),))
    with pytest.raises(Crash):
        shop.host.run(shop.program)
    before = list(shop.host.logs["run"].events)
    with pytest.raises(Diverged) as caught:
        shop.host.resume("run", Program("shop", paying(20, noting=True)))
    assert (write(caught.value.path), caught.value.difference) == ("pay", "it now asks 20")
    assert shop.host.logs["run"].events == before
    assert shop.paid("run") == 1


def test_what_was_under_way_must_be_asked_for_again() -> None:
    async def pays(ctx: Context, arguments: Json) -> Json:
        return await ctx.tool("pay", 10)

    async def asks_a_model(ctx: Context, arguments: Json) -> Json:
        return await ctx.model("pay", 10)

    shop = Shop(pays, faults=(Fault("crash before", 3),))
    with pytest.raises(Crash):
        shop.host.run(shop.program)
    with pytest.raises(Diverged, match="the log holds the start of a tool, which it does not ask for"):
        shop.host.resume("run", Program("shop", asks_a_model))


def test_what_was_cut_and_then_failed_for_certain_may_be_done_again() -> None:
    """The late outcome tells that nothing happened."""
    failures: Mapping[str, Failure] = {"definite": Failure("tool", "no funds", definite=True)}

    async def body(ctx: Context, arguments: Json) -> Json:
        async def attempt(ctx: Context) -> Json:
            return await deadline(ctx, "limit", 1.0, lambda ctx: ctx.tool("pay", 10))

        return await attempts(ctx, "try", Policy(2, delay=5.0), attempt)

    shop = Shop(body)
    given = iter((Later(2.0, failures["definite"], deaf=True), Later(0.0, "paid")))

    def world(call: Call) -> object:
        return next(given)

    shop.host.world = world
    assert shop.host.run(shop.program).output == "paid"
    assert shop.asked == []


def test_a_retry_asks_before_it_repeats_what_was_done_in_the_step_that_failed() -> None:
    """The step is done again as a whole, and the payment in it had been made."""

    async def body(ctx: Context, arguments: Json) -> Json:
        async def step(ctx: Context) -> Json:
            await ctx.tool("pay", 10)
            return await ctx.model("step", 1)

        try:
            return await ctx.branch("step", step)
        except Failed as failed:
            raise Failed(Failure("step", "it failed", at=(failed.failure.at[0][:1],))) from failed

    shop = Shop(body, says="done")
    shop.fails = {"step": Failure("provider", "down")}
    assert shop.host.run(shop.program, run_id="old").status == "failed"
    shop.fails = {}
    assert shop.host.retry("old", shop.program, new_id="new").status == "completed"
    assert (shop.paid("old"), shop.paid("new")) == (1, 0)
    assert shop.asked == ["step/pay?interrupted 1"]


def test_a_payment_of_one_attempt_is_not_forgotten_because_the_next_one_failed() -> None:
    async def body(ctx: Context, arguments: Json) -> Json:
        async def attempt(ctx: Context) -> Json:
            await ctx.tool("pay", 10)
            return await ctx.model("step", 1)

        return await attempts(ctx, "try", Policy(2), attempt)

    shop = Shop(body, says="done")
    given = iter(("paid", Failure("provider", "down"), Failure("tool", "declined")))

    def world(call: Call) -> object:
        return next(given, "fine")

    shop.host.world = world
    assert shop.host.run(shop.program, run_id="old").status == "failed"
    assert (shop.paid("old"), shop.asked) == (2, [])
    assert shop.host.retry("old", shop.program, new_id="new").output == "fine"
    assert shop.asked == ["~try/!attempt/pay?interrupted 1"]
    paid = [write(call.path) for call in shop.host.performed if call.run_id == "new" and call.kind == "tool"]
    assert paid == ["~try/!attempt#2/pay"], "the step fails as before, and the policy does its body again"


def test_a_retry_asks_before_it_does_in_one_attempt_what_another_had_done() -> None:
    """The step before it asks something else now and succeeds at once; the payment had been the second's."""

    def paying(question: str) -> ProgramBody:
        async def body(ctx: Context, arguments: Json) -> Json:
            async def attempt(ctx: Context) -> Json:
                await ctx.model("first", question)
                return await ctx.tool("pay", 10)

            paid = await attempts(ctx, "try", Policy(2), attempt)
            await ctx.model("last", 1)
            return paid

        return body

    shop = Shop(paying("old words"), says="done")
    given = iter((Failure("provider", "down"), "fine", "paid", Failure("provider", "down")))

    def world(call: Call) -> object:
        return next(given, "fine")

    shop.host.world = world
    assert shop.host.run(shop.program, run_id="old").status == "failed"
    assert shop.paid("old") == 1
    shop.host.retry("old", Program("shop", paying("new words")), new_id="new")
    assert (shop.paid("new"), shop.asked) == (0, ["~try/!attempt/pay?interrupted 1"])
