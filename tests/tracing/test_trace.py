"""Spans as a log tells them, event by event."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias

from quintet.engine.events import Event
from quintet.engine.paths import parse
from quintet.engine.values import Json, encode
from quintet.tracing.measures import TOKENS, measures
from quintet.tracing.span import Span, span_id, trace_id
from quintet.tracing.trace import Trace

Row: TypeAlias = tuple[str, str, Json]

PINNED: Json = {"workflow": "w", "format": "f"}
CREATED: Row = ("run.created", "", {"pinned": PINNED, "origin": "r", "program": "p"})
ASKED: Json = {"agent": {"name": "a"}, "before": None, "head": "h", "messages": []}
ANSWERED: Json = {
    "agent": {"name": "a"},
    "usage": {"input": 2, "output": 1},
    "message": {"role": "assistant"},
}
TIMEOUT: Json = {"kind": "timeout", "message": "timed out"}


def told(*rows: Row, causes: Iterable[int] = ()) -> list[tuple[str, Span]]:
    """What became of spans, with a second between events."""
    trace, given = Trace("r", lambda agent: None), list(causes)
    events = [
        Event(seq, float(seq), kind, parse(path), given[seq - 1] if given else 0, encode(data))
        for seq, (kind, path, data) in enumerate(rows, 1)
    ]
    return [(move, span) for event in events for move, span in trace.hear(event) if move != "begun"]


def test_what_is_under_way_when_time_runs_out_ends_there_and_what_comes_later_is_not_told() -> None:
    moves = told(
        CREATED,
        ("turn.started", "t", {"agent": "a"}),
        ("model.requested", "t/model", ASKED),
        ("deadline.struck", "t", {"failure": TIMEOUT}),
        ("touch.cancelled", "t/model", None),
        ("turn.cancelled", "t", None),
        ("model.answered", "t/model", {"value": ANSWERED}),
        ("run.completed", "", {"output": None}),
        causes=[0, 0, 0, 0, 4, 4, 0, 0],
    )
    assert [(span.operation, span.error, span.seconds) for _, span in moves] == [
        ("chat", "timeout", 2.0),
        ("invoke_agent", "timeout", 4.0),
        ("invoke_workflow", None, 7.0),
    ]


def test_what_nobody_wants_any_more_is_cancelled_and_no_error() -> None:
    moves = told(
        CREATED,
        ("turn.started", "t", {"agent": "a"}),
        ("model.requested", "t/model", ASKED),
        ("run.cancelled", "", None),
    )
    assert [span.operation for _, span in moves] == ["chat", "invoke_agent", "invoke_workflow"]
    assert all(span.attributes["quintet.status"] == "cancelled" and span.error is None for _, span in moves)


def test_what_was_taken_over_is_dropped_but_not_the_turn_that_goes_on_from_it() -> None:
    taken: Json = {"value": ANSWERED, "taken": {"time": 0.5}}
    moves = told(
        CREATED,
        ("turn.started", "t", {"agent": "a"}),
        ("model.requested", "t/model", ASKED),
        ("model.answered", "t/model", taken),
        ("turn.completed", "t", {}),
        ("turn.started", "u", {"agent": "a"}),
        ("model.requested", "u/model", ASKED),
        ("model.answered", "u/model", taken),
        ("model.requested", "u/model#2", ASKED),
        ("model.answered", "u/model#2", {"value": ANSWERED}),
        ("turn.completed", "u", {}),
    )
    assert [(move, span.operation) for move, span in moves] == [
        ("dropped", "chat"),
        ("dropped", "invoke_agent"),
        ("dropped", "chat"),
        ("ended", "chat"),
        ("ended", "invoke_agent"),
    ]
    turn = moves[-1][1]
    assert (turn.requests, turn.usage["gen_ai.usage.input_tokens"]) == (1, 2)


def test_an_answer_that_is_a_failure_counts_what_it_took() -> None:
    failure: Json = {
        "kind": "truncated",
        "message": "cut off",
        "detail": {"usage": {"input": 5, "output": 9}},
    }
    (_, chat), *_ = told(
        CREATED,
        ("model.requested", "model", ASKED),
        ("model.answered", "model", {"failure": failure}),
    )
    assert chat.attributes["gen_ai.response.finish_reasons"] == ["length"]
    assert {measure.value for measure in measures(chat) if measure.histogram is TOKENS} == {5, 9}


def test_what_was_cut_begins_anew_when_the_run_goes_on() -> None:
    moves = told(
        CREATED,
        ("turn.started", "t", {"agent": "a"}),
        ("model.requested", "t/model", ASKED),
        ("run.started", "", None),
        ("run.resumed", "", None),
        ("model.answered", "t/model", {"value": ANSWERED}),
        ("turn.completed", "t", {}),
    )
    assert [(span.operation, span.seconds) for _, span in moves] == [("chat", 1.0), ("invoke_agent", 5.0)]


def test_a_turn_and_its_run_are_two_spans_even_where_they_have_the_same_path() -> None:
    (_, turn), *_ = told(CREATED, ("turn.started", "", {"agent": "a"}), ("turn.failed", "", TIMEOUT))
    assert turn.parent is not None
    assert turn.parent.operation == "invoke_workflow"
    assert span_id("r", turn) != span_id("r", turn.parent)


def test_ids_follow_from_the_run_and_the_path() -> None:
    span = Span("chat", "m", parse("t/model"), None, 0.0)
    again = Span("chat", "another", parse("t/model"), None, 9.0)
    assert span_id("r", span) == span_id("r", again) != span_id("s", span)
    assert span_id("r", span) != span_id("r", Span("chat", "m", parse("t/model#2"), None, 0.0))
    assert trace_id("r") != trace_id("s")
    assert 0 < trace_id("r") < 2**128
