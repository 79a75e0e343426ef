"""Events: the log of a run as people read it, a line an event.

12  0:03.204  model.answered   review/model   412 → 233 "The plan is sound, but…"
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

from quintet.display import amounts
from quintet.display.rows import NARROWEST, Role, Row, fitted, padded, shown
from quintet.drawing.cells import width as cells
from quintet.engine.events import Event, Family, family
from quintet.engine.paths import display
from quintet.engine.values import Json, decode, encode

_ROLES: dict[Family, Role] = {"outcome": "name", "start": "", "note": "quiet", "host": "heading"}
_NARROW = 72
"""Where there is less, details stand on a line of their own."""
_LONGEST = 400


def log(events: Sequence[Event], columns: int, *, began: float | None = None) -> list[Row]:
    """The rows of a log, or of a piece of it.

    Args:
        events: In order.
        columns: How wide the screen is.
        began: When the run began, where that is not the time of the first of these events.
    """
    columns = max(columns, NARROWEST)
    start = events[0].time if events and began is None else began or 0.0
    number = max((len(str(event.seq)) for event in events), default=1)
    kind = max((len(shown(event.kind)) for event in events), default=1)
    time = max((len(_since(event, start)) for event in events), default=1)
    path = min(max((cells(shown(display(event.path))) for event in events), default=0), columns // 3)
    rows: list[Row] = []
    for event in events:
        head: Row = (
            ("quiet", str(event.seq).rjust(number)),
            ("", "  "),
            ("quiet", _since(event, start).rjust(time)),
            ("", "  "),
            (_role(event), padded(shown(event.kind), min(kind, 18))),
            ("", "  "),
        )
        where: Row = (("agent", padded(shown(display(event.path)), path)), ("", "  ")) if path else ()
        said: Row = (("", _said(event)),)
        rows += _laid_out(head, where, said, columns)
    return rows


def _laid_out(head: Row, where: Row, said: Row, columns: int) -> list[Row]:
    if columns >= _NARROW:
        return [fitted((*head, *where, *said), columns)]
    rest = (*where, *said)
    below = [fitted((("", "    "), *rest), columns)] if "".join(text for _, text in rest).strip() else []
    return [fitted(head, columns), *below]


def _role(event: Event) -> Role:
    if event.kind.endswith(".failed") or '"failure"' in event.data[:12]:
        return "error"
    return _ROLES[family(event.kind)]


def _since(event: Event, start: float) -> str:
    """`0:03.204`, since the run began."""
    thousandths = round(max(event.time - start, 0.0) * 1000)
    return f"{amounts.clock(thousandths // 1000)}.{thousandths % 1000:03}"


def _said(event: Event) -> str:
    """What matters of an event, on a line."""
    data: Json = decode(event.data)
    if not isinstance(data, Mapping):
        return "" if data is None else _brief(data)
    told: Mapping[str, Any] = data
    match event.kind:
        case "run.created":
            pinned = _of(told, "pinned")
            return shown(f"{pinned.get('workflow', '')} {pinned.get('format', '')}")
        case "model.requested":
            return _quoted(_last_text(told.get("messages")))
        case "model.answered" if "value" in told:
            value = _of(told, "value")
            usage = _of(value, "usage")
            tokens = amounts.tokens(usage.get("input", 0), usage.get("output", 0))
            return f"{tokens} {_quoted(str(_of(value, 'message').get('text') or ''))}".strip()
        case "tool.called":
            return _brief(told.get("arguments"))
        case "question.asked" | "gate.asked":
            return _quoted(str(_of(told, "question").get("prompt") or told.get("prompt") or ""))
        case _:
            return _other(told)


def _other(told: Mapping[str, Any]) -> str:
    failure = told.get("failure") if isinstance(told.get("failure"), Mapping) else told
    if isinstance(failure, Mapping) and "message" in failure and "kind" in failure:
        failed = cast("Mapping[str, Any]", failure)
        return shown(f"{failed['kind']}: {failed['message']}"[:_LONGEST])
    for only in ("value", "output", "answer"):
        if only in told:
            return _brief(told[only])
    return _brief(told) if told else ""


def _of(told: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    found = told.get(key)
    return cast("Mapping[str, Any]", found) if isinstance(found, Mapping) else {}


def _last_text(messages: object) -> str:
    if not isinstance(messages, Sequence) or not messages or not isinstance(messages[-1], Mapping):
        return ""
    return str(cast("Mapping[str, Any]", messages[-1]).get("text") or "")


def _quoted(text: str) -> str:
    return f'"{shown(text[:_LONGEST])}"' if text else ""


def _brief(value: Json) -> str:
    return _quoted(value) if isinstance(value, str) else shown(encode(value)[:_LONGEST])
