"""A watch tells a run's log once, whatever it hears before it is told what was there."""

from collections.abc import Sequence

from quintet.engine.events import Event
from quintet.engine.paths import Path, parse
from quintet.runs.live import Watch

CREATED = '{"began": 0.0, "arguments": null, "pinned": {}}'


def events(*kinds: str) -> list[Event]:
    data = {"run.created": CREATED}
    return [Event(n, 0.0, kind, (), 0, data.get(kind, "null")) for n, kind in enumerate(kinds, 1)]


def test_what_was_heard_before_the_log_was_read_is_not_told_twice() -> None:
    log = events("run.created", "run.started", "run.paused", "run.resumed", "run.cancelled")
    watch = Watch()
    watch.kept("r", log[3:])
    watch.begin("r", log)
    assert watch.chronicle is not None
    assert watch.chronicle.status == "cancelled"


class Heard:
    def __init__(self) -> None:
        self.told: list[str] = []

    def kept(self, run_id: str, events: Sequence[Event]) -> None:
        self.told += [event.kind for event in events]

    def said(self, run_id: str, path: Path, piece: str) -> None:
        self.told.append(piece)


def test_an_audience_hears_everything_as_it_comes() -> None:
    heard = Heard()
    watch = Watch(heard)
    watch.kept("r", events("run.created", "run.started"))
    watch.said("r", parse("one/model"), "hel")
    assert heard.told == ["run.created", "run.started", "hel"]
