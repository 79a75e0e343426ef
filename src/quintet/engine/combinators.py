"""Combinators: what programs build out of branches.

`gather` runs bodies at once, `attempts` runs one until it succeeds, `deadline` bounds one in time.  No host
knows of them: they are bodies around bodies, whatever those contain.
"""

from __future__ import annotations

from collections.abc import Awaitable, Iterable, Sequence
from itertools import count
from typing import Literal, TypeAlias, TypeVar

from quintet.engine.context import Context
from quintet.engine.failures import Failed, Failure
from quintet.engine.paths import write
from quintet.engine.retry import Policy
from quintet.engine.scopes import CANCELLED, Body, Branch, Result

T = TypeVar("T")

OnError: TypeAlias = Literal["cancel", "drain", "collect"]
"""What a failing member of a group does to the others: `cancel` stops them, `drain` lets those that run
finish and starts no more, `collect` lets all of them run and hands failures over as values."""


async def gather(
    ctx: Context,
    bodies: Iterable[tuple[str, Body[T]]],
    *,
    limit: int | None = None,
    on_error: OnError = "cancel",
) -> Sequence[Result[T]]:
    """Run named bodies at once, at most `limit` of them, and give their results in the order of the bodies.

    Unless `on_error` is `collect`, the failure that came first is raised once all have ended; then every
    result that is given is a `Returned`.
    """
    slots = None if limit is None else ctx.slots(limit)
    branches: list[Branch[T]] = []
    first: list[Failure] = []

    async def member(ctx: Context, body: Body[T]) -> T:
        try:
            if slots is None:
                return await begun(ctx, body)
            async with slots:
                return await begun(ctx, body)
        except Failed as failed:
            if on_error != "collect" and not first:
                first.append(failed.failure)
                if on_error == "cancel":
                    for branch in branches:
                        branch.cancel()
            raise

    def begun(ctx: Context, body: Body[T]) -> Awaitable[T]:
        if first:
            raise Failed(CANCELLED)  # drained before it began
        return body(ctx)

    for name, body in bodies:
        branches.append(ctx.branch(name, lambda ctx, body=body: member(ctx, body)))
    results = [await branch.settled() for branch in branches]
    if first:
        raise Failed(first[0])
    return results


async def deadline(ctx: Context, key: str, seconds: float, body: Body[T]) -> T:
    """Run a body, and cancel it when it has worked for so long.

    Raises a failure of kind `timeout` then.  The clock runs only while something under it is performed or
    sleeps: not while it waits for a permit, a person, or a process that is gone.
    """
    return await ctx.silent(key, body, seconds=seconds)


async def attempts(ctx: Context, key: str, policy: Policy, body: Body[T]) -> T:
    """Run a body until it succeeds or the policy gives up; then its last failure is raised.

    Each attempt is a scope of its own.  Touches keep their idempotency keys from one attempt to the next,
    except after a failure that is certain to have done nothing.
    """

    async def tries(ctx: Context) -> T:
        renewals = 0
        for attempt in count(1):
            try:
                return await ctx.silent("attempt", body, attempt=True, renewals=renewals)
            except Failed as failed:
                failure = failed.failure
                if not policy.again(attempt, failure):
                    raise
            renewals += failure.definite
            wait = policy.wait(attempt, write(ctx.path))
            said = {"attempt": attempt, "of": policy.attempts, "failure": failure.to_json(), "wait": wait}
            ctx.note("step.retrying", said)
            if wait > 0:
                await ctx.sleep("backoff", wait)
        raise AssertionError("count() ends never")

    return await ctx.silent(key, tries)
