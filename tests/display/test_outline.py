"""The outline tells each step once, together with what belongs to it, and what is still to come."""

from dataclasses import replace

import pytest

from quintet.display.items import Item
from quintet.display.outline import outline
from quintet.record import Open
from quintet.workflow import Edge, Graph, Node
from tests.display.runs import BEGAN, chain, fact, failed, run, step, tool


def told(items: tuple[Item, ...]) -> list[tuple[str, str]]:
    return [(item.name, item.state) for item in items]


def test_steps_stand_in_the_order_in_which_they_began() -> None:
    items = outline(run(step("slow", 0, 9), step("late", 3), step("quick", 1, 2)))
    assert told(items) == [("slow", "completed"), ("quick", "completed"), ("late", "running")]


def test_what_is_to_come_stands_where_the_file_has_it() -> None:
    items = outline(run(step("b", 0), step("c", 0, 1)), chain("a", "b", "c", "d"))
    assert told(items) == [("b", "running"), ("c", "completed"), ("d", "coming")]


def test_a_run_that_is_completed_has_nothing_to_come() -> None:
    items = outline(run(step("a", 0, 1), status="completed"), chain("a", "b"))
    assert told(items) == [("a", "completed")]


def test_collecting_is_done_when_something_after_it_has_begun() -> None:
    nodes = (Node("1", "ideas", "agent"), Node("2", "gather", "collect"), Node("3", "sum", "agent"))
    graph = Graph(nodes, (Edge("1", "2"), Edge("2", "3")))
    assert told(outline(run(step("ideas", 0)), graph))[1] == ("gather", "coming")
    assert told(outline(run(step("ideas", 0, 1), step("sum", 1)), graph))[1] == ("gather", "completed")
    assert told(outline(run(step("ideas", 0, 1), status="completed"), graph))[1] == ("gather", "completed")


def test_iterations_and_rounds_come_together() -> None:
    steps = [step(f"refine (iter {n})", n, n + 0.5) for n in (1, 2, 3)]
    rounds = [step(f"round {n}/{who}", 10 + n, 11 + n) for n in (1, 2) for who in ("worker", "verifier")]
    loop, around = outline(run(*steps, *rounds))
    assert (loop.name, loop.shape, [child.name for child in loop.children]) == (
        "refine",
        "loop",
        ["iter 1", "iter 2", "iter 3"],
    )
    assert [(one.name, len(one.children)) for one in around.children] == [("round 1", 2), ("round 2", 2)]


def test_a_loop_is_what_its_latest_iteration_is() -> None:
    first = failed("try (iter 1)", "no", 0, 1)
    assert outline(run(first, step("try (iter 2)", 1, 2)))[0].state == "completed"
    assert outline(run(step("try (iter 1)", 0, 1), step("try (iter 2)", 1)))[0].state == "running"


def test_items_are_a_group_that_knows_how_many_there_are() -> None:
    steps = [step(f"record[{n}]", n, n + 1) for n in range(5)]
    known = fact("step.items", "", name="record", count=200)
    (group,) = outline(run(*steps, failed("record[5]", "bad row", 6, 7), facts=(known,)))
    assert (group.name, group.shape, group.state, group.limit) == ("record", "each", "completed", 200)
    assert [child.name for child in group.children if child.state == "failed"] == ["[5]"]


def test_a_group_of_items_whose_step_has_failed_has_failed() -> None:
    ends = [fact("step.failed", name=name) for name in ("each", "none")]
    facts = (fact("step.items", name="each", count=2), *ends)
    told = outline(run(step("each[0]", 0, 1), failed("each[1]", "no"), facts=facts))
    assert [(item.name, item.state) for item in told] == [("each", "failed"), ("none", "failed")]


def test_tools_hang_under_the_turn_that_called_them_through_attempts_and_limits() -> None:
    call = replace(tool("check/grep", 1, 2), where="check/~attempts/~limit/grep")
    (turn,) = outline(run(call, step("check", 0)))
    assert [child.name for child in turn.children] == ["grep"]


def test_repeats_of_a_path_are_told_apart() -> None:
    again = replace(step("check", 2, 3), path="check #2", where="check#2")
    assert told(outline(run(step("check", 0, 1), again))) == [
        ("check", "completed"),
        ("check #2", "completed"),
    ]


def test_a_skipped_step_says_why_and_which_condition() -> None:
    skipped = fact("step.skipped", "", 1, name="fix", why="condition")
    graph = chain("draft", 'contains "ERROR"?', "fix", "final")
    items = outline(run(step("draft", 0, 1), step("final", 2), facts=(skipped,)), graph)
    assert told(items) == [("draft", "completed"), ("fix", "skipped"), ("final", "running")]
    assert items[1].note == 'contains "ERROR" does not hold'


def test_a_failure_that_is_skipped_is_no_failure() -> None:
    skipped = fact("step.skipped", "fix", 1, name="fix", why="Step 'fix' failed: no")
    (item,) = outline(run(failed("fix", "no"), facts=(skipped,)))
    assert (item.state, item.note) == ("skipped", "Step 'fix' failed: no")


def test_between_two_attempts_a_step_is_not_failed() -> None:
    waits = fact("step.retrying", "check/~attempts", 1, attempt=1, wait=4.0, of=3)
    (item,) = outline(run(failed("check", "slow down"), facts=(waits,)))
    assert (item.state, item.again_at, item.most_attempts) == ("retrying", BEGAN + 5, 3)
    (over,) = outline(run(replace(failed("check", "slow down"), attempts=2), facts=(waits,)))
    assert over.state == "failed"


@pytest.mark.parametrize(
    ("target", "names"),
    [
        ("gate/decision", ["draft", "gate"]),
        ("draft/~limit/search/call?permission", ["draft"]),
        ("budget", ["draft", "budget"]),
    ],
)
def test_a_question_stands_where_it_is_asked(target: str, names: list[str]) -> None:
    question = Open(target, target.partition("?")[0], "May I?")
    items = outline(replace(run(step("draft", 0)), questions=[question]))
    assert [item.name for item in items] == names
    (asking,) = [item for item in items if item.questions]
    assert asking.state == "asking"


def test_nothing_is_at_work_in_a_run_that_was_interrupted() -> None:
    items = outline(run(step("a", 0), status="interrupted"), chain("a", "b"))
    assert told(items) == [("a", "stopped"), ("b", "coming")]
    assert items[0].elapsed(BEGAN + 1000) is None
