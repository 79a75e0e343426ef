"""Sights: what can be seen from each place of a workflow, known before anything runs.

"`{{user.<key>}}`, `{{run.id}}`, `{{round}}`, `{{maxRounds}}` reference built-in scope values."  What a scope
will hold is written here as a parser, the same thing that says what a reply holds: a path that it has no
place for leads nowhere in every run.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Final, NamedTuple

from quintet.formats.hyperagent.document import Document, Step
from quintet.formats.hyperagent.javascript import index
from quintet.formats.hyperagent.parser import Array, Number, Object, Parser, Text, Unknown

AFTER: Final = ("parsed", "raw", "current")
"""What is there only when a step has just ended."""
_TEXT, _NUMBER, _ANYTHING = Text(), Number(), Unknown()


class DeadEnd(NamedTuple):
    """Where a path ends, and what it could have gone on with."""

    depth: int
    known: Collection[str]


def dead_end(sight: Parser, names: tuple[str, ...]) -> DeadEnd | None:
    """Where a path leads out of what can be seen; None where it may lead to something."""
    for depth, name in enumerate(names):
        match sight:
            case Unknown():
                return None
            case Object(properties) if name in properties:
                sight = properties[name]
            case Object(properties):
                return DeadEnd(depth, list(properties))
            case Array(items) if name == "length" or index(name) is not None:
                sight = _NUMBER if name == "length" else items
            case Text() if name == "length" or index(name) is not None:
                sight = _NUMBER if name == "length" else _TEXT
            case _:
                return DeadEnd(depth, ())
    return None


class Sights:
    """What can be seen in one workflow."""

    def __init__(self, document: Document, inputs: Collection[str]) -> None:
        self._document = document
        known = None if document.user is None else {**document.user, **dict.fromkeys(inputs, _ANYTHING)}
        self._user: Parser = _ANYTHING if known is None else Object(known)
        self._state = dict.fromkeys(_set(document), _TEXT)
        self._steps = {step.key: self.turn(step) for step in document.round.steps}

    def turn(self, step: Step) -> Object:
        """What a turn of a step holds."""
        texts = dict.fromkeys(("key", "role", "raw", "type"), _TEXT)
        return Object({**texts, "round": _NUMBER, "parsed": self._parsed(step)})

    def before(self, step: Step | None) -> Object:
        """What a prompt sees; None: the reason of the default outcome."""
        return self._scope(in_round=step is not None and step is not self._document.bootstrap, step=step)

    def after(self, step: Step) -> Object:
        """What is seen when a step has ended."""
        seen = self.before(step)
        parsed = self._parsed(step)
        return Object({**seen.properties, "parsed": parsed, "raw": _TEXT, "current": self.turn(step)})

    def at_first(self, set_before: Iterable[str]) -> Object:
        """What a template of the first state sees: of the state, what was set before it."""
        return Object({**self._always(), "state": Object(dict.fromkeys(set_before, _TEXT))})

    def _scope(self, *, in_round: bool, step: Step | None) -> Object:
        seen = {
            **self._always(),
            "state": Object(self._state),
            "steps": Object(self._steps if in_round else {}),
        }
        bootstrap = self._document.bootstrap
        if bootstrap is not None and step is not bootstrap:
            seen["bootstrap"] = self.turn(bootstrap)
        return Object(seen)

    def _always(self) -> dict[str, Parser]:
        run = Object({"id": _TEXT})
        return {"user": self._user, "run": run, "round": _NUMBER, "maxRounds": _NUMBER}

    def _parsed(self, step: Step) -> Parser:
        role = self._document.roles.get(step.role)
        return _ANYTHING if role is None else self._document.parsers.get(role.parser, _ANYTHING)


def _set(document: Document) -> Iterable[str]:
    """All keys that are ever set in the state."""
    yield from (name for name, _ in document.state)
    for step in document.steps:
        yield from (name for name, _ in step.updates)
        for transition in (*step.transitions, *step.exits):
            yield from (name for name, _ in transition.updates)
