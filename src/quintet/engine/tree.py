"""The tree of scopes: whom an outcome is for, who stands under whom, who waits for whom.

Everything in a run is found by walking down from the root along a path; nothing here changes anything.  The
tree holds what is alive only.  What has ended is known by the counters of the scopes that live on: a name
that has occurred as often as an outcome says, and is not there any more, is over.
"""

from __future__ import annotations

from collections.abc import Iterator

from quintet.engine.events import Kind
from quintet.engine.failures import Diverged
from quintet.engine.paths import Path, Segment
from quintet.engine.scopes import Branch, Scope, Slots
from quintet.engine.touches import Outcome, Touch, shortened

MOST_NAMES = 12
"""So many are named of those who wait for one another."""


def children_first(top: Scope) -> Iterator[Scope]:
    """All scopes from one down, each after its children, which come in the order in which they began."""
    stack = [(top, iter(list(top.children.values())))]
    while stack:
        scope, children = stack[-1]
        child = next(children, None)
        if child is None:
            stack.pop()
            yield scope
        elif child.children:
            stack.append((child, iter(list(child.children.values()))))
        else:
            yield child


def find(root: Scope, path: Path, kind: Kind) -> Touch | None:
    """The open touch of this kind at this path, if there is one."""
    scope: Scope | None = root
    for segment in path if kind == "deadline" else path[:-1]:
        scope = scope.children.get(segment)
        if scope is None:
            return None
    touch = scope.alarm if kind == "deadline" else scope.touch
    if touch is None or touch.kind != kind or touch.path != path:
        return None
    return touch


def match(root: Scope, outcome: Outcome) -> Touch | None:
    """The open touch that an outcome is for, or None where it comes too late.

    Raises Diverged if there is no such touch and never was, or if it asks for something else.
    """
    touch = find(root, outcome.path, outcome.kind)
    if touch is None:
        _over_or_never(root, outcome)
    elif outcome.fingerprint is not None and outcome.fingerprint != touch.fingerprint:
        raise Diverged(outcome.path, f"it now asks {shortened(touch.text)}")
    return touch


def _over_or_never(root: Scope, outcome: Outcome) -> None:
    """Raises Diverged unless what an outcome is for was there once, and has ended."""
    scope = root
    for segment in outcome.path:
        child = scope.children.get(segment)
        if child is not None:
            scope = child
        elif scope.counts.get(segment.name, 0) < segment.occurrence:
            now = f"asks for {scope.touch!r}" if scope.touch else "does not ask for that here"
            raise Diverged(outcome.path, f"the log holds the outcome of a {outcome.kind}, but it {now}")
        elif (other := _namesake(scope, segment)) is not None:
            raise Diverged(
                outcome.path, f"the log holds the outcome of a {outcome.kind}, it asks for {other}"
            )
        else:
            return
    raise Diverged(outcome.path, f"the log holds the outcome of a {outcome.kind}, which is a branch now")


def _namesake(scope: Scope, segment: Segment) -> str | None:
    """What is alive under the name of a segment, but is no scope of its sort."""
    touch = scope.touch
    if touch is not None and (touch.name, touch.occurrence) == segment[:2]:
        return f"a {touch.kind}"
    sorts = ((False, False), (True, False), (True, True))
    if any(Segment(segment.name, segment.occurrence, *sort) in scope.children for sort in sorts):
        return "a branch of another sort"
    return None


def cycle(root: Scope) -> str:
    """Who waits for whom, where nobody can go on."""
    chain: dict[Scope, None] = {}
    scope: Scope | None = root
    while scope is not None and scope not in chain:
        chain[scope] = None
        scope = _waits_for(scope)
    names = [repr(each) for each in chain]
    if scope is None:
        names.append("a slot that nobody gives back")
    else:
        names = [*names[list(chain).index(scope) :], repr(scope)]
    if len(names) > MOST_NAMES:
        names[MOST_NAMES // 2 : -MOST_NAMES // 2] = ["…"]
    return " waits for ".join(names)


def _waits_for(scope: Scope) -> Scope | None:
    match scope.waiting:
        case Branch(scope=other):
            return other
        case Slots() as slots:
            return next((holder for holder in slots.holders if holder.state != "ended"), None)
        case None:
            return next(iter(scope.children.values()), None)
