"""The first event of a log."""

from __future__ import annotations

import pytest

from quintet import __version__
from quintet.engine.context import Context
from quintet.engine.created import Created
from quintet.engine.events import Event
from quintet.engine.programs import Program, Unsupported, Version
from quintet.engine.redaction import MASK, Redactor
from quintet.engine.values import Json


async def _body(ctx: Context, arguments: Json) -> Json:
    return arguments


PROGRAM = Program("p", _body, (Version("turn", 3),))


def _created() -> Created:
    return Created.of(PROGRAM, {"prompt": "hi"}, origin="run-1", now=5.0, pinned={"file": "text abcd"})


def test_what_a_run_was_made_from_is_read_back_from_its_first_event() -> None:
    first, second = _created().first_events(6.0, Redactor())
    assert Created.from_event(first).first_events(6.0, Redactor()) == [first, second]
    assert Created.from_event(first).arguments == {"prompt": "hi"}
    assert [(event.seq, event.kind, event.time) for event in (first, second)] == [
        (1, "run.created", 6.0),
        (2, "run.started", 6.0),
    ]


def test_secrets_do_not_get_into_the_first_event() -> None:
    first, _ = _created().first_events(6.0, Redactor(["abcd"]))
    assert Created.from_event(first).pinned == {"file": f"text {MASK}"}


def test_the_recorder_is_named_with_versions_and_release() -> None:
    assert _created().recorder == f"'p', turn version 3 of release {__version__}"


def test_what_a_newer_release_says_of_a_run_is_refused_naming_that_release() -> None:
    data = '{"release":"9.9","novelty":1,"program":"p"}'
    with pytest.raises(Unsupported, match=r"release 9\.9.*novelty"):
        Created.from_event(Event(1, 0.0, "run.created", (), 0, data))
