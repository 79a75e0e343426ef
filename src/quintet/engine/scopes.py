"""Scopes and what stands between them: branches, results, slots.

A scope is a running body: the root of a program, a branch, an attempt, a time-limited block.  A program is
sequential within a scope; it is concurrent only because scopes have children.  The program holds a `Branch`,
the handle of a child scope; the machine holds the `Scope` itself and drops it the moment it ends.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Coroutine, Generator
from enum import Enum
from typing import TYPE_CHECKING, Any, Final, Generic, NamedTuple, TypeAlias, TypeVar

from quintet.engine.failures import BranchCancelled, Failed, Failure
from quintet.engine.paths import Path, Segment, display

if TYPE_CHECKING:
    from quintet.engine.context import Context
    from quintet.engine.machine import Machine
    from quintet.engine.touches import Touch

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)


class Returned(NamedTuple, Generic[T_co]):
    """The result of a body that returned."""

    value: T_co


CANCELLED: Final = Failure("cancelled", "the branch was cancelled")
"""The result of a body that was cancelled."""

Result: TypeAlias = Returned[T] | Failure
Body: TypeAlias = "Callable[[Context], Awaitable[T]]"


class State(Enum):
    READY = "ready"
    BLOCKED = "blocked"
    CLOSING = "closing"
    """Its body has ended; it waits for its children."""
    ENDED = "ended"


class Scope:
    """A running body and what the machine knows of it."""

    __slots__ = (
        "alarm", "branch", "cancelled", "children", "context", "coroutine", "counts", "parent", "path",
        "prepared", "refusals", "renewals", "result", "segment", "state", "struck", "touch", "unawaited",
        "value", "waiting",
    )  # fmt: skip

    def __init__(self, parent: Scope | None, segment: Segment, path: Path, branch: Branch[Any]) -> None:
        self.parent = parent
        self.segment = segment
        self.path = path
        self.branch = branch
        self.context: Context | None = None
        self.coroutine: Coroutine[Any, Any, Any] | None = None
        self.state = State.READY
        self.children: dict[Segment, Scope] = {}
        self.counts: dict[str, int] = {}
        """How often each name has occurred here."""
        self.touch: Touch | None = None
        """The one open touch."""
        self.prepared: Touch | None = None
        """A touch that was asked for and is not awaited yet."""
        self.alarm: Touch | None = None
        """The time limit of this scope, while it has not struck."""
        self.struck: Failure | None = None
        """What the scope fails with because its time limit struck."""
        self.waiting: Branch[Any] | Slots | None = None
        self.value: Any = None
        """What its body is sent when it goes on."""
        self.result: Result[Any] | None = None
        """How its body ended, while it waits for its children."""
        self.cancelled = False
        self.refusals = 0
        """How often the body awaited something although it was cancelled."""
        self.unawaited: dict[Branch[Any], Failure] = {}
        """Failures of children that nobody has awaited yet."""
        self.renewals = parent.renewals if parent else 0

    def verdict(self) -> Result[Any]:
        """How the scope ends, now that its body and all its children have."""
        if self.struck is not None:
            return self.struck
        if self.cancelled:
            return CANCELLED
        if isinstance(self.result, Returned) and self.unawaited:
            return next(iter(self.unawaited.values()))
        assert self.result is not None
        return self.result

    def free(self) -> None:
        """Drop all that could keep memory: an ended scope is reachable from its program's Context only."""
        self.context = self.coroutine = None
        self.value = self.result = None
        self.unawaited.clear()
        self.counts.clear()

    def __repr__(self) -> str:
        return display(self.path) or "the workflow"


class Branch(Generic[T]):
    """The handle of a child scope: await it, as often as you like, for what its body returns."""

    __slots__ = ("_machine", "name", "result", "scope", "waiters")

    def __init__(self, machine: Machine, name: str) -> None:
        self.name = name
        self.result: Result[T] | None = None
        """How it ended; None while it runs."""
        self.scope: Scope | None = None
        """What runs behind it, for the machine; None when it has ended."""
        self.waiters: dict[Scope, None] = {}
        """Who awaits it, in order: the machine's list."""
        self._machine = machine

    def __await__(self) -> Generator[Branch[T], Result[T], T]:
        """What the body returned.  Raises its failure, or BranchCancelled."""
        result = yield self
        if isinstance(result, Returned):
            return result.value
        if result is CANCELLED:
            raise BranchCancelled(Failure("cancelled", f"branch {self.name!r} was cancelled"))
        raise Failed(result)

    def settled(self) -> Settled[T]:
        """Await this for the result as a value: it raises no failure."""
        return Settled(self)

    def cancel(self) -> None:
        """Cancel the branch and all below it.  Nothing happens if it has ended."""
        self._machine.cancel(self)


class Settled(Generic[T]):
    """A branch awaited for its result as a value: `Returned`, a `Failure`, or `CANCELLED`."""

    __slots__ = ("_branch",)

    def __init__(self, branch: Branch[T]) -> None:
        self._branch = branch

    def __await__(self) -> Generator[Branch[T], Result[T], Result[T]]:
        return (yield self._branch)


class Slots:
    """Permits, given to whoever asks first.  `async with slots:` around the work that is limited."""

    __slots__ = ("_free", "_holders", "_machine", "_queue")

    def __init__(self, machine: Machine, count: int) -> None:
        if count < 1:
            raise ValueError(f"slots need at least one permit, not {count}")
        self._machine = machine
        self._free = count
        self._holders: dict[Scope, int] = {}
        self._queue: dict[Scope, None] = {}

    def __aenter__(self) -> Acquire:
        return Acquire(self)

    async def __aexit__(self, *exception: object) -> None:
        self._machine.release(self)

    def take(self, scope: Scope) -> bool:
        """Give a permit to a scope, or queue it."""
        if self._free and not self._queue:
            self._give(scope)
            return True
        self._queue[scope] = None
        return False

    def give_back(self, scope: Scope) -> Scope | None:
        """Take a permit back; gives the scope that has it now, if one was waiting."""
        self._free += 1
        self._holders[scope] -= 1
        if not self._holders[scope]:
            del self._holders[scope]
        if not self._queue:
            return None
        follower = next(iter(self._queue))
        del self._queue[follower]
        self._give(follower)
        return follower

    def leave(self, scope: Scope) -> None:
        """Leave the queue."""
        del self._queue[scope]

    def holds(self, scope: Scope) -> bool:
        return scope in self._holders

    def queued(self, scope: Scope) -> bool:
        return scope in self._queue

    @property
    def holders(self) -> list[Scope]:
        return list(self._holders)

    def _give(self, scope: Scope) -> None:
        self._free -= 1
        self._holders[scope] = self._holders.get(scope, 0) + 1


class Acquire:
    """Waits for a permit."""

    __slots__ = ("slots",)

    def __init__(self, slots: Slots) -> None:
        self.slots = slots

    def __await__(self) -> Generator[Acquire, None, None]:
        yield self
