"""The live tree fits its screen, names each step once, and never hides what is under way."""

import re
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quintet.display.header import header_rows
from quintet.display.rows import in_ascii, text, width
from quintet.display.signs import SIGNS, State
from quintet.display.tree import Screen, tree
from quintet.record import Open, Run, Trouble, Usage
from quintet.workflow import Edge, Graph, Node
from tests.display.runs import (
    NOW,
    any_graph,
    any_run,
    chain,
    fact,
    failed,
    harmless,
    line_of,
    run,
    step,
    texts,
    tool,
)

WORDS = (
    "Cache the embeddings at the edge, so that a cold region answers from its neighbour 日本語の要約 until. "
)


def shown(run: Run, graph: Graph | None = None, columns: int = 100, height: int | None = None) -> list[str]:
    return texts(tree(run, graph, Screen(columns, height), now=NOW))


@settings(max_examples=60)
@given(st.data(), any_run(), st.integers(40, 200), st.none() | st.integers(3, 40))
def test_whatever_the_run_it_fits(
    data: st.DataObject, any_run: Run, columns: int, height: int | None
) -> None:
    graph = data.draw(st.none() | any_graph(any_run))
    saying = {one.where: WORDS * 3 for one in any_run.under_way}
    rows = tree(any_run, graph, Screen(columns, height), now=NOW, saying=saying, model="a model" * 9)
    assert max(map(width, rows)) <= columns
    assert all(map(harmless, rows))
    assert height is None or len(rows) <= max(height, 6) + 5 * (any_run.error is not None)
    assert rows == tree(any_run, graph, Screen(columns, height), now=NOW, saying=saying, model="a model" * 9)


@given(st.lists(st.sampled_from(["done", "runs", "fails"]), max_size=30), st.integers(40, 200))
def test_each_step_is_named_once(states: list[str], columns: int) -> None:
    steps = [
        failed(f"n{n}n", "why", n, n + 1)
        if one == "fails"
        else step(f"n{n}n", n, n + 1 if one == "done" else None)
        for n, one in enumerate(states)
    ]
    steps = [replace(one, agent="somebody") for one in steps]
    names = [f"n{n}n" for n in range(len(steps) + 3)]
    found = re.findall(r"n\d+n", "\n".join(shown(run(*steps), chain(*names), columns)))
    assert sorted(found) == sorted(names[: len(steps)] + names[len(steps) :])


def test_every_state_has_a_sign_of_its_own_also_without_colour() -> None:
    steps = [step("done", 0, 1), failed("fails", "no"), step("stops", 0, 1, "cancelled"), step("works", 2)]
    again = failed("again", "slow down")
    facts = (
        fact("step.skipped", "", 1, name="passed", why="condition"),
        fact("step.retrying", "again", 1, attempt=1, wait=2.0),
    )
    made = run(*steps, again, facts=facts)
    made = replace(made, questions=[Open("gate", "gate", "May I?")])
    rows = tree(made, chain(*(one.path for one in steps), "later"), Screen(100), now=NOW)
    states: dict[str, State] = {
        "done": "completed",
        "fails": "failed",
        "stops": "cancelled",
        "works": "running",
        "passed": "skipped",
        "again": "retrying",
        "gate": "asking",
        "later": "coming",
    }
    for name, state in states.items():
        assert line_of(name, rows).startswith(SIGNS[state][0])
    signs = [text(in_ascii((("", line_of(name, rows)[0]),))) for name in states]
    assert len(set(signs)) == len(states)


def test_what_is_said_streams_under_those_who_say_it() -> None:
    made = run(step("a", 0), step("b", 1), step("c", 0, 1))
    saying = {"a": "first " * 40 + "and the last of a", "b": "hardly begun", "c": "too late"}
    for columns in (40, 100):
        seen = "\n".join(texts(tree(made, None, Screen(columns), now=NOW, saying=saying)))
        assert "the last of a" in " ".join(re.sub("[▏\n]", " ", seen).split())
        assert seen.index("hardly begun") > seen.index("agent of a" if columns > 60 else "● a")
        assert "too late" not in seen


def test_text_that_grows_does_not_jump() -> None:
    made, before = run(step("a", 0)), ""
    for end in range(200, 1200, 7):
        saying = {"a": (WORDS * 30)[:end]}
        rows = [line for line in texts(tree(made, None, Screen(80), now=NOW, saying=saying)) if "▏" in line]
        first = rows[0].partition("▏")[2]
        assert not before or first in before or before.splitlines()[-1].startswith(first[:9])
        before = "\n".join(row.partition("▏")[2] for row in rows)


def test_more_steps_than_lines() -> None:
    steps = [step(f"old{n}", n, n + 1) for n in range(41)] + [step(f"new{n}", 50) for n in range(3)]
    names = [one.path for one in steps] + [f"later{n}" for n in range(20)]
    seen = shown(run(*steps), chain(*names), 80, 16)
    assert len(seen) <= 16
    assert all(any(f"new{n} " in line for line in seen) for n in range(3))
    assert "… 41 more ✓" in seen
    assert any(re.fullmatch(r"… \d+ more ○ to come", line) for line in seen)
    assert any("later0" in line for line in seen)


