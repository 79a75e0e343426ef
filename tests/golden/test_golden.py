"""What a released version has recorded means the same under this one.

> Logs recorded by released versions are kept and replayed in the tests.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest

from quintet.engine.context import Context
from quintet.engine.events import Event, family
from quintet.engine.execution import Execution
from quintet.engine.failures import Diverged
from quintet.engine.memory import MemoryLog
from quintet.engine.paths import write
from quintet.engine.programs import Program, ProgramBody
from quintet.engine.reports import Report
from quintet.engine.values import Json
from quintet.testing import MemoryHost
from scripts.record_golden import write_all
from tests.golden.logs import GOLDEN, HERE, Golden, read, text
from tests.golden.stories import STORIES, Story

FIRST_RELEASE = "0.1.0"


def named(golden: Golden) -> str:
    return golden.name


@pytest.mark.parametrize("golden", GOLDEN, ids=named)
def test_a_replay_gives_the_recorded_result_and_notes_in_the_recorded_order(golden: Golden) -> None:
    story, log = STORIES[golden.story], golden.log
    replayed = [event for event in log if family(event.kind) in ("outcome", "host")]
    ending = replayed.pop()
    nothing_written = replayed[-1]._replace(seq=len(replayed))
    execution = Execution(story.program, replayed, last=nothing_written, rules=story.rules)
    followed = execution.flush().events
    assert [_said(event) for event in followed] == [
        _said(event) for event in log if family(event.kind) in ("start", "note")
    ]
    execution.put_back()
    execution.conclude()
    end = execution.flush().events[-1]
    assert (end.kind, end.data) == (ending.kind, ending.data)


@pytest.mark.parametrize("golden", GOLDEN, ids=named)
def test_a_run_taken_up_behind_any_of_its_outcomes_ends_as_recorded(golden: Golden) -> None:
    cuts = [event.seq for event in golden.log if family(event.kind) == "outcome"]
    assert cuts
    for cut in cuts:
        before = golden.log[:cut]
        host = taken_up(STORIES[golden.story], before)
        report = to_its_end(host, STORIES[golden.story])
        after = host.logs["run"].events
        assert after[:cut] == before, "what was recorded was touched"
        assert (after[-1].kind, after[-1].data) == (golden.log[-1].kind, golden.log[-1].data), cut
        assert report.status == host.logs["run"].status
        known = {event.path for event in before if family(event.kind) == "outcome"}
        assert not [call for call in host.performed if call.path in known], "something was performed again"


@pytest.mark.parametrize("golden", GOLDEN, ids=named)
def test_a_golden_log_is_in_order_and_is_written_as_it_is_read(golden: Golden) -> None:
    assert [event.seq for event in golden.log] == list(range(1, len(golden.log) + 1))
    assert all(one.time <= other.time for one, other in pairwise(golden.log))
    assert json.loads(golden.log[0].data)["release"] == golden.release
    assert (HERE / f"{golden.name}.json").read_text(encoding="utf-8") == text(golden)


def test_every_story_is_kept_since_the_first_release() -> None:
    assert {golden.story for golden in GOLDEN if golden.release == FIRST_RELEASE} <= STORIES.keys()
    assert {golden.story for golden in GOLDEN} == STORIES.keys()


def test_the_golden_logs_hold_every_kind_of_event() -> None:
    """They would promise little if they did not; only a cancelled run has an end that no replay can reach."""
    held = {event.kind for golden in GOLDEN for event in golden.log}
    assert held >= {
        *("model.requested", "tool.called", "question.asked", "timer.set", "effect.requested"),
        *("model.answered", "tool.finished", "question.answered", "timer.fired", "effect.done"),
        *("deadline.struck", "touch.cancelled", "gate.asked", "gate.answered", "step.retrying"),
        *("run.created", "run.started", "run.paused", "run.resumed", "run.completed", "run.failed"),
    }


def test_a_golden_log_holds_an_outcome_that_came_too_late() -> None:
    log = read(HERE / "0.1.0-hurried.json").log
    cancelled = {event.path: event.seq for event in log if event.kind == "touch.cancelled"}
    late = [event for event in log if event.kind == "tool.finished" and event.path in cancelled]
    assert [write(event.path) for event in late] == ["~limit/print"]
    assert late[0].seq > cancelled[late[0].path]


# Recording


def test_a_new_release_records_every_story_and_writes_over_none(tmp_path: Path) -> None:
    written = write_all(tmp_path, "9.9.9")
    assert [read(path).story for path in written] == list(STORIES)
    before = {path: path.read_bytes() for path in written}
    with pytest.raises(FileExistsError, match=r"9\.9\.9-travel\.json"):
        write_all(tmp_path, "9.9.9")
    assert {path: path.read_bytes() for path in written} == before


def test_one_log_that_is_there_keeps_all_from_being_recorded(tmp_path: Path) -> None:
    there = tmp_path / "9.9.9-pays.json"
    there.write_text("{}", encoding="utf-8")
    with pytest.raises(FileExistsError):
        write_all(tmp_path, "9.9.9")
    assert list(tmp_path.iterdir()) == [there]


# A program that changed under a log


async def asks_something_else(ctx: Context, arguments: Json) -> Json:
    bill = await ctx.model("read", "the invoice")
    return {"bill": bill, "receipt": await ctx.tool("pay", {"bill": bill})}


async def uses_another_name(ctx: Context, arguments: Json) -> Json:
    bill = await ctx.model("scan", "the bill")
    return {"bill": bill, "receipt": await ctx.tool("pay", {"bill": bill})}


async def uses_another_verb(ctx: Context, arguments: Json) -> Json:
    bill = await ctx.tool("read", "the bill")
    return {"bill": bill, "receipt": await ctx.tool("pay", {"bill": bill})}


async def hands_on_something_else(ctx: Context, arguments: Json) -> Json:
    bill = await ctx.model("read", "the bill")
    return {"bill": bill, "receipt": await ctx.tool("pay", {"sum": bill})}


async def leaves_something_out(ctx: Context, arguments: Json) -> Json:
    return {"bill": await ctx.model("read", "the bill")}


async def asks_in_a_branch(ctx: Context, arguments: Json) -> Json:
    bill = await ctx.branch("read", lambda ctx: ctx.model("read", "the bill"))
    return {"bill": bill, "receipt": await ctx.tool("pay", {"bill": bill})}


@pytest.mark.parametrize(
    ("body", "path", "difference"),
    [
        (asks_something_else, "read", 'it now asks "the invoice"'),
        (uses_another_name, "read", "the log holds the outcome of a model, but it asks for <model scan>"),
        (uses_another_verb, "read", "the log holds the outcome of a model, it asks for a tool"),
        (hands_on_something_else, "pay", 'it now asks {"sum":"12 €"}'),
        (
            leaves_something_out,
            "pay",
            "the log holds the outcome of a tool, but it does not ask for that here",
        ),
        (asks_in_a_branch, "read", "the log holds the outcome of a model, which is a branch now"),
    ],
)
def test_a_program_that_changed_under_a_golden_log_stops_as_diverged(
    body: ProgramBody, path: str, difference: str
) -> None:
    log = read(HERE / "0.1.0-pays.json").log[:-1]
    story = replace(STORIES["pays"], program=Program("pays", body))
    host = taken_up(story, log)
    with pytest.raises(Diverged) as caught:
        host.resume("run", story.program)
    assert (write(caught.value.path), caught.value.difference) == (path, difference)
    assert str(caught.value) == f"at {path}: {difference} (recorded by 'pays' of release 0.1.0)"
    assert host.logs["run"].events == log
    assert not host.performed


def test_a_program_that_says_less_than_a_golden_log_holds_has_diverged() -> None:
    async def says_nothing(ctx: Context, arguments: Json) -> Json:
        seen = await ctx.effect("seen", "dedup", {"key": "a"})
        await ctx.sleep("a moment", 2.5)
        return {"seen": seen}

    log = read(HERE / "0.1.0-second_thoughts.json").log[:-1]
    host = taken_up(STORIES["second_thoughts"], log)
    with pytest.raises(Diverged, match="starts or notes more than it gives now"):
        host.resume("run", Program("second_thoughts", says_nothing))


# Taking up


def taken_up(story: Story, log: Sequence[Event]) -> MemoryHost:
    """The world of a story, with a run that was interrupted behind these events."""
    host = story.host(now=log[-1].time)
    host.logs["run"] = MemoryLog()
    host.logs["run"].append(0, log)
    return host


def to_its_end(host: MemoryHost, story: Story) -> Report:
    report = host.resume("run", story.program)
    if report.status == "paused":
        report = host.answer("run", story.program, "publish", {"go": True, "tone": "warm"})
    return report


def _said(event: Event) -> tuple[object, ...]:
    return event.kind, event.path, event.cause, event.data, event.fingerprint
