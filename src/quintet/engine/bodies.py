"""Bodies: what a scope runs, as a coroutine that is begun, stepped and ended by hand."""

from __future__ import annotations

from collections.abc import Awaitable, Coroutine
from types import CoroutineType
from typing import Any, cast

from quintet.engine.context import Context
from quintet.engine.failures import Cancelled
from quintet.engine.scopes import Body

MOST_REFUSALS = 100
"""So often may a body that is to end await something; more is a bug.  Clean-up code does it a few times."""


def coroutine(body: Body[Any], context: Context) -> Coroutine[Any, Any, Any]:
    """A body, begun: most give a coroutine, short ones the awaitable of a single verb."""
    try:
        begun = body(context)
    except StopIteration as stop:  # it would be taken for the end of a coroutine
        raise RuntimeError("the body raised StopIteration") from stop
    if type(begun) is CoroutineType:
        return cast("Coroutine[Any, Any, Any]", begun)
    return _await(begun)


async def _await(awaitable: Awaitable[Any]) -> Any:
    return await awaitable


def unwind(coroutine: Coroutine[Any, Any, Any]) -> None:
    """End a body where it stands; whatever its clean-up code awaits ends it again."""
    for _ in range(MOST_REFUSALS):
        try:
            coroutine.throw(Cancelled())  # `close` would leave a coroutine behind that awaits in its clean-up
        except BaseException:  # the program's last words; nobody can act on them
            return
