"""The log is a line an event, aligned, with what matters of each."""

from hypothesis import given
from hypothesis import strategies as st

from quintet.display import events as display
from quintet.display.rows import text, width
from quintet.engine.events import Event
from quintet.engine.paths import Segment
from quintet.engine.values import Json, encode
from tests.display.logs import log
from tests.display.runs import harmless

_json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["value", "failure", "message", "kind", "question", "messages", "usage"]), inner
        )
    ),
    max_leaves=8,
)


def _event(kind: str, name: str, data: Json) -> Event:
    return Event(1, 5.0, kind, (Segment(name),), 0, encode(data))


_events = st.builds(
    _event,
    st.sampled_from(
        ["model.requested", "model.answered", "tool.called", "question.asked", "run.created", "odd"]
    ),
    st.text(max_size=50),
    _json,
)


def test_each_event_is_a_line_with_what_matters() -> None:
    events = log()
    lines = [text(row) for row in display.log(events, 120)]
    assert len(lines) == len(events)
    assert len({line.index(event.kind) for line, event in zip(lines, events, strict=True)}) == 1
    seen = "\n".join(lines)
    assert '400 → 30 "This is draft."' in seen
    assert "rate_limit: slow down" in seen
    assert "0:02.000" in seen


@given(st.lists(_events, max_size=5), st.integers(40, 200))
def test_whatever_is_in_it_it_fits(events: list[Event], columns: int) -> None:
    rows = display.log(events, columns)
    assert all(width(row) <= columns for row in rows)
    assert all(map(harmless, rows))
