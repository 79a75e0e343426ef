"""Context: everything that a program may do.

A program is `async def program(ctx, …)`; whatever it does to the world, it does through `ctx`.  Each scope
has a Context of its own, handed to its body: using another scope's is a `ProgramError`.
"""

from __future__ import annotations

from collections.abc import Awaitable, Mapping
from typing import TYPE_CHECKING, TypeVar

from quintet.engine.paths import Path
from quintet.engine.questions import Question
from quintet.engine.values import Json, encode

if TYPE_CHECKING:
    from quintet.engine.scopes import Body, Branch, Scope, Slots
    from quintet.engine.stepping import Stepper

T = TypeVar("T")


class Context:
    """What a program sees of the world."""

    __slots__ = ("_scope", "_stepper")

    def __init__(self, stepper: Stepper, scope: Scope) -> None:
        self._stepper = stepper
        self._scope = scope

    @property
    def path(self) -> Path:
        """Where this scope stands."""
        return self._scope.path

    @property
    def version(self) -> Mapping[str, int]:
        """The versions of the programs that recorded this run: old behaviour stays behind them."""
        return self._stepper.version

    @property
    def run_id(self) -> str:
        """The id of this run; of one that was retried, that of the first, so that it asks the same again."""
        return self._stepper.run_id

    def model(self, key: str, request: Json) -> Awaitable[Json]:
        """One request to a model."""
        return self._stepper.touch(self._scope, "model", key, encode(request))

    def tool(self, key: str, call: Json) -> Awaitable[Json]:
        """One call of a tool."""
        return self._stepper.touch(self._scope, "tool", key, encode(call))

    def ask(self, key: str, question: Question) -> Awaitable[Json]:
        """A question to a person: gives the answer, whenever it comes."""
        return self._stepper.touch(self._scope, "question", key, encode(question.to_json()))

    def sleep(self, key: str, seconds: float) -> Awaitable[Json]:
        """A durable timer, due so many seconds after `now()`."""
        return self._stepper.touch(self._scope, "timer", key, encode(seconds))

    def effect(self, key: str, name: str, data: Json = None) -> Awaitable[Json]:
        """A named service of the host, with a recorded result."""
        return self._stepper.touch(self._scope, "effect", key, encode({"name": name, "data": data}))

    def now(self) -> float:
        """The time of the latest outcome delivered: the same in every replay."""
        return self._stepper.outbox.time

    def note(self, kind: str, data: Json = None) -> None:
        """Something worth seeing that is no touch: `step.started`, `round.started`, `state.changed`, …"""
        self._stepper.note(self._scope, kind, encode(data))

    def branch(self, name: str, body: Body[T], *, silent: bool = False) -> Branch[T]:
        """Start a child scope; it runs beside this one.  People do not read the name of a `silent` one."""
        return self._stepper.branch(self._scope, name, body, silent=silent)

    def slots(self, count: int) -> Slots:
        """Permits for branches to share: `async with slots:` around what may happen `count` times at once."""
        return self._stepper.slots(self._scope, count)

    async def silent(
        self,
        name: str,
        body: Body[T],
        *,
        attempt: bool = False,
        renewals: int = 0,
        seconds: float | None = None,
    ) -> T:
        """Run a body in a scope of its own that people do not read; what combinators are made of."""
        return await self._stepper.branch(
            self._scope, name, body, silent=True, attempt=attempt, renewals=renewals, seconds=seconds
        )
