"""Offers: outcomes of an earlier run that touches of a new one may take."""

from __future__ import annotations

import json
from collections.abc import Sequence

from quintet.engine.context import Context
from quintet.engine.events import Event
from quintet.engine.machine import Machine
from quintet.engine.offers import Offers, taken_over
from quintet.engine.paths import parse
from quintet.engine.touches import Touch
from quintet.engine.values import Json


def touch(request: Json = 1) -> Touch:
    """A tool's call at the path `t`."""

    async def program(ctx: Context) -> Json:
        return await ctx.tool("t", request)

    [asked] = Machine(program).take()
    assert isinstance(asked, Touch)
    return asked


def outcome(of: Touch, value: Json = "it", *, kind: str = "tool.finished", path: str = "t") -> Event:
    data = json.dumps({"value": value})
    return taken_over(Event(9, 4.0, kind, parse(path), 0, data, of.fingerprint), "old")


def texts(offers: Offers) -> Sequence[Json]:
    return json.loads(json.dumps(offers.to_json()))


def test_an_outcome_is_taken_by_the_touch_that_asks_the_very_same() -> None:
    asked = touch()
    offers = Offers()
    offers.put(outcome(asked))
    assert offers.take(asked) == outcome(asked)
    assert offers.take(asked) is None


def test_an_outcome_is_for_its_path_and_kind_only() -> None:
    asked = touch()
    offers = Offers()
    offers.put(outcome(asked, path="t#2"))
    offers.put(outcome(asked, kind="model.answered"))
    assert offers.take(asked) is None
    assert len(offers.to_json()) == 2


def test_a_changed_request_takes_nothing_unless_the_past_is_to_be_kept() -> None:
    """A retry takes only outcomes whose request is unchanged; a fork takes them, changed or not."""
    for changed in (False, True):
        offers = Offers(changed=changed)
        offers.put(outcome(touch(1)))
        assert (offers.take(touch(2)) is not None) is changed
        assert offers.to_json() == []


def test_what_is_left_survives_as_json() -> None:
    asked = touch()
    offers = Offers()
    offers.put(outcome(asked, {"ä": [1, None]}))
    taken = Offers(texts(offers)).take(asked)
    assert taken is not None
    assert json.loads(taken.data) == {
        "value": {"ä": [1, None]},
        "taken": {"run": "old", "seq": 9, "time": 4.0},
    }
    assert (taken.kind, taken.path, taken.fingerprint) == ("tool.finished", parse("t"), asked.fingerprint)


def test_a_time_limit_is_never_kept_on_offer() -> None:
    """A time limit strikes in its turn or not at all."""
    offers = Offers()
    offers.put(outcome(touch(), kind="deadline.struck"))
    assert offers.to_json() == []


def test_what_is_taken_over_again_still_says_where_it_came_from_first() -> None:
    first = outcome(touch())
    assert taken_over(first, "a later run").data == first.data
