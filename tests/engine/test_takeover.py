"""Taking over: a fork or a retry is a new run, made by replaying the old one's log into it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

import pytest

from quintet.engine import takeover
from quintet.engine.combinators import attempts, deadline, gather
from quintet.engine.context import Context
from quintet.engine.created import Created
from quintet.engine.failures import Failed, Failure
from quintet.engine.memory import Crash, Fault, Later, MemoryHost
from quintet.engine.paths import parse, write
from quintet.engine.performing import Call
from quintet.engine.programs import Program, ProgramBody
from quintet.engine.retry import Policy
from quintet.engine.rules import DEFAULT_RULES, Rules
from quintet.engine.scopes import Body
from quintet.engine.takeover import NoSuchStep, NothingToRetry, Source
from quintet.engine.touches import Touch
from quintet.engine.values import Json

BROKEN = Failure("provider", "no")


class Two:
    """A host with an old run and a new one."""

    def __init__(
        self,
        body: ProgramBody,
        fails: Mapping[str, Failure] | None = None,
        *,
        arguments: Json = None,
        rules: Rules = DEFAULT_RULES,
        faults: Sequence[Fault] = (),
        slow: Sequence[str] = (),
    ) -> None:
        """`fails` says what fails in the old run, by path; `slow` takes a second, everywhere."""
        self.program = Program("p", body)
        self._fails = fails or {}
        self._slow = slow
        self.host = MemoryHost(self._world, rules=rules, now=100.0, faults=faults)
        self.old = self.host.run(self.program, arguments, run_id="old")
        self.host.now = 5000.0

    def _world(self, call: Call) -> object:
        path = write(call.path)
        given = self._fails.get(path, path) if call.run_id == "old" else f"new {path}"
        return Later(1.0, given) if path in self._slow else given

    def fork(self, at: str, body: ProgramBody | None = None) -> Json:
        program = Program("p", body) if body else self.program
        return self.host.fork("old", parse(at), program, new_id="new").output

    def retry(self, body: ProgramBody | None = None) -> Json:
        program = Program("p", body) if body else self.program
        return self.host.retry("old", program, new_id="new").output

    def performed(self, run: str = "new") -> list[str]:
        return [write(call.path) for call in self.host.performed if call.run_id == run]

    def keys(self, run: str) -> dict[str, str]:
        return {write(call.path): call.idempotency_key for call in self.host.performed if call.run_id == run}


async def chain(ctx: Context, arguments: Json) -> Json:
    """Three steps, each of which asks with what came before."""
    said: list[Json] = []
    for name in "abc":
        said.append(await ctx.model(name, said))
    return said


def model(key: str) -> Body[Json]:
    return lambda ctx: ctx.model(key, 1)


def members(limit: int | None = None) -> ProgramBody:
    """A group of which each member asks once; the run fails where any member did."""

    async def program(ctx: Context, arguments: Json) -> Json:
        results = await gather(ctx, [(name, model("ask")) for name in "abc"], limit=limit, on_error="collect")
        for result in results:
            if isinstance(result, Failure):
                raise Failed(result)
        return "all"

    return program


# Fork


@pytest.mark.parametrize(("at", "performed"), [("a", "abc"), ("b", "bc"), ("c", "c"), ("", "abc")])
def test_a_fork_keeps_what_was_known_when_its_step_began(at: str, performed: str) -> None:
    """`fork --at PATH` offers the outcomes up to the cause of that step's start."""
    two = Two(chain)
    said = two.fork(at)
    assert two.performed() == list(performed)
    assert said == [name if name not in performed else f"new {name}" for name in "abc"]


def test_a_fork_keeps_a_changed_past_and_tells_what_had_changed() -> None:
    """…changed requests or not, and lists what had changed."""

    async def reworded(ctx: Context, arguments: Json) -> Json:
        said = [await ctx.model("a", "in other words")]
        for name in "bc":
            said.append(await ctx.model(name, [*said]))
        return said

    two = Two(chain)
    source = Source("old", two.host.logs["old"].events)
    new = takeover.fork(source, parse("c"), Program("p", reworded), run_id="new", now=0.0)
    assert [write(path) for path in new.changed] == ["a"]
    new.execution.close()
    assert two.fork("c", reworded) == ["a", "b", "new c"]


