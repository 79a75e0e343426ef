"""The journal: what a run is about to add to its log, in order and on time."""

from __future__ import annotations

from quintet.engine.journal import Journal
from quintet.engine.paths import parse
from quintet.engine.redaction import MASK, Redactor
from quintet.engine.touches import Outcome


def journal(*, seq: int = 2, written: int = 0, now: float = 10.0) -> Journal:
    return Journal(Redactor(["hush-hush"]), seq=seq, written=written, now=now)


def begun() -> Journal:
    """The journal of a run that goes on."""
    new = journal(seq=0)
    new.host("run.created")
    new.host("run.started")
    new.flush()
    new.kept()
    return new


def settle(journal: Journal, path: str) -> None:
    journal.outcome("tool.finished", Outcome(parse(path), "tool"), "f", '{"value":null}')


def test_a_row_carries_the_time_at_which_it_came_about() -> None:
    new = journal()
    new.follow("step.started", parse("a"), 0, "null")
    new.tick(11.0)
    new.follow("step.completed", parse("a"), 0, "null")
    new.tick(12.0)
    assert [event.time for event in new.flush().events] == [10.0, 11.0]


def test_time_never_runs_backwards_in_a_log() -> None:
    new = journal(now=10.0)
    for now in (12.0, 3.0, 12.5, 11.0):
        new.tick(now)
        new.follow("step.started", parse("a"), 0, "null")
    assert [event.time for event in new.flush().events] == [12.0, 12.0, 12.5, 12.5]


def test_what_the_log_holds_is_not_written_again() -> None:
    """Starts and notes follow from outcomes, so they are never written twice."""
    new = journal(written=2)
    for name in "abc":
        new.follow("step.started", parse(name), 0, "null")
    assert [event.path for event in new.flush().events] == [parse("c")]


def test_events_are_numbered_without_gaps() -> None:
    new = begun()
    settle(new, "a")
    assert [event.seq for event in new.flush().events] == [3]
    settle(new, "b")
    assert [outcome.seq for outcome in new.kept()] == [3]
    settle(new, "c")
    assert [event.seq for event in new.flush().events] == [4, 5]
    assert [outcome.seq for outcome in new.kept()] == [4, 5]


def test_what_was_not_kept_waits_again_before_all_others_with_its_requests() -> None:
    new = begun()
    settle(new, "a")
    new.settle_request(7)
    first = new.flush()
    settle(new, "b")
    new.settle_request(8)
    new.put_back()
    assert new.outcomes == 2
    again = new.flush()
    assert again.events[0] == first.events[0]
    assert [event.path for event in again.events] == [parse("a"), parse("b")]
    assert list(again.requests) == [7, 8]


def test_an_outcome_comes_back_only_when_it_is_kept() -> None:
    new = begun()
    settle(new, "a")
    assert new.kept() == []
    new.flush()
    assert [outcome.path for outcome in new.kept()] == [parse("a")]
    assert new.kept() == []


def test_the_status_moves_when_an_event_is_kept_and_not_before() -> None:
    new = begun()
    assert new.status == "running"
    new.host("run.paused")
    assert new.status == "running"
    new.flush()
    assert new.status == "running"
    new.kept()
    assert new.status == "paused"


def test_that_a_run_goes_on_is_said_first_and_at_the_time_it_does() -> None:
    new = journal()
    new.follow("step.started", parse("a"), 0, "null")
    new.tick(500.0)
    new.host_first("run.resumed")
    assert [(event.kind, event.time) for event in new.flush().events] == [
        ("run.resumed", 500.0),
        ("step.started", 500.0),
    ]


def test_an_effect_of_the_store_comes_right_behind_what_was_flushed() -> None:
    new = begun()
    new.follow("effect.requested", parse("e"), 0, "null", "f")
    new.flush()
    event = new.next("effect.done", parse("e"), "f")
    new.follow("step.started", parse("other"), 0, "null")  # while the transaction is under way
    new.kept()
    new.kept_next()
    assert (event.seq, [later.seq for later in new.flush().events]) == (4, [5])


def test_no_secret_is_written_down() -> None:
    new = journal()
    new.follow("state.changed", parse("a"), 0, '{"key":"hush-hush"}')
    new.host("gate.answered", {"gate": "g", "answer": "hush-hush"})
    data = [event.data for event in new.flush().events]
    assert data == [f'{{"key":"{MASK}"}}', f'{{"gate":"g","answer":"{MASK}"}}']
