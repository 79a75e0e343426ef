"""Details: what is said of an item beside its name, and below it."""

from __future__ import annotations

import re
from dataclasses import dataclass

from quintet.display import amounts
from quintet.display.commands import Commands
from quintet.display.items import Item
from quintet.display.rows import Row, paragraph, shown, width
from quintet.display.signs import sign
from quintet.record import Run

_INDEX = re.compile(r"\[\d+\]")
_MOST_NAMED = 5


@dataclass(frozen=True, slots=True)
class Teller:
    """Speaks of the items of one run."""

    commands: Commands
    now: float
    is_live: bool = True
    """Whether the run goes on; else its last lines say how to answer."""
    several: bool = False
    """Whether there are several questions, so that an answer must say to which."""

    def beside(self, item: Item, *, unit: bool = False) -> Row:
        """What stands in the last column."""
        told = [*self._state(item), *_count(item)]
        if verdict := shown(item.verdict):
            told.insert(0, (("name", verdict),))
        if item.shape == "loop" and (until := _until(item)):
            told.append((("quiet", until),))
        if item.output_tokens and (tokens := amounts.tokens(item.input_tokens, item.output_tokens)):
            told.append((("quiet", tokens + " tokens" * unit),))
        return _joined(told)

    def below(self, item: Item, voice: Item, room: int, reason: str = "") -> list[Row]:
        """What stands under it: why it, or its latest, failed; what is asked."""
        rows: list[Row] = []
        if item.state == "failed" and item.shape != "tool" and (said := reason or voice.error):
            rows += paragraph(said, room, 4, "error", "  ")
        for question in voice.questions:
            rows += paragraph(question.prompt, room, 4, "name", "  ")
            if self.is_live:
                command = self.commands.answer(question, several=self.several)
                rows.append(self._how_to_answer(command, room - 2))
        return rows

    def _how_to_answer(self, command: str, room: int) -> Row:
        """The command if there is room for all of it; else the shorter one."""
        row: Row = (("", "  "), ("hint", shown(command)), ("quiet", "   or: quintet inbox"))
        if width(row) <= room:
            return row
        return row[:2] if width(row[:2]) <= room else (("", "  "), ("hint", "quintet inbox"))

    def _state(self, item: Item) -> list[Row]:
        tried = _tried(item)
        match item.state:
            case "coming" if item.note:
                return [(("quiet", shown(item.note)),)]
            case "skipped":
                return [(("quiet", f"skipped: {shown(item.note)}" if item.note else "skipped"),)]
            case "asking":
                return [(("approval", "waits for a person"),)]
            case "stopped":
                return [(("warning", "interrupted"),)]
            case "cancelled":
                return [(("warning", "cancelled"),)]
            case "retrying":
                return [(("warning", self._again(item)),)]
            case "failed" if item.shape == "tool":
                return [(("error", shown(item.error) or "failed"),)]
            case "failed" if item.shape == "turn":
                return [(("error", tried or "failed"),)]
            case _:
                return [(("quiet", tried),)] if tried else []

    def _again(self, item: Item) -> str:
        """`2nd attempt in 4.0 s: slow down`."""
        left = (item.again_at or 0.0) - self.now
        when = f" in {amounts.duration(left)}" if left > 0 else ""
        return f"{amounts.ordinal(item.attempts + 1)} attempt{when}: {shown(item.error)}"


def teller_of(run: Run, now: float, store: str) -> Teller:
    """Who speaks of a run."""
    is_live, several = run.status in {"created", "running"}, len(run.questions) > 1
    return Teller(Commands(run.id, store), now, is_live, several)


def _tried(item: Item) -> str:
    """`3rd attempt of 3`, unless it was the first of one."""
    if item.attempts == 1:
        return ""
    of = f" of {item.most_attempts:,}" if item.most_attempts else ""
    return f"{amounts.ordinal(item.attempts)} attempt{of}"


def _until(item: Item) -> str:
    """How long a loop went on, or goes on at most."""
    if item.limit is not None and (item.at_work or len(item.children) >= item.limit):
        return f"of at most {item.limit:,}"
    return shown(item.note) if item.over else ""


def _count(item: Item) -> list[Row]:
    """How many items are done, and which have failed."""
    if item.shape != "each":
        return []
    done = sum(child.over for child in item.children)
    return [(("name", f"{done:,}/{item.limit or len(item.children):,}"),), *_failures(item)]


def _failures(item: Item) -> list[Row]:
    failed = [child for child in item.children if child.state == "failed"]
    if not failed:
        return []
    found = (_INDEX.search(child.name) for child in failed[:_MOST_NAMED])
    named = " ".join(one[0] for one in found if one) + (" …" if len(failed) > _MOST_NAMED else "")
    return [(sign("failed"), ("error", f" {len(failed):,}: {named}"))]


def _joined(told: list[Row]) -> Row:
    parts: Row = ()
    for row in told:
        parts = (*parts, ("", "  "), *row) if parts else row
    return parts