def test_a_fork_at_a_step_that_was_never_there_is_refused() -> None:
    with pytest.raises(NoSuchStep, match="'elsewhere'"):
        Two(chain).fork("elsewhere")


def test_a_fork_at_a_branch_begins_with_whatever_the_branch_did_first() -> None:
    async def program(ctx: Context, arguments: Json) -> Json:
        await ctx.model("before", 1)
        await gather(ctx, [("x", model("ask")), ("y", model("ask"))])
        return await ctx.model("after", 1)

    two = Two(program)
    two.fork("y")
    assert two.performed() == ["x/ask", "y/ask", "after"]


def test_a_fork_is_a_run_of_its_own_with_keys_of_its_own() -> None:
    two = Two(chain)
    two.fork("b")
    assert two.keys("old")["c"] != two.keys("new")["c"]


def test_a_fork_of_a_fork_still_knows_when_all_of_it_came() -> None:
    async def program(ctx: Context, arguments: Json) -> Json:
        times: list[Json] = [ctx.now()]
        for name in "abc":
            await ctx.model(name, 1)
            times.append(ctx.now())
        return times

    two = Two(program, slow="abc")
    assert two.old.output == [100.0, 101.0, 102.0, 103.0]
    assert two.fork("c") == [100.0, 101.0, 102.0, 5001.0]
    again = two.host.fork("new", parse("c"), two.program, new_id="newer")
    assert again.output == [100.0, 101.0, 102.0, 5002.0]
    kept = [event for event in two.host.logs["newer"].events if event.path == parse("a")]
    assert '"taken":{"run":"old","seq":4,"time":101.0}' in kept[-1].data


def test_a_timer_of_a_fork_counts_from_when_the_fork_began() -> None:
    async def program(ctx: Context, arguments: Json) -> Json:
        await ctx.model("a", 1)
        await ctx.sleep("nap", 60.0)
        return ctx.now()

    two = Two(program)
    assert two.old.output == 160.0
    assert two.fork("nap") == 5060.0


def test_the_old_run_is_left_as_it_is() -> None:
    two = Two(members(), {"a/ask": BROKEN})
    before = list(two.host.logs["old"].events)
    two.fork("b")
    two.host.retry("old", two.program, new_id="newer")
    assert two.host.logs["old"].events == before


# Retry


@pytest.mark.parametrize("limit", [None, 1, 2])
def test_a_retry_does_again_what_failed_and_nothing_else(limit: int | None) -> None:
    """Offers that are not open yet stay on offer: whoever failed may stand in a queue before others."""
    two = Two(members(limit), {"a/ask": BROKEN})
    assert two.old.status == "failed"
    assert two.retry() == "all"
    assert two.performed() == ["a/ask"]


def test_a_retry_does_all_attempts_of_a_failed_step_again() -> None:
    async def program(ctx: Context, arguments: Json) -> Json:
        await ctx.model("before", 1)
        return await attempts(ctx, "try", Policy(attempts=2), model("ask"))

    two = Two(program, {"~try/!attempt/ask": BROKEN, "~try/!attempt#2/ask": BROKEN})
    two.retry()
    assert two.performed() == ["~try/!attempt/ask"]


def test_a_failure_that_was_absorbed_stays() -> None:
    """A failure that the format absorbed stays."""

    async def program(ctx: Context, arguments: Json) -> Json:
        results = await gather(ctx, [("x", model("ask"))], on_error="collect")
        return [isinstance(results[0], Failure), await ctx.model("last", 1)]

    two = Two(program, {"x/ask": BROKEN, "last": BROKEN})
    assert two.retry() == [True, "new last"]
    assert two.performed() == ["last"]


def test_a_retry_does_again_what_asks_something_else_now_and_what_hangs_on_it() -> None:
    def asking(question: str) -> ProgramBody:
        async def program(ctx: Context, arguments: Json) -> Json:
            first = await ctx.model("a", question)
            second = await ctx.model("b", first)
            apart = await ctx.model("apart", 1)
            return [second, apart, await ctx.model("c", 1)]

        return program

    two = Two(asking("one thing"), {"c": BROKEN})
    assert two.retry(asking("another")) == ["new b", "apart", "new c"]
    assert two.performed() == ["a", "b", "c"]


