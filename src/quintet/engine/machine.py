"""The machine: outcomes go in one at a time, commands come out.

A program is a coroutine that awaits nothing but its `Context`, so the machine can step it by hand.  There is
no event loop here, no clock, no thread and no I/O: only scopes, each of which is ready, blocked or closing.

    machine = Machine(program, arguments)
    for outcome in log: machine.advance(outcome)      # replay: nothing is performed
    loop: commands = machine.take()                   # the host performs touches, records what comes of them
          machine.advance(outcome)                    # one at a time, in the order of the log

The whole of it is `advance` → `_run` → `_step`: deliver one outcome, then step every scope that can go on
until all are blocked.  Because nothing else can wake a scope, the same outcomes in the same order always
lead to the same commands; that is all that replay, resume, fork and retry rely on.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Awaitable, Callable, Coroutine, Iterator, Mapping
from contextlib import suppress
from typing import Any, cast

from quintet.engine.context import Context
from quintet.engine.events import Kind
from quintet.engine.failures import Cancelled, Diverged, Failed, Failure, ProgramError
from quintet.engine.paths import Path, Segment
from quintet.engine.scopes import CANCELLED, Acquire, Body, Branch, Result, Returned, Scope, Slots, State
from quintet.engine.touches import Command, Finished, Note, Outcome, Stop, Touch

MOST_REFUSALS = 100
"""So often may a cancelled body await something; more is a bug.  Clean-up code does it a few times."""


class Machine:
    """One program, being stepped."""

    def __init__(
        self,
        program: Callable[..., Awaitable[Any]],
        arguments: tuple[Any, ...] = (),
        *,
        version: Mapping[str, int] | None = None,
        time: float = 0.0,
    ) -> None:
        self.time = time
        """The time of the latest outcome delivered: what `now()` tells."""
        self.version = version or {}
        self.open_touches = 0
        """How many touches wait for an outcome; alarms of time limits do not count."""
        self._cause = 0
        self._commands: list[Command] = []
        self._ready: deque[Scope] = deque()
        self._current: Scope | None = None
        self._bug: ProgramError | None = None
        self._closed = False
        branch: Branch[Any] = Branch(self, "")
        self._root = self._start(None, Segment(""), (), branch, lambda ctx: program(ctx, *arguments))
        self._run()

    # What the host calls

    @property
    def result(self) -> Result[Any] | None:
        """How the program ended; None while it runs."""
        return self._root.branch.result

    def take(self) -> list[Command]:
        """The commands that came out since the last time."""
        commands, self._commands = self._commands, []
        return commands

    def advance(self, outcome: Outcome) -> Touch | None:
        """Deliver one outcome, and go on until every scope is blocked.

        Gives the touch that it was for; None if it came too late, because that was cancelled.  Raises
        Diverged where no such touch was asked for, and ProgramError where the program has a bug; nothing
        can be delivered after that.
        """
        self._check()
        touch = self._find(outcome)
        if touch is None:
            return None
        self._cause, self.time = outcome.seq, outcome.time
        if touch.kind == "deadline":
            self._strike(touch, outcome)
        else:
            self._deliver(touch, outcome)
        self._run()
        return touch

    def cancel_all(self) -> None:
        """Cancel the program from outside."""
        self._check()
        self._cancel(self._root)
        self._run()

    def find(self, path: Path, kind: Kind) -> Touch | None:
        """The open touch of this kind at this path, if there is one."""
        scope = self._root
        for segment in path if kind == "deadline" else path[:-1]:
            child = scope.children.get(segment)
            if child is None:
                return None
            scope = child
        touch = scope.alarm if kind == "deadline" else scope.touch
        if touch is None or touch.kind != kind or touch.path != path:
            return None
        return touch

    def close(self) -> None:
        """Abandon the program where it stands; its clean-up code runs, unheard."""
        self._closed = True
        self._commands.clear()
        for scope in list(_children_first(self._root)):
            if scope.coroutine is not None:
                with suppress(BaseException):  # the program's last words; nobody can act on them
                    scope.coroutine.close()
            scope.free()
            scope.children.clear()

    # What Context and the handles call

    def touch(self, scope: Scope, kind: Kind, name: str, text: str) -> Touch:
        """A touch that is opened when the program awaits it."""
        self._enter(scope, f"{kind} {name!r}")
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
        self._enter(parent, f"branch {name!r}")
        branch: Branch[Any] = Branch(self, name)
        if parent.cancelled:
            raise Cancelled
        occurrence = parent.counts[name] = parent.counts.get(name, 0) + 1
        segment = Segment(name, occurrence, silent, attempt)
        scope = self._start(parent, segment, (*parent.path, segment), branch, body)
        scope.renewals += renewals
        parent.children[segment] = scope
        if seconds is not None:
            self._set_alarm(scope, seconds)
        return branch

    def note(self, scope: Scope, kind: str, text: str) -> None:
        if not self._closed:
            self._enter(scope, f"note {kind!r}")
            self._commands.append(Note(scope.path, kind, text, self._cause))

    def slots(self, scope: Scope, count: int) -> Slots:
        self._enter(scope, "slots")
        return Slots(self, count)

    def cancel(self, branch: Branch[Any]) -> None:
        if branch.scope is not None and not self._closed:
            self._cancel(branch.scope)

    def release(self, slots: Slots) -> None:
        """The current scope gives a permit back."""
        if self._closed:
            return
        assert self._current is not None
        follower = slots.give_back(self._current)
        if follower is not None:
            self._wake(follower, None)

    # The loop

    def _run(self) -> None:
        """Step every scope that can go on, in the order in which they became ready, until all are blocked."""
        ready = self._ready
        while ready and self._bug is None:
            self._step(ready.popleft())
        self._current = None
        self._check()
        if not self.open_touches and self._root.state is not State.ENDED:
            raise self._found_bug(f"nothing can ever go on here: {_cycle(self._root)}")

    def _step(self, scope: Scope) -> None:
        """Let one body run until it awaits the next thing, or ends."""
        self._current = scope
        try:
            if scope.coroutine is None:
                if scope.cancelled:
                    raise Cancelled
                assert scope.context is not None
                scope.coroutine = _coroutine(scope.value, scope.context)
                request = scope.coroutine.send(None)
            elif scope.cancelled:
                request = scope.coroutine.throw(Cancelled())
            else:
                request = scope.coroutine.send(scope.value)
            self._block(scope, request)
        except StopIteration as stop:
            self._end_body(scope, Returned(stop.value))
        except Failed as failed:
            self._end_body(scope, failed.failure)
        except Cancelled as cancelled:
            if not scope.cancelled:
                self._found_bug("the program raised Cancelled in a scope that is not cancelled", cancelled)
            self._end_body(scope, CANCELLED)
        except ProgramError as bug:
            self._bug = self._bug or bug
        except Exception as bug:  # whatever is no failure is a bug, and stops the run
            self._found_bug(f"{type(bug).__name__}: {bug}", bug)

    def _block(self, scope: Scope, request: object) -> None:
        """A body awaits something: let it wait, or go on at once."""
        if scope.cancelled:
            self._refuse(scope)
        elif type(request) is Touch:
            self._open(scope, request)
        elif type(request) is Branch:
            self._await_branch(scope, cast("Branch[Any]", request))
        elif type(request) is Acquire:
            self._acquire(scope, request.slots)
        else:
            raise ProgramError(
                f"in {scope}: a program may await its Context only, not {request!r}; what touches the world "
                "belongs into a tool or an effect"
            )

    def _wake(self, scope: Scope, value: Any) -> None:
        scope.value = value
        scope.state = State.READY
        self._ready.append(scope)

    # Scopes

    def _start(
        self, parent: Scope | None, segment: Segment, path: Path, branch: Branch[Any], body: Body[Any]
    ) -> Scope:
        scope = branch.scope = Scope(parent, segment, path, branch)
        scope.context = Context(self, scope)
        self._wake(scope, body)
        return scope

    def _end_body(self, scope: Scope, result: Result[Any]) -> None:
        """A body has ended: its scope does when its children have."""
        if scope.prepared is not None:
            self._found_bug(f"in {scope}: {scope.prepared.kind} {scope.prepared.name!r} was never awaited")
        scope.result = result
        scope.state = State.CLOSING
        if scope.children and not isinstance(result, Returned):
            for child in list(scope.children.values()):
                self._cancel(child)
        if not scope.children:
            self._end(scope)

    def _end(self, scope: Scope) -> None:
        """A scope has ended: tell who waits, and end its parent too if that waited for nothing else."""
        while True:
            result, branch, parent = scope.verdict(), scope.branch, scope.parent
            scope.state = State.ENDED
            self._drop_alarm(scope)
            branch.result, branch.scope = result, None
            for waiter in branch.waiters:
                self._wake(waiter, result)
            if parent is None:
                self._commands.append(Finished(result))
                scope.coroutine = scope.context = None  # its counters stay: they tell late from wrong
                return
            del parent.children[scope.segment]
            if isinstance(result, Failure) and result is not CANCELLED and not branch.waiters:
                parent.unawaited[branch] = result
            branch.waiters = {}
            scope.free()
            if parent.children or parent.state is not State.CLOSING:
                return
            scope = parent

    def _cancel(self, top: Scope) -> None:
        """Cancel a scope and all below it, children first."""
        for scope in list(_children_first(top)):
            if scope.cancelled:
                continue
            scope.cancelled = True
            self._drop_touch(scope)
            self._drop_alarm(scope)
            if scope.state is State.BLOCKED:
                self._leave_queue(scope)
                self._wake(scope, None)
            elif isinstance(scope.waiting, Slots):  # a permit on its way to a scope that will not use it
                self._return_permit(scope, scope.waiting)
            scope.waiting = None

    def _refuse(self, scope: Scope) -> None:
        """Whatever a cancelled body awaits raises Cancelled again."""
        scope.prepared = None
        scope.refusals += 1
        if scope.refusals > MOST_REFUSALS:
            raise ProgramError(f"in {scope}: a cancelled scope keeps awaiting instead of ending")
        self._wake(scope, None)

    # What a scope waits for

    def _open(self, scope: Scope, touch: Touch) -> None:
        if touch is not scope.prepared:
            raise ProgramError(
                f"in {scope}: {touch.kind} {touch.name!r} was awaited twice, or in another scope"
            )
        scope.prepared = None
        touch.occurrence = scope.counts[touch.name] = scope.counts.get(touch.name, 0) + 1
        touch.cause, touch.opened, touch.open = self._cause, self.time, True
        scope.touch = touch
        scope.state = State.BLOCKED
        self.open_touches += 1
        self._commands.append(touch)

    def _await_branch(self, scope: Scope, branch: Branch[Any]) -> None:
        if branch.result is None:
            branch.waiters[scope] = None
            scope.waiting = branch
            scope.state = State.BLOCKED
            return
        for owner in (scope, scope.parent):  # most are awaited by their parent, some by a sibling
            if owner is not None:
                owner.unawaited.pop(branch, None)
        self._wake(scope, branch.result)

    def _acquire(self, scope: Scope, slots: Slots) -> None:
        scope.waiting = slots
        if slots.take(scope):
            self._wake(scope, None)
        else:
            scope.state = State.BLOCKED

    def _leave_queue(self, scope: Scope) -> None:
        if isinstance(scope.waiting, Slots):
            scope.waiting.leave(scope)
        elif scope.waiting is not None:
            del scope.waiting.waiters[scope]

    def _return_permit(self, scope: Scope, slots: Slots) -> None:
        follower = slots.give_back(scope)
        if follower is not None:
            self._wake(follower, None)

    def _drop_touch(self, scope: Scope) -> None:
        if scope.touch is not None:
            scope.touch.open = False
            self.open_touches -= 1
            self._commands.append(Stop(scope.touch, self._cause))
            scope.touch = None

    def _set_alarm(self, scope: Scope, seconds: float) -> None:
        alarm = scope.alarm = Touch(scope, "deadline", scope.segment.name, repr(seconds))
        alarm.cause, alarm.opened, alarm.open = self._cause, self.time, True
        self._commands.append(alarm)

    def _drop_alarm(self, scope: Scope) -> None:
        if scope.alarm is not None:
            scope.alarm.open = False
            self._commands.append(Stop(scope.alarm, self._cause))
            scope.alarm = None

    # Outcomes

    def _find(self, outcome: Outcome) -> Touch | None:
        """The open touch that an outcome is for, or None where it comes too late."""
        path = outcome.path
        scope = self._root
        for segment in path[:-1]:
            child = scope.children.get(segment)
            if child is None:
                return self._absent(scope, segment, outcome)
            scope = child
        if outcome.kind == "deadline":
            limited = scope.children.get(path[-1])
            touch = limited.alarm if limited is not None else None
        else:
            touch = scope.touch
        last = path[-1]
        if touch is None or touch.name != last.name or touch.path[-1].occurrence != last.occurrence:
            return self._absent(scope, last, outcome)
        self._compare(touch, outcome)
        return touch

    def _absent(self, scope: Scope, segment: Segment, outcome: Outcome) -> None:
        """An outcome for something that is not open: late if it once was, else the program has changed."""
        if segment in scope.children or scope.counts.get(segment.name, 0) < segment.occurrence:
            asked = f"it asks for {scope.touch!r}" if scope.touch else "it does not ask for that here"
            raise Diverged(outcome.path, f"the log holds the outcome of a {outcome.kind}, but {asked}")

    def _compare(self, touch: Touch, outcome: Outcome) -> None:
        if touch.kind != outcome.kind:
            raise Diverged(
                outcome.path, f"the log holds the outcome of a {outcome.kind}, it asks for a {touch.kind}"
            )
        if outcome.fingerprint is not None and outcome.fingerprint != touch.fingerprint:
            raise Diverged(outcome.path, f"it now asks {touch.text}")

    def _deliver(self, touch: Touch, outcome: Outcome) -> None:
        touch.open = False
        touch.scope.touch = None
        self.open_touches -= 1
        if outcome.failure is not None:
            outcome = outcome._replace(failure=outcome.failure.located(outcome.path))
        self._wake(touch.scope, outcome)

    def _strike(self, alarm: Touch, outcome: Outcome) -> None:
        scope = alarm.scope
        failure = outcome.failure or Failure("timeout", f"timed out after {alarm.text}s")
        scope.struck = failure.located(outcome.path)
        scope.alarm = None
        alarm.open = False
        self._cancel(scope)

    # Bugs

    def _enter(self, scope: Scope, what: str) -> None:
        """Every use of a Context begins here: it must be the context of the scope that is running."""
        if self._current is not scope:
            raise self._found_bug(f"{what} was used outside its own scope ({scope})")
        if scope.prepared is not None:
            raise self._found_bug(
                f"in {scope}: {scope.prepared.kind} {scope.prepared.name!r} was never awaited"
            )

    def _found_bug(self, message: str, cause: BaseException | None = None) -> ProgramError:
        bug = ProgramError(message)
        bug.__cause__ = cause
        self._bug = self._bug or bug
        return bug

    def _check(self) -> None:
        if self._bug is not None:
            raise self._bug
        if self._closed:
            raise ProgramError("the program was abandoned")


def _children_first(top: Scope) -> Iterator[Scope]:
    """All scopes from one down, each after its children, which come in the order in which they began."""
    stack = [(top, iter(list(top.children.values())))]
    while stack:
        scope, children = stack[-1]
        child = next(children, None)
        if child is None:
            stack.pop()
            yield scope
        else:
            stack.append((child, iter(list(child.children.values()))))


async def _await(awaitable: Awaitable[Any]) -> Any:
    return await awaitable


def _coroutine(body: Body[Any], context: Context) -> Coroutine[Any, Any, Any]:
    """A body, begun: most give a coroutine, short ones the awaitable of a single verb."""
    begun = body(context)
    if isinstance(begun, Coroutine):
        return cast("Coroutine[Any, Any, Any]", begun)
    return _await(begun)


def _cycle(root: Scope) -> str:
    """Who waits for whom, from the root down until somebody comes up again."""
    chain: list[Scope] = []
    scope: Scope | None = root
    while scope is not None and scope not in chain:
        chain.append(scope)
        scope = _waits_for(scope)
    closing = [*chain, scope] if scope is not None else chain
    return " waits for ".join(repr(each) if each.path else "the workflow" for each in closing)


def _waits_for(scope: Scope) -> Scope | None:
    match scope.waiting:
        case Branch(scope=other):
            return other
        case Slots(holders=holders):
            return holders[0] if holders else None
        case None:
            return next(iter(scope.children.values()), None)
