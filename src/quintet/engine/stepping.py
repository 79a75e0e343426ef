"""Stepping: bodies go on one at a time, in the order in which they became ready, until all are blocked.

This is the inside of the machine.  `run` → `_step_all` → `_step` is its whole loop; `Context` and the handles
of branches and slots call it from inside a step.  Nothing but the machine wakes a scope from outside, so what
happens in here is decided by the order of outcomes alone.
"""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Mapping
from typing import Any, cast

from quintet.engine.bodies import MOST_REFUSALS, coroutine, unwind
from quintet.engine.context import Context
from quintet.engine.events import Kind, family
from quintet.engine.failures import Cancelled, EngineError, Failed, Failure, ProgramError
from quintet.engine.outbox import Outbox
from quintet.engine.paths import Segment
from quintet.engine.scopes import CANCELLED, Acquire, Body, Branch, Result, Returned, Scope, Slots
from quintet.engine.touches import Touch
from quintet.engine.tree import children_first, cycle


class Stepper:
    """The scopes of one program, being stepped."""

    def __init__(
        self, program: Body[Any], version: Mapping[str, int], outbox: Outbox, run_id: str = ""
    ) -> None:
        self.version = version
        self.run_id = run_id
        self.outbox = outbox
        self.trouble: EngineError | None = None
        """Why it stopped for good: a bug, a divergence, or that the host has abandoned it."""
        self._ready: deque[Scope] = deque()
        self._current: Scope | None = None
        self.root = self._start(None, Segment(""), Branch(self, ""), program)

    # What Context and the handles call

    def touch(self, scope: Scope, kind: Kind, name: str, text: str) -> Touch:
        """A touch that is opened when the program awaits it."""
        if self._current is not scope or scope.prepared is not None:
            self._enter(scope, kind, name)
        scope.prepared = touch = Touch(scope, kind, name, text)
        return touch

    def branch(
        self,
        parent: Scope,
        name: str,
        body: Body[Any],
        *,
        silent: bool = False,
        attempt: bool = False,
        renewals: int = 0,
        seconds: float | None = None,
    ) -> Branch[Any]:
        """Start a child scope; with `seconds`, one that is cancelled when that time has passed."""
        self._enter(parent, "branch", name)
        branch: Branch[Any] = Branch(self, name)
        if parent.cancelled or self.trouble is not None:
            return self._refuse_branch(parent, branch)
        counts = parent.counts
        counts[name] = occurrence = counts.get(name, 0) + 1
        segment = Segment(name, occurrence, silent, attempt)
        scope = parent.children[segment] = self._start(parent, segment, branch, body)
        scope.renewals += renewals
        if seconds is not None:
            self.outbox.set_alarm(scope, seconds)
        return branch

    def note(self, scope: Scope, kind: str, text: str) -> None:
        self._enter(scope, "note", kind)
        if family(kind) != "note":
            raise self._found_bug(f"in {scope}: {kind!r} is no note, but a word of the engine's own")
        if self.trouble is None:
            self.outbox.note(scope, kind, text)

    def slots(self, scope: Scope, count: int) -> Slots:
        self._enter(scope, "slots")
        return Slots(self, count)

    def cancel(self, branch: Branch[Any]) -> None:
        if branch.scope is not None and self.trouble is None:
            self.cancel_scope(branch.scope)

    def release(self, slots: Slots) -> None:
        """The current scope gives a permit back."""
        if self._current is None or self.trouble is not None:
            return  # clean-up of a program that was abandoned
        try:
            follower = slots.give_back(self._current)
        except ProgramError as bug:
            self.trouble = bug
            raise
        if follower is not None:
            self.wake(follower, None)

    # The loop

    def run(self) -> None:
        """Step every scope that can go on, in the order in which they became ready, until all are blocked.

        Raises ProgramError where the program has a bug.
        """
        if self.trouble is not None:
            raise self.trouble
        hooks = sys.get_asyncgen_hooks()
        if hooks.firstiter is not None:  # an event loop must not end the program's generators in its own time
            sys.set_asyncgen_hooks(None, None)
        try:
            self._step_all()
        except BaseException as error:
            self._found_bug(f"interrupted by {error!r}", error)
            raise
        finally:
            if hooks.firstiter is not None:
                sys.set_asyncgen_hooks(*hooks)
            if self.trouble is not None:
                self.abandon(self.trouble)
        if self.trouble is not None:
            raise self.trouble

    def _step_all(self) -> None:
        ready = self._ready
        while ready and self.trouble is None:
            self._current = scope = ready.popleft()
            while self._step(scope):
                pass
        self._current = None
        if not self.outbox.open_touches and self.root.state != "ended" and self.trouble is None:
            self._found_bug(f"nothing can ever go on here: {cycle(self.root)}")

    def _step(self, scope: Scope) -> bool:
        """Let one body run until it awaits the next thing, or ends.  True if it need not wait for that."""
        value, scope.value, scope.waiting = scope.value, None, None
        try:
            if scope.coroutine is None:
                request = self._begin(scope, value)
            elif scope.cancelled:
                request = scope.coroutine.throw(Cancelled())
            else:
                request = scope.coroutine.send(value)
        except StopIteration as stop:
            self._end_body(scope, Returned(stop.value))
        except Failed as failed:
            failure = failed.failure
            self._end_body(scope, failure.located(scope.path) if scope.parent else failure)
        except BaseException as error:
            self._end_badly(scope, error)
        else:
            return self._goes_on(scope, request)
        return False

    def _begin(self, scope: Scope, body: Body[Any]) -> object:
        if scope.cancelled:
            raise Cancelled
        assert scope.context is not None
        scope.coroutine = coroutine(body, scope.context)
        return scope.coroutine.send(None)

    def _goes_on(self, scope: Scope, request: object) -> bool:
        """A body awaits something.  True if it can go on at once, else it has to wait."""
        if scope.cancelled:
            return self._refuse(scope)
        if type(request) is Touch:
            if request is not scope.prepared:
                what = f"{request.kind} {request.name!r}"
                self._found_bug(f"in {scope}: {what} was awaited twice, or in another scope")
            self.outbox.open(scope, request)
            scope.state = "blocked"
            return False
        if type(request) is Branch:
            return self._await_branch(scope, cast("Branch[Any]", request))
        if type(request) is Acquire:
            return self._acquire(scope, request.slots)
        self._found_bug(
            f"in {scope}: a program may await its Context only, not {request!r}; what touches the world "
            "belongs into a tool or an effect"
        )
        return False

    def wake(self, scope: Scope, value: Any) -> None:
        scope.value = value
        scope.state = "ready"
        self._ready.append(scope)

    # Scopes

    def _start(self, parent: Scope | None, segment: Segment, branch: Branch[Any], body: Body[Any]) -> Scope:
        scope = branch.scope = Scope(parent, segment, branch)
        scope.context = Context(self, scope)
        scope.value = body
        self._ready.append(scope)
        return scope

    def _end_body(self, scope: Scope, result: Result[Any]) -> None:
        """A body has ended: its scope does when its children have."""
        if scope.prepared is not None and not scope.cancelled:
            self._found_bug(_not_awaited(scope, "its end"))
        scope.result = result
        scope.state = "closing"
        if scope.children and not isinstance(result, Returned):
            for child in list(scope.children.values()):
                self.cancel_scope(child)
        if not scope.children:
            self._end(scope)

    def _end_badly(self, scope: Scope, error: BaseException) -> None:
        """Whatever ends a body and is no failure is a bug, and stops the run; unless it was cancelled."""
        match error:
            case Cancelled() if scope.cancelled:
                self._end_body(scope, CANCELLED)
            case Cancelled():
                self._found_bug(f"in {scope}: Cancelled was raised, but the scope is not cancelled", error)
            case ProgramError():
                self.trouble = self.trouble or error
            case KeyboardInterrupt():
                raise error
            case _:
                self._found_bug(f"in {scope}: {type(error).__name__}: {error}", error)

    def _end(self, scope: Scope) -> None:
        """A scope has ended: tell who waits, and end its parent too if that waited for nothing else."""
        while True:
            result, branch, parent = scope.verdict(), scope.branch, scope.parent
            scope.state = "ended"
            if scope.alarm is not None:
                self.outbox.stop(scope)
            branch.result, branch.scope = result, None
            for waiter in branch.waiters:
                self.wake(waiter, result)
            if parent is None:
                self.outbox.finish(result)
                scope.coroutine = scope.context = None  # its counters stay: they tell late from wrong
                return
            del parent.children[scope.segment]
            if not branch.waiters and isinstance(result, Failure) and result is not CANCELLED:
                branch.home = parent
                parent.unawaited[branch] = result
            branch.waiters.clear()
            scope.free()
            if parent.children or parent.state != "closing":
                return
            scope = parent

    def cancel_scope(self, top: Scope) -> None:
        """Cancel a scope and all below it, children first."""
        if top.cancelled:
            return  # and so is all below it
        for scope in children_first(top):
            if scope.cancelled:
                continue
            scope.cancelled = True
            self.outbox.stop(scope)
            if scope.state == "blocked":
                self._leave_queue(scope)
                self.wake(scope, None)
            elif isinstance(scope.waiting, Slots):  # a permit on its way to a scope that will not use it
                self._return_permit(scope, scope.waiting)

    def _refuse(self, scope: Scope) -> bool:
        """Whatever a cancelled body awaits raises Cancelled again."""
        scope.prepared = None
        scope.refusals += 1
        if scope.refusals > MOST_REFUSALS:
            self._found_bug(f"in {scope}: a cancelled scope keeps awaiting instead of ending")
        return self.trouble is None

    def _refuse_branch(self, scope: Scope, branch: Branch[Any]) -> Branch[Any]:
        """The same for branches; who will not hear gets a dead one, and is stopped where it awaits."""
        scope.refusals += 1
        if scope.refusals <= MOST_REFUSALS:
            raise Cancelled
        branch.result = CANCELLED
        return branch

    # What a scope waits for

    def _await_branch(self, scope: Scope, branch: Branch[Any]) -> bool:
        if branch.stepper is not self:
            self._found_bug(f"in {scope}: branch {branch.name!r} belongs to another run")
            return False
        if branch.result is None:
            branch.waiters[scope] = None
            scope.waiting = branch
            scope.state = "blocked"
            return False
        if branch.home is not None:
            branch.home.unawaited.pop(branch, None)
            branch.home = None
        scope.value = branch.result
        return True

    def _acquire(self, scope: Scope, slots: Slots) -> bool:
        if slots.stepper is not self:
            self._found_bug(f"in {scope}: these slots belong to another run")
            return False
        if slots.take(scope):
            return True
        scope.waiting = slots
        scope.state = "blocked"
        return False

    def _leave_queue(self, scope: Scope) -> None:
        if isinstance(scope.waiting, Slots):
            scope.waiting.leave(scope)
        elif scope.waiting is not None:
            del scope.waiting.waiters[scope]

    def _return_permit(self, scope: Scope, slots: Slots) -> None:
        follower = slots.give_back(scope)
        if follower is not None:
            self.wake(follower, None)

    # Bugs, and the end by them

    def _enter(self, scope: Scope, verb: str, name: str | None = None) -> None:
        """A Context may be used by its own scope, while that runs, and for one touch at a time."""
        if (self._current is scope and scope.prepared is None) or self.trouble is not None:
            return
        what = verb if name is None else f"{verb} {name!r}"
        if self._current is not scope:
            raise self._found_bug(f"{what} was used outside its own scope ({scope})")
        raise self._found_bug(_not_awaited(scope, what))

    def _found_bug(self, message: str, cause: BaseException | None = None) -> ProgramError:
        bug = ProgramError(message)
        bug.__cause__ = cause
        self.trouble = self.trouble or bug
        return bug

    def abandon(self, trouble: EngineError) -> None:
        """Stop for good; the program's clean-up code runs, unheard."""
        self.trouble = self.trouble or trouble
        self._current = None
        self.outbox.take()
        self._ready.clear()
        for scope in list(children_first(self.root)):
            if scope.coroutine is not None:
                unwind(scope.coroutine)
            scope.free()
            scope.children.clear()


def _not_awaited(scope: Scope, before: str) -> str:
    assert scope.prepared is not None
    return (
        f"in {scope}: {scope.prepared.kind} {scope.prepared.name!r} was not awaited before {before}; "
        "what is to happen at once belongs into branches"
    )