def test_a_step_that_the_failure_names_is_done_again_as_a_whole() -> None:
    async def step(ctx: Context) -> Json:
        await ctx.model("first", 1)
        return await ctx.model("second", 1)

    async def program(ctx: Context, arguments: Json) -> Json:
        await ctx.model("before", 1)
        try:
            return await ctx.branch("step", step)
        except Failed as failed:
            raise Failed(Failure("step", "it failed", at=(parse("step"),))) from failed

    two = Two(program, {"step/second": BROKEN})
    two.retry()
    assert two.performed() == ["step/first", "step/second"]


def test_only_a_run_that_failed_can_be_retried() -> None:
    with pytest.raises(NothingToRetry, match="has not failed"):
        Two(chain).retry()


def test_a_retry_keeps_the_keys_of_what_may_have_happened() -> None:
    """Point 8: the key is kept by retry, and renewed only after a definite failure."""
    failures = {"a/ask": BROKEN, "b/ask": Failure("refused", "no", definite=True)}

    async def program(ctx: Context, arguments: Json) -> Json:
        await gather(ctx, [(name, model("ask")) for name in "abc"], on_error="collect")
        raise Failed(Failure("some", "failed", at=(parse("a"), parse("b"))))

    two = Two(program, failures)
    two.retry()
    old, new = two.keys("old"), two.keys("new")
    assert new["a/ask"] == old["a/ask"]
    assert new["b/ask"] != old["b/ask"]


def test_a_retry_of_a_retry_renews_a_key_once_more() -> None:
    definite = Failure("refused", "no", definite=True)
    program = Program("p", lambda ctx, arguments: ctx.model("ask", 1))
    host = MemoryHost(lambda call: definite)
    host.run(program, run_id="0")
    for number in range(3):
        host.retry(str(number), program, new_id=str(number + 1))
    assert len({call.idempotency_key for call in host.performed}) == 4


def test_the_last_attempt_of_a_failed_step_and_its_retry_share_a_key_unless_it_failed_for_certain() -> None:
    async def program(ctx: Context, arguments: Json) -> Json:
        return await attempts(ctx, "try", Policy(attempts=2), model("ask"))

    first, second = "~try/!attempt/ask", "~try/!attempt#2/ask"
    two = Two(program, {first: Failure("refused", "no", definite=True), second: BROKEN})
    two.retry()
    old, new = two.keys("old"), two.keys("new")
    assert old[first] != old[second] == new[first]


# In the order of the log, and in later lives


def test_what_is_left_on_offer_survives_a_crash_of_the_new_run() -> None:
    appends = Two(members(1), {"a/ask": BROKEN}).host.appends
    for number in range(1, 4):
        two = Two(members(1), {"a/ask": BROKEN}, faults=[Fault("crash after", appends + number)])
        with pytest.raises(Crash):
            two.retry()
        assert two.host.resume("new", two.program).output == "all"
        assert set(two.performed()) == {"a/ask"}
        created = Created.from_event(two.host.logs["new"].events[0])
        assert [offer["path"] for offer in cast("Any", created.offers)] == ["b/ask", "c/ask"]


def test_what_is_taken_late_does_not_turn_back_the_clock() -> None:
    """`now()` is the time of the latest outcome delivered; it never runs backwards."""
    times: list[float] = []

    async def member(ctx: Context) -> Json:
        answer = await ctx.model("ask", 1)
        times.append(ctx.now())
        return answer

    async def program(ctx: Context, arguments: Json) -> Json:
        times.clear()
        results = await gather(ctx, [(name, member) for name in "abc"], limit=1, on_error="collect")
        for result in results:
            if isinstance(result, Failure):
                raise Failed(result)
        return None

    two = Two(program, {"a/ask": BROKEN})
    two.retry()
    assert times == [5000.0, 5000.0, 5000.0]


def test_a_fork_under_a_clock_that_was_set_back_goes_on_from_the_time_it_knows() -> None:
    async def program(ctx: Context, arguments: Json) -> Json:
        await ctx.model("a", 1)
        await ctx.model("b", 1)
        return ctx.now()

    two = Two(program)
    two.host.now = 1.0
    assert two.fork("b") == 100.0


def limited(question: str) -> ProgramBody:
    """Something first, and then a second's work under a time limit of half a second."""

    async def program(ctx: Context, arguments: Json) -> Json:
        first = await ctx.model("first", question)
        try:
            return [first, await deadline(ctx, "limit", 0.5, model("ask"))]
        except Failed:
            return [first, await ctx.model("instead", 1)]

    return program


