"""Gates: where a touch is held, and a person asked."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from quintet.engine.combinators import gather
from quintet.engine.context import Context
from quintet.engine.failures import Failed, Failure
from quintet.engine.gates import Gate, Give, Go, Refuse, Verdict, Wait
from quintet.engine.paths import Path
from quintet.engine.programs import Program
from quintet.engine.questions import Field, Question, WrongAnswer
from quintet.engine.rules import Rules
from quintet.engine.scopes import Returned
from quintet.engine.touches import Outcome, Touch
from quintet.engine.values import Json
from quintet.testing import Crash, Fault, Later, MemoryHost
from tests.engine.desk import Desk
from tests.engine.play import ask


async def one_call(ctx: Context, arguments: Json) -> Json:
    try:
        return await ctx.tool("call", "please")
    except Failed as failed:
        return failed.failure.kind


async def two_models(ctx: Context, arguments: Json) -> Json:
    await gather(ctx, [("a", ask()), ("b", ask())])
    return "both"


def permission(touch: Touch, answers: Mapping[str, Json]) -> Gate | None:
    """Tools have to be allowed."""

    def decide(answer: Json) -> Verdict:
        assert isinstance(answer, Mapping)
        match answer["decision"]:
            case "yes":
                return Go()
            case "no":
                return Refuse(Failure("refused", "no"))
            case _:
                return Give("given by hand")

    question = Question("may it?", (Field("decision", "choice", choices=("yes", "no", "give")),))
    return Gate("permission", question, decide) if touch.kind == "tool" else None


def budget(touch: Touch, answers: Mapping[str, Json]) -> Gate | None:
    """Everything stands still until somebody raises the budget."""
    question = Question("more?", (Field("limit", "integer"),))
    return Gate("budget", question, lambda answer: Go(), shared=True)


class Narrow:
    """Lets one model be asked at a time."""

    def __init__(self) -> None:
        self._inside: set[Path] = set()

    def __call__(self, touch: Touch, answers: Mapping[str, Json]) -> Wait | None:
        if touch.kind != "model":
            return None
        if self._inside:
            return Wait()
        self._inside.add(touch.path)
        return None

    def learn(self, outcome: Outcome) -> None:
        self._inside.discard(outcome.path)

    def leave(self, touch: Touch) -> None:
        self._inside.discard(touch.path)


PERMITTED = Rules(gatekeepers=(permission,))
BUDGETED = Rules(gatekeepers=(budget,))
UNSAFE = Rules(is_unsafe=lambda touch: touch.kind == "tool")


def paths(desk: Desk) -> list[str]:
    return [path for path, _ in desk.performed]


# Permission


def test_a_touch_waits_at_its_gate_before_it_is_performed() -> None:
    """Point 9: a gate holds a touch before it is performed, and asks a person."""
    desk = Desk(one_call, rules=PERMITTED)
    desk.keep()
    assert (desk.performed, desk.asked, desk.execution.standing) == ([], ["call?permission"], "waiting")
    assert desk.kinds == ["tool.called", "gate.asked"]


def test_an_answer_lets_the_touch_go_once_it_is_kept() -> None:
    desk = Desk(one_call, rules=PERMITTED)
    desk.keep()
    assert desk.execution.answer("call?permission", {"decision": "yes"})
    assert desk.performed == []
    assert desk.keep() == ["gate.answered"]
    assert paths(desk) == ["call"]
    desk.give("call", "it")
    desk.keep()
    assert desk.execution.result == Returned("it")


@pytest.mark.parametrize(("decision", "result"), [("no", "refused"), ("give", "given by hand")])
def test_an_answer_may_fail_the_touch_or_give_its_result(decision: str, result: str) -> None:
    desk = Desk(one_call, rules=PERMITTED)
    desk.keep()
    desk.execution.answer("call?permission", {"decision": decision})
    assert desk.keep() == ["gate.answered", "tool.finished"]  # together or not at all
    assert (desk.performed, desk.execution.result) == ([], Returned(result))


def test_a_gate_is_answered_once_and_by_what_fits() -> None:
    desk = Desk(one_call, rules=PERMITTED)
    desk.keep()
    with pytest.raises(WrongAnswer):
        desk.execution.answer("call?permission", {"decision": "perhaps"})
    assert desk.execution.answer("call?permission", {"decision": "no"})
    assert not desk.execution.answer("call?permission", {"decision": "yes"})


def test_an_answer_survives_the_process_that_was_given_it() -> None:
    desk = Desk(one_call, rules=PERMITTED)
    desk.keep()
    desk.execution.answer("call?permission", {"decision": "yes"})
    desk.keep()
    again = desk.again()
    assert (again.asked, paths(again)) == ([], ["call"])


def test_a_question_is_not_asked_again_in_the_next_life() -> None:
    desk = Desk(one_call, rules=PERMITTED)
    desk.keep()
    again = desk.again()
    assert again.asked == ["call?permission"]
    assert again.keep() == ["run.resumed"]


def test_question_and_answer_are_never_delivered_to_the_program() -> None:
    desk = Desk(one_call, rules=PERMITTED)
    desk.keep()
    desk.execution.answer("call?permission", {"decision": "yes"})
    desk.keep()
    desk.give("call", "it")
    desk.keep()
    assert desk.again(one_call).execution.result == Returned("it")


def test_gates_stand_one_behind_the_other() -> None:
    desk = Desk(one_call, rules=Rules(gatekeepers=(permission, budget)))
    desk.keep()
    desk.execution.answer("call?permission", {"decision": "yes"})
    desk.keep()
    assert (desk.asked, desk.performed) == (["?budget"], [])
    desk.keep()
    desk.execution.answer("?budget", {"limit": 5})
    desk.keep()
    assert paths(desk) == ["call"]


def test_a_touch_that_is_cancelled_leaves_its_gate() -> None:
    async def program(ctx: Context, arguments: Json) -> Json:
        branch = ctx.branch("branch", lambda ctx: ctx.tool("call", 1))
        await ctx.model("ask", "?")
        branch.cancel()
        return "done"

    desk = Desk(program, rules=PERMITTED)
    assert desk.asked == ["branch/call?permission"]
    desk.give("ask")
    desk.keep()
    assert desk.asked == []
    assert not desk.execution.answer("branch/call?permission", {"decision": "yes"})
    assert desk.execution.standing == "over"


def test_a_gate_and_a_question_of_one_name_are_told_apart() -> None:
    async def program(ctx: Context, arguments: Json) -> Json:
        ctx.branch("b", ask())
        return await ctx.ask("budget", Question("how much?"))

    desk = Desk(program, rules=BUDGETED)
    desk.keep()
    assert sorted(desk.asked) == ["?budget", "budget"]
    desk.execution.answer("budget", "a lot")
    assert desk.keep() == ["question.answered"]
    with pytest.raises(WrongAnswer):
        desk.execution.answer("?budget", "a lot")
    desk.execution.answer("?budget", {"limit": 5})
    assert desk.keep() == ["gate.answered"]
    desk.give("b/ask")
    desk.keep()
    assert desk.execution.result == Returned("a lot")


# A budget


def test_one_budget_question_is_asked_whichever_branches_wait() -> None:
    """Point 9: one budget question per run and limit, whichever branches wait at it."""
    desk = Desk(two_models, rules=BUDGETED)
    desk.keep()
    assert desk.kinds.count("gate.asked") == 1
    assert desk.asked == ["?budget"]
    desk.execution.answer("?budget", {"limit": 5})
    desk.keep()
    assert paths(desk) == ["a/ask", "b/ask"]


def test_a_shared_gate_stays_while_anything_waits_there() -> None:
    async def program(ctx: Context, arguments: Json) -> Json:
        first, second = ctx.branch("first", ask()), ctx.branch("second", ask())
        await ctx.tool("call", 1)
        first.cancel()
        return await second

    rules = Rules(
        gatekeepers=(lambda touch, answers: budget(touch, answers) if touch.kind == "model" else None,)
    )
    desk = Desk(program, rules=rules)
    desk.give("call")
    desk.keep()
    assert desk.asked == ["?budget"]
    desk.execution.answer("?budget", {"limit": 5})
    desk.keep()
    assert paths(desk) == ["call", "second/ask"]


def test_a_budget_that_was_raised_can_be_reached_again() -> None:
    def rising(touch: Touch, answers: Mapping[str, Json]) -> Gate | None:
        """Each limit has a question of its own; the second is enough."""
        question = Question("more?", (Field("limit", "integer"),))
        return (
            Gate(f"budget {len(answers)}", question, lambda answer: Go(), shared=True)
            if len(answers) < 2
            else None
        )

    desk = Desk(two_models, rules=Rules(gatekeepers=(rising,)))
    desk.keep()
    for number in range(2):
        assert desk.asked == [f"?budget {number}"]
        desk.execution.answer(f"?budget {number}", {"limit": 5})
        desk.keep()
        desk.keep()
    assert paths(desk) == ["a/ask", "b/ask"]


# Touches that were interrupted and may have happened


def interrupted(*, rules: Rules = UNSAFE) -> Desk:
    """An unsafe call was under way when the process died."""
    desk = Desk(one_call, rules=rules)
    desk.keep()
    assert paths(desk) == ["call"]
    return desk.again()


def test_an_unsafe_touch_found_interrupted_is_held_at_a_gate() -> None:
    """Point 8: found interrupted, it is held at a gate."""
    desk = interrupted()
    assert (desk.asked, desk.performed) == (["call?interrupted 1"], [])
    desk.keep()
    assert desk.execution.standing == "waiting"


@pytest.mark.parametrize(
    ("answer", "result"),
    [
        ({"decision": "fail"}, "interrupted"),
        ({"decision": "done", "result": [1]}, [1]),
        ({"decision": "done"}, None),
    ],
)
def test_a_person_says_what_became_of_it(answer: Json, result: Json) -> None:
    desk = interrupted()
    desk.keep()
    desk.execution.answer("call?interrupted 1", answer)
    desk.keep()
    assert (desk.performed, desk.execution.result) == ([], Returned(result))


def test_a_person_may_have_it_repeated_with_its_key_and_is_asked_again_when_that_is_interrupted() -> None:
    first = Desk(one_call, rules=UNSAFE)
    first.keep()
    desk = first.again()
    desk.keep()
    desk.execution.answer("call?interrupted 1", {"decision": "repeat"})
    assert desk.performed == []
    desk.keep()
    assert desk.performed == first.performed
    desk = desk.again()
    assert (desk.asked, desk.performed) == (["call?interrupted 2"], [])


def test_an_unsafe_touch_that_only_waited_at_its_gate_has_not_happened() -> None:
    rules = Rules(gatekeepers=(permission,), is_unsafe=UNSAFE.is_unsafe)
    desk = Desk(one_call, rules=rules)
    desk.keep()
    desk = desk.again()
    assert desk.asked == ["call?permission"]
    desk.keep()
    desk.execution.answer("call?permission", {"decision": "yes"})
    desk.keep()
    assert paths(desk) == ["call"]
    assert desk.again().asked == ["call?interrupted 1"]


def test_that_others_waited_at_a_shared_gate_does_not_prove_that_an_unsafe_touch_did() -> None:
    """It was performed before the budget was reached, so it may have happened."""
    reached: list[bool] = []

    def sometimes(touch: Touch, answers: Mapping[str, Json]) -> Gate | None:
        return budget(touch, answers) if reached or touch.kind == "model" else None

    async def program(ctx: Context, arguments: Json) -> Json:
        ctx.branch("model", ask())
        return await ctx.tool("call", 1)

    desk = Desk(program, rules=Rules(gatekeepers=(sometimes,), is_unsafe=UNSAFE.is_unsafe))
    desk.keep()
    assert (desk.asked, paths(desk)) == (["?budget"], ["call"])
    reached.append(True)
    assert sorted(desk.again().asked) == ["?budget", "call?interrupted 1"]


def test_a_safe_touch_found_interrupted_is_simply_performed_again() -> None:
    desk = Desk(one_call)
    desk.keep()
    again = desk.again()
    assert (again.asked, paths(again)) == ([], ["call"])


# Touches that wait for each other


NARROW = Rules(ledgers=(Narrow,))


def test_a_touch_that_has_to_wait_is_let_through_when_another_has_ended() -> None:
    host = MemoryHost(lambda call: Later(10.0, "said"), rules=NARROW)
    report = host.run(Program("both", two_models))
    assert (report.output, host.now) == ("both", 20.0)


async def first_of_two(ctx: Context, arguments: Json) -> Json:
    slow = ctx.branch("slow", ask())
    other = ctx.branch("other", ask())
    await ctx.sleep("nap", 5.0)
    slow.cancel()
    return await other


def test_one_that_is_cancelled_makes_room() -> None:
    host = MemoryHost(lambda call: Later(60.0 if call.path[0].name == "slow" else 10.0, "said"), rules=NARROW)
    assert host.run(Program("first", first_of_two)).output == "said"
    assert host.now == 15.0


def test_a_run_that_was_cut_while_touches_wait_goes_on() -> None:
    for cut in range(1, 5):
        host = MemoryHost(lambda call: Later(10.0, "said"), rules=NARROW, faults=[Fault("crash after", cut)])
        program = Program("both", two_models)
        try:
            report = host.run(program)
        except Crash:
            report = host.resume("run", program)
        assert report.output == "both", cut
