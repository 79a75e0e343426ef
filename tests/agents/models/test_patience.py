"""A model is asked again where that may help; what was shown of a broken answer is taken back."""

from __future__ import annotations

import asyncio
from collections.abc import Generator, Sequence
from contextlib import contextmanager

import pytest

from quintet.agents.messages import assistant, user
from quintet.agents.models.lanes import Lane
from quintet.agents.models.patience import LONGEST, MOST_TRIES, WITH_OTHERS, ask_patiently
from quintet.agents.models.port import Ask, Said, Tokens, Trouble, TroubleKind
from quintet.agents.models.settings import Pace
from quintet.engine.paths import Path
from quintet.engine.performing import RESTART, Call, Say
from tests.engine.local.virtual_time import run

ANSWER = Said(assistant("done"), tokens=Tokens(1, 1))


class Moody:
    """A port that has its bad moments."""

    def __init__(self, *moods: Trouble | Said) -> None:
        self._moods = list(moods)
        self.asked: list[float] = []

    async def ask(self, ask: Ask, say: Say) -> Said:
        self.asked.append(asyncio.get_running_loop().time())
        say("do")
        mood = self._moods.pop(0) if len(self._moods) > 1 else self._moods[0]
        if isinstance(mood, Trouble):
            raise mood
        say("ne")
        return mood


class Listener:
    """Whoever performs the request."""

    def __init__(self) -> None:
        self.heard: list[str] = []
        self.rests = 0
        self.is_resting = False

    @contextmanager
    def rest(self) -> Generator[None]:
        self.rests += 1
        self.is_resting = True
        yield
        self.is_resting = False

    @property
    def call(self) -> Call:
        path: Path = ()
        return Call("r", path, "model", "model", None, "key", self.heard.append, self.rest)


def asked(port: Moody, listener: Listener | None = None, lanes: Sequence[Lane] = ()) -> Said:
    call = (listener or Listener()).call
    return run(ask_patiently(port, lanes, Ask([user("hello")]), call))


def passing(kind: str = "provider", **more: float) -> Trouble:
    return Trouble(kind, "not now", passing=True, **more)  # pyright: ignore[reportArgumentType]: one of them


def test_a_model_that_breaks_down_is_asked_again_a_little_later() -> None:
    port = Moody(passing(), passing(), ANSWER)
    assert asked(port) is ANSWER
    first, second, third = port.asked
    assert 0.25 <= second - first <= 1.0
    assert second - first < third - second <= 2.0


def test_a_model_that_keeps_breaking_down_is_given_up() -> None:
    port = Moody(passing())
    with pytest.raises(Trouble, match="not now"):
        asked(port)
    assert len(port.asked) == MOST_TRIES


def test_what_will_not_pass_is_not_tried_again() -> None:
    port = Moody(Trouble("auth", "who are you?", definite=True))
    with pytest.raises(Trouble, match="who are you"):
        asked(port)
    assert len(port.asked) == 1


def test_a_provider_is_waited_for_as_long_as_it_asks() -> None:
    port = Moody(passing("rate_limit", retry_after=30.0), ANSWER)
    asked(port)
    assert 30 <= port.asked[1] - port.asked[0] < 32


def test_a_limit_is_waited_for_much_longer_than_a_breakdown_but_not_for_ever() -> None:
    port = Moody(passing("rate_limit", retry_after=60.0))
    with pytest.raises(Trouble):
        asked(port)
    assert len(port.asked) > MOST_TRIES
    assert port.asked[-1] - port.asked[0] <= LONGEST + 5  # the clock is not quite a virtual one


def test_what_was_shown_of_a_broken_answer_is_taken_back() -> None:
    listener = Listener()
    asked(Moody(passing(), ANSWER), listener)
    assert listener.heard == ["do", RESTART, "do", "ne"]


def test_no_time_limit_runs_while_a_request_waits() -> None:
    listener = Listener()
    asked(Moody(passing(), ANSWER), listener)
    assert listener.rests == 3  # before the first try, after it, before the second
    assert not listener.is_resting


def test_what_is_too_much_for_one_request_slows_all_others_down() -> None:
    async def story() -> list[float]:
        loop = asyncio.get_running_loop()
        lane = Lane(Pace(), loop.time)
        port = Moody(passing("rate_limit", retry_after=10.0), ANSWER)
        call = Listener().call
        first = asyncio.create_task(ask_patiently(port, [lane], Ask([user("a")]), call))
        await asyncio.sleep(1)
        await ask_patiently(port, [lane], Ask([user("b")]), call)
        await first
        return [round(at - port.asked[0]) for at in port.asked]

    assert run(story())[1:] == [10, 10]


def test_what_no_provider_has_counted_is_estimated() -> None:
    ask = Ask([user("word " * 400)])

    async def story() -> Said:
        return await ask_patiently(Moody(Said(assistant("done"))), [], ask, Listener().call)

    told = run(story()).tokens
    assert told.estimated
    assert told.input > 400
    assert told.output > 0


@pytest.mark.parametrize("kind", ["provider", "timeout", "rate_limit"])
def test_nobody_is_waited_for_longer_than_is_sensible_whatever_they_ask_for(kind: TroubleKind) -> None:
    port = Moody(Trouble(kind, "come back tomorrow", passing=True, retry_after=86_400.0), ANSWER)
    with pytest.raises(Trouble, match="tomorrow"):
        run(ask_patiently(port, [], Ask([user("go")]), Listener().call))


def test_where_another_model_can_be_asked_one_that_is_asked_too_much_is_not_waited_for_long() -> None:
    port = Moody(Trouble("rate_limit", "slow down", passing=True, retry_after=20.0), ANSWER)
    with pytest.raises(Trouble, match="slow down"):
        run(ask_patiently(port, [], Ask([user("go")]), Listener().call, WITH_OTHERS))