def test_a_time_limit_that_struck_in_its_turn_strikes_again() -> None:
    two = Two(limited("?"), {"instead": BROKEN}, slow=["~limit/ask"])
    assert two.retry() == ["first", "new instead"]
    assert two.performed() == ["instead"]


def test_a_time_limit_never_strikes_out_of_its_turn() -> None:
    """Where its block is not open yet, its striking is gone: the work has all its time again."""
    slow = ["~limit/ask"]
    two = Two(limited("?"), {"instead": BROKEN}, slow=slow)
    slow.clear()
    assert two.retry(limited("something else?")) == ["new first", "new ~limit/ask"]
    assert two.performed() == ["first", "~limit/ask"]


def test_an_unsafe_touch_whose_start_was_taken_along_is_performed() -> None:
    """Its start is kept with the outcomes that were taken over: there is nothing to wait for."""

    async def program(ctx: Context, arguments: Json) -> Json:
        await gather(ctx, [("pay", lambda ctx: ctx.tool("call", 1)), ("b", model("ask"))])
        return "paid"

    two = Two(program, {"pay/call": BROKEN}, rules=Rules(is_unsafe=is_tool), slow=["pay/call"])
    assert two.retry() == "paid"
    assert two.performed() == ["pay/call"]


def is_tool(touch: Touch) -> bool:
    return touch.kind == "tool"


def test_a_retry_of_a_retry_takes_what_was_still_on_offer() -> None:
    """A step that completed is never run again, however many retries fail before it is reached."""

    async def body(ctx: Context, arguments: Json) -> Json:
        results = await gather(
            ctx,
            [("a", lambda ctx: ctx.model("ask", 1)), ("b", lambda ctx: ctx.model("ask", 2))],
            limit=1,
            on_error="collect",
        )
        for result in results:
            if isinstance(result, Failure):
                raise Failed(result)
        return "fine"

    fails = True
    host = MemoryHost(lambda call: BROKEN if fails and write(call.path) == "a/ask" else "given")
    program = Program("p", body)
    assert host.run(program, run_id="one").status == "failed"
    assert host.retry("one", program, new_id="two").status == "failed"
    fails = False
    assert host.retry("two", program, new_id="three").output == "fine"
    assert [(call.run_id, write(call.path)) for call in host.performed] == [
        ("one", "a/ask"),
        ("one", "b/ask"),
        ("two", "a/ask"),
        ("three", "a/ask"),
    ]


def test_a_retry_waits_between_its_attempts_as_the_run_did() -> None:
    async def body(ctx: Context, arguments: Json) -> Json:
        await ctx.sleep("nap", 7.0)
        return await attempts(ctx, "try", Policy(3, delay=10.0), lambda ctx: ctx.model("ask", 1))

    host = MemoryHost(lambda call: BROKEN)
    program = Program("p", body)
    host.run(program, run_id="old")
    began = host.now
    host.retry("old", program, new_id="new")
    assert host.now - began == 20.0, "the nap is over, the waits between attempts are not"


def test_a_failure_is_found_where_it_was_raised() -> None:
    """A program that raises a failure of its own in a step has failed at that step."""
    fails = True

    async def body(ctx: Context, arguments: Json) -> Json:
        async def step(ctx: Context) -> Json:
            answer = await ctx.model("ask", 1)
            if fails:
                raise Failed(Failure("bad_answer", "that is no answer"))
            return answer

        await ctx.model("first", 1)
        return await ctx.branch("step", step)

    host = MemoryHost(lambda call: "given")
    program = Program("p", body)
    report = host.run(program, run_id="old")
    assert report.failure is not None
    assert [write(path) for path in report.failure.at] == ["step"]
    fails = False
    host.retry("old", program, new_id="new")
    assert [write(call.path) for call in host.performed if call.run_id == "new"] == ["step/ask"]


def test_a_failure_that_names_no_step_cannot_be_retried_unchanged() -> None:
    async def body(ctx: Context, arguments: Json) -> Json:
        raise Failed(Failure("bad_answer", "at the root"))

    host = MemoryHost(lambda call: "given")
    program = Program("p", body)
    host.run(program, run_id="old")
    with pytest.raises(NothingToRetry, match="without naming a step"):
        host.retry("old", program, new_id="new")