def test_more_under_way_than_lines() -> None:
    seen = shown(run(*(step(f"new{n}", n) for n in range(200))), None, 80, 12)
    assert len(seen) <= 12
    assert any(re.fullmatch(r"… \d+ more ● under way", line) for line in seen)


def test_those_under_way_are_silent_before_one_of_them_is_hidden() -> None:
    made = run(*(step(f"new{n}", n) for n in range(7)), *(step(f"old{n}", 0, 1) for n in range(9)))
    saying = {f"new{n}": WORDS for n in range(7)}
    seen = texts(tree(made, None, Screen(40, 11), now=NOW, saying=saying))
    assert sum(line.startswith("● new") for line in seen) == 7
    assert len(seen) == 11


def test_a_loop_that_is_over_is_one_line() -> None:
    graph = Graph(
        (Node("1", "refine", "agent"), Node("2", "end", "agent")),
        (Edge("1", "1", "back", 'until "APPROVED"', 5), Edge("1", "2")),
    )
    steps = [step(f"refine (iter {n})", n, n + 1) for n in (1, 2, 3)]
    over = [line for line in shown(run(*steps, step("end", 5)), graph) if "✓" in line]
    assert len(over) == 1
    assert over[0].startswith("✓ refine ×3")
    assert 'until "APPROVED"' in over[0]
    assert "of at most 5" in "\n".join(shown(run(*steps[:2], step("refine (iter 3)", 3)), graph))


def test_items_are_counted_and_the_failures_named() -> None:
    steps = [step(f"record[{n}]", n, n + 1) for n in range(186)]
    bad = failed("record[186]", "bad row", 1, 2)
    known = fact("step.items", "", name="record", count=200)
    (line,) = [
        one for one in shown(run(*steps, bad, step("record[187]", 9), facts=(known,))) if "● record" in one
    ]
    assert line.startswith("● record")
    assert "187/200  ✗ 1: [186]" in line


def test_tools_stand_under_their_turn() -> None:
    seen = shown(run(step("check", 0), tool("check/grep", 1, 2), tool("check/search", 2)))
    assert [line[:12].rstrip() for line in seen[2:]] == ["● check", "  ✓ grep", "  ● search"]


def test_attempts_are_counted() -> None:
    of_three = fact("step.retrying", "check", 1, attempt=2, of=3, wait=1)
    lost = replace(failed("check", "slow down", 0, 3), attempts=3)
    assert "3rd attempt of 3" in line_of(
        "check", tree(run(lost, facts=(of_three,)), None, Screen(100), now=NOW)
    )
    waits = fact("step.retrying", "check", 58, attempt=1, wait=6.0)
    line = line_of(
        "check", tree(run(failed("check", "slow", 0, 58), facts=(waits,)), None, Screen(100), now=NOW)
    )
    assert "2nd attempt in 4.0 s: slow" in line


@pytest.mark.parametrize("at", ["check", None, "elsewhere"])
def test_why_the_run_failed_is_said_once(at: str | None) -> None:
    made = replace(
        run(failed("check", "slow down"), status="failed", ended=2), error=Trouble("It broke", "x", at)
    )
    assert "\n".join(shown(made)).count("It broke") == 1


def test_a_question_comes_with_its_command_if_that_fits() -> None:
    fields = [{"name": "decision", "type": "choice", "choices": ["yes", "no"]}]
    made = replace(run(step("work", 0)), questions=[Open("gate/ask", "gate/ask", "Publish it?", fields)])
    wide, narrow = "\n".join(shown(made)), "\n".join(shown(made, columns=40))
    assert f"quintet answer {made.id} decision=yes" in wide
    assert "quintet inbox" in narrow
    assert "quintet answer" not in narrow


def test_who_answers_keeps_its_row_when_the_cost_becomes_known() -> None:
    for columns in range(40, 130):
        shown_rows = [
            [text(row) for row in header_rows(one, columns, now=NOW, model="offline:smollm2 (from here)")]
            for one in (replace(run(), usage=Usage()), run())
        ]
        assert len(shown_rows[0]) == len(shown_rows[1]), columns


def test_the_header_keeps_what_matters_most() -> None:
    wide = tree(run(), None, Screen(120), now=NOW, model="openai:gpt-5-mini (from OPENAI_API_KEY)")[0]
    assert re.sub(" {2,}", "|", text(wide)) == (
        "pipeline · openfang · run 3f2a9c1e · openai:gpt-5-mini (from OPENAI_API_KEY)|1:00|≈ $0.0041"
    )
    low = [text(row) for row in tree(run(), None, Screen(60, 5), now=NOW, model="openai:gpt-5-mini")]
    assert not any("gpt" in row for row in low), "there is no row for it"
    narrow = text(tree(run(), None, Screen(40), now=NOW)[0])
    assert "run 3f2a9c1e" in narrow
    assert "1:00" in narrow
