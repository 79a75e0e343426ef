"""Scopes and what stands between them: branches, results, slots.

A scope is a running body: the root of a program, a branch, an attempt, a time-limited block.  A program is
sequential within a scope; it is concurrent only because scopes have children.  The program holds a `Branch`,
the handle of a child scope; the machine holds the `Scope` itself and drops it the moment it ends.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Awaitable, Callable, Coroutine, Generator, Iterable
from typing import TYPE_CHECKING, Any, Final, Generic, Literal, NamedTuple, TypeAlias, TypeVar

from quintet.engine.failures import BranchCancelled, Failed, Failure, ProgramError
from quintet.engine.paths import Path, Segment, write

if TYPE_CHECKING:
    from quintet.engine.context import Context
    from quintet.engine.stepping import Stepper
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


State: TypeAlias = Literal["ready", "blocked", "closing", "ended"]
"""Of a scope.  `closing`: its body has ended, and it waits for its children."""


class Scope:
    """A running body and what the machine knows of it."""

    __slots__ = (
        "_path", "alarm", "branch", "cancelled", "children", "context", "coroutine", "counts", "parent",
        "prepared", "refusals", "renewals", "result", "segment", "state", "struck", "touch", "unawaited",
        "value", "waiting",
    )  # fmt: skip

    def __init__(self, parent: Scope | None, segment: Segment, branch: Branch[Any]) -> None:
        self.parent = parent
        self.segment = segment
        self.branch = branch
        self.context: Context | None = None
        self.coroutine: Coroutine[Any, Any, Any] | None = None
        self.state: State = "ready"
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
        """What it waits for, or has just been given and does not know of yet."""
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
        self._path: Path | None = None if parent else ()

    @property
    def path(self) -> Path:
        """Where it stands; put together only when somebody asks."""
        if self._path is None:
            segments = [self.segment]
            above = self.parent
            while above is not None and above._path is None:
                segments.append(above.segment)
                above = above.parent
            assert above is not None
            assert above._path is not None
            self._path = (*above._path, *reversed(segments))
        return self._path

    def verdict(self) -> Result[Any]:
        """How the scope ends, now that its body and all its children have."""
        if self.struck is not None:
            return self.struck
        if self.cancelled:
            return CANCELLED
        if self.unawaited and isinstance(self.result, Returned):
            return next(iter(self.unawaited.values()))
        assert self.result is not None
        return self.result

    def free(self) -> None:
        """Drop all that could keep memory: an ended scope is reachable from its program's handles only."""
        self.context = self.coroutine = None
        self.value = self.result = None
        if self.unawaited:
            self.unawaited.clear()

    def __repr__(self) -> str:
        return write(self.path) or "the workflow"


class Branch(Generic[T]):
    """The handle of a child scope: await it, as often as you like, for what its body returns."""

    __slots__ = ("home", "name", "result", "scope", "stepper", "waiters")

    def __init__(self, stepper: Stepper, name: str) -> None:
        self.name = name
        self.result: Result[T] | None = None
        """How it ended; None while it runs."""
        self.scope: Scope | None = None
        """What runs behind it, for the machine; None when it has ended."""
        self.waiters: dict[Scope, None] = {}
        """Who awaits it, in order: the machine's list."""
        self.home: Scope | None = None
        """The scope that fails with its failure unless somebody awaits it."""
        self.stepper = stepper

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
        self.stepper.cancel(self)


class Settled(Generic[T]):
    """A branch awaited for its result as a value: `Returned`, a `Failure`, or `CANCELLED`."""

    __slots__ = ("_branch",)

    def __init__(self, branch: Branch[T]) -> None:
        self._branch = branch

    def __await__(self) -> Generator[Branch[T], Result[T], Result[T]]:
        return (yield self._branch)


class Slots:
    """Permits, given to whoever asks first.  `async with slots:` around the work that is limited."""

    __slots__ = ("_free", "_holders", "_queue", "stepper")

    def __init__(self, stepper: Stepper, count: int) -> None:
        if count < 1:
            raise ValueError(f"slots need at least one permit, not {count}")
        self.stepper = stepper
        self._free = count
        self._holders: dict[Scope, int] = {}
        self._queue: OrderedDict[Scope, None] = OrderedDict()  # a plain dict is slow to lose its first entry

    def __aenter__(self) -> Acquire:
        return Acquire(self)

    async def __aexit__(self, *exception: object) -> None:
        self.stepper.release(self)

    def take(self, scope: Scope) -> bool:
        """Give a permit to a scope, or queue it."""
        if self._free:
            self._give(scope)
            return True
        self._queue[scope] = None
        return False

    def give_back(self, scope: Scope) -> Scope | None:
        """Take a permit back; gives the scope that has it now, if one was waiting."""
        held = self._holders.get(scope, 0)
        if not held:
            raise ProgramError(f"{scope} gave back a slot that it does not hold")
        if held == 1:
            del self._holders[scope]
        else:
            self._holders[scope] = held - 1
        self._free += 1
        if not self._queue:
            return None
        follower, _ = self._queue.popitem(last=False)
        self._give(follower)
        return follower

    def leave(self, scope: Scope) -> None:
        """Leave the queue."""
        del self._queue[scope]

    @property
    def holders(self) -> Iterable[Scope]:
        return self._holders.keys()

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
